// Package scenarios reads scenario files: TOML in, a validated configuration of the model and the
// expectations out, or every mistake of the file with its place, reason and remedy. It also carries
// the scenarios that come with the program.
//
// A scenario is named tables of keys:
//
//	# Its first comment line says what it is about.
//	duration = "60s"
//
//	[broker.a]
//	[broker.b]
//
//	[producer.shop]
//	rate = "800/s"
//
//	[fault.crash]
//	kind   = "kill"
//	target = "a:0"
//	at     = "20s"
//
//	[expect.callers]
//	metric = "success_rate"
//	during = "fault.crash"
//	min    = "99.9%"
//
// Keys are RocketMQ's own words in snake_case. docs/scenarios.md is the reference; its tables come
// from the schema in this package, which is data: reading, --set flags, hints, the effective
// scenario and the reference all follow from it.
//
// # How a text becomes a scenario
//
// The decoder of package toml checks the syntax and gives the values, but no usable places. So
// locate.go reads the text a second time for the places of keys and values, node.go joins both into
// a tree, set.go lays the --set flags over it, resolve.go reads the values of each table by the
// schema, and assemble.go, producer.go, fault.go and expect.go check what the tables say of each
// other and fill the Config. Every step collects problems and goes on with a default, so that one
// run finds them all; what follows from a problem that is reported already is not reported again. A
// syntax error alone ends the reading: there is no telling what comes after it.
//
// # Flags
//
// A --set flag is an address, an equals sign and a value: duration=10s, broker.a.slaves=2,
// broker.*.service.p99=8ms (every broker), producer.p.latency_max[4]=3s (an element, from 0),
// fault.x.target=a:0,b:0. The schema knows the type, so strings need no quotes. The table must
// exist in the scenario. A mistake is reported at "--set[2]" for the second flag.
//
// # Variants
//
// A [variant.NAME] table is the scenario with other values: its keys are laid over those of the
// scenario behind the --set flags, as if each were one more of them. [Load] reads the scenario as
// it stands, or one variant; [LoadVariants] reads those that are to be compared, all of the file or
// what the options ask for. Each is a Scenario like any other, whose effective text has no variants
// any more. variant_plan.go finds out which are wanted, variant_read.go reads what one says,
// variant_lay.go lays it over the scenario, variant_tell.go says what became of inherited settings,
// puts problems that only both make together at what the variant says, and lists what differs.
package scenarios
