package main

import "slices"

// situation is something that happens to producers: a shipped scenario, cut short, under some conditions.
type situation struct {
	id, title string
	scenario  string
	// set are --set flags of all conditions: the scenario made short, and cheap to run often.
	set []string
	// fault is the one whose times are reported.
	fault string
	cells []condition
	// extra are settings that are reported though nobody would choose them.
	extra []entry
}

// condition is what brokers and load are like.
type condition struct {
	id, words string
	set       []string
}

// Service times of brokers. Each is over a network of its own.
var (
	// ssd is what scenarios have when they say nothing: a send takes 0.4 ms of a thread, one in a hundred 4 ms.
	ssd = condition{id: "ssd", words: "SSD in one data centre (service 0.4 ms, p99 4 ms), low load"}
	// disk is slow and has one send thread, so the load is more than half of what the brokers can carry.
	disk = condition{
		id: "disk", words: "slow disk, one send thread (service 5 ms, p99 20 ms), high load",
		set: []string{
			"broker.*.service.median=5ms", "broker.*.service.p99=20ms",
			"broker.*.send_message_thread_pool_nums=1",
		},
	}
	// zones has a millisecond between any two hosts, and disks with a heavy tail, see oneIn.
	zones = condition{
		id: "zones", words: "between zones (1 ms, p99 5 ms, each way), jittery disk (service 2 ms, p99 150 ms)",
		set: []string{
			"network.latency.median=1ms", "network.latency.p99=5ms",
			"broker.*.service.median=2ms", "broker.*.service.p99=150ms",
		},
	}
)

// and is the condition with flags of its own.
func (c condition) and(set ...string) condition {
	c.set = slices.Concat(c.set, set)
	return c
}

// called is the condition under another name.
func (c condition) called(id, words string) condition {
	c.id, c.words = id, words
	return c
}

var situations = []situation{
	{
		id: "silent", title: "Silent death", scenario: "silent-death", fault: "death",
		set:   []string{"producer.*.rate=120/s"},
		cells: []condition{ssd, disk.and("producer.*.rate=280/s"), zones},
	},
	{
		id: "kill", title: "Kill", scenario: "kill-one-master", fault: "crash",
		set: []string{
			"duration=110s", "warmup=10s", "fault.crash.at=30s", "fault.crash.duration=40s",
			"producer.*.rate=120/s",
		},
		cells: []condition{ssd, disk.and("producer.*.rate=280/s")},
	},
	{
		id: "pause", title: "A pause of 15 s", scenario: "gc-pause", fault: "pause",
		set: []string{
			"duration=100s", "warmup=10s", "fault.pause.at=30s", "producer.*.rate=120/s",
			"producer.*.send_msg_max_timeout_per_request=off",
		},
		cells: []condition{ssd, zones},
	},
	{
		id: "slow", title: "Slow broker", scenario: "slow-broker", fault: "slow-disk",
		set: []string{
			"duration=120s", "warmup=10s", "fault.slow-disk.at=30s", "fault.slow-disk.duration=50s",
		},
		extra: []entry{{"from-200ms", built("500ms", "5s", true, strict)}},
		cells: []condition{
			ssd.called("200ms", "200 ms slower, SSD").and("fault.slow-disk.delay=200ms"),
			ssd.called("600ms", "600 ms slower, SSD"),
			ssd.called("2s", "2 s slower, SSD").and("fault.slow-disk.delay=2s"),
			zones.called("zones", "600 ms slower, between zones, jittery disk"),
		},
	},
	{
		id: "flapping", title: "Flapping broker", scenario: "flapping-broker", fault: "flapping",
		set: []string{
			"duration=200s", "warmup=10s", "fault.flapping.at=30s", "fault.flapping.duration=130s",
			"fault.flapping.period=40s", "producer.*.rate=120/s",
		},
		cells: []condition{
			ssd.called("kill", "killed for 10 s of every 40 s, SSD"),
			ssd.called("cable", "off the network for 10 s of every 40 s, SSD").
				and("fault.flapping.kind=cable-pull"),
			zones.called("zones", "off the network for 10 s of every 40 s, between zones, jittery disk").
				and("fault.flapping.kind=cable-pull"),
		},
	},
	{
		id: "overload", title: "Overload", scenario: "near-capacity", fault: "stop",
		extra: []entry{{"limit-200ms", built("200ms", "5s", true, errors)}},
		cells: []condition{
			{
				id: "60", words: "300 messages a second of 500 that three brokers can carry",
				set: []string{"producer.*.rate=300/s"},
			},
			{id: "84", words: "420 of 500 a second", set: []string{"producer.*.rate=420/s"}},
		},
	},
	{
		id: "rolling", title: "Rolling restart", scenario: "rolling-restart", fault: "upgrade",
		set: []string{
			"duration=160s", "warmup=10s", "fault.upgrade.at=30s", "fault.upgrade.duration=80s",
			"producer.*.rate=120/s",
		},
		extra: []entry{{"poll-10s", onPoll}, {"wipe", wiped}},
		cells: []condition{
			ssd.called("gap-0", "two brokers, no gap between their restarts, SSD").and("fault.upgrade.gap=0s"),
			zones.called("gap-20", "two brokers, 20 s between their restarts, between zones, jittery disk").
				and("fault.upgrade.gap=20s"),
		},
	},
	{
		id: "small", title: "Small cluster: one of two brokers dies silently", scenario: "small-cluster",
		fault: "death", set: []string{"producer.*.rate=120/s"},
		cells: []condition{ssd, disk},
	},
	{
		id: "large", title: "Large cluster: one of twelve brokers dies silently", scenario: "large-cluster",
		fault: "death", set: []string{"producer.*.rate=150/s"},
		cells: []condition{ssd, zones},
	},
	{
		id: "big", title: "Few big producers: one instance sends everything", scenario: "silent-death",
		fault: "death",
		set:   []string{"producer.*.rate=120/s", "producer.*.count=1", "producer.*.threads=256"},
		cells: []condition{ssd, zones},
	},
	{
		id: "many", title: "Many small producers: forty instances, three messages a second each",
		scenario: "silent-death", fault: "death",
		set:   []string{"producer.*.rate=120/s", "producer.*.count=40", "producer.*.threads=8"},
		cells: []condition{ssd, zones},
	},
}
