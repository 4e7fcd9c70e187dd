package scenarios

import (
	"simrun/model/config"
)

// arrivalNames are in the order of config.Arrivals.
var arrivalNames = []string{"poisson", "constant", "recorded", "closed"}

var loadKeys = []key{
	{
		name: "arrivals", kind: enum(arrivalNames), def: `"poisson"`,
		doc: "When messages are meant to be sent. `poisson`: independent gaps; `constant`: equal gaps, " +
			"instances taking turns; `recorded`: as `arrivals_file` says; `closed`: each thread sends again " +
			"when it has its answer and `think_time` is over.",
	},
	{
		name: "rate", kind: rateKind, required: true, unfit: noRate,
		doc: "Messages per time of all instances together, at most `\"10000000/s\"`; the threads or the " +
			"file decide in a `closed` or `recorded` load.",
	},
	{
		name: "load", kind: shapeKind, defDoc: "always the same", unfit: noRate,
		doc: "How the rate goes up and down, as a factor of `rate`; see [load](#load).",
	},
	{
		name: "arrivals_file", kind: arrivalsFileKind, required: true,
		unfit: onlyArrivals(config.RecordedArrivals),
		doc: "CSV file beside the scenario with a header: `time` from the start of the run, and perhaps " +
			"`size` and `key`; see [load](#load).",
	},
	{
		name: "think_time", kind: durationSampler, defaults: ofArrivals(config.ClosedLoop, `"0s"`),
		defDoc: "`\"0s\"`", unfit: onlyArrivals(config.ClosedLoop),
		doc: "Time from an answer to the thread's next send.",
	},
	{
		name: "on_failure", kind: onFailureKind, def: `"drop"`,
		doc: "What the caller does about a send that ended in an exception: `\"drop\"`, or " +
			"`{ resend = 3, delay = \"200ms\" }`: send it again after the delay, so often at most. Resends are " +
			"load, and their copies are extra copies.",
	},
}

// arrivalsOf is the arrival process of a producer; ok is false if it could not be read.
func arrivalsOf(t *table) (a config.Arrivals, ok bool) {
	v := t.vals["arrivals"]
	if v.bad || v.v == nil {
		return 0, false
	}
	return config.Arrivals(v.v.(int)), true
}

// noRate says why a load has no rate.
func noRate(t *table) string {
	switch a, ok := arrivalsOf(t); {
	case !ok && t.node.child("rate") == nil:
		return "who knows what the arrivals were meant to be"
	case ok && a == config.RecordedArrivals:
		return "the times are recorded (arrivals = \"recorded\")"
	case ok && a == config.ClosedLoop:
		return "count, threads and think_time decide (arrivals = \"closed\")"
	}
	return ""
}

// onlyArrivals says why a key has no meaning for other arrivals.
func onlyArrivals(want config.Arrivals) func(*table) string {
	return func(t *table) string {
		if a, ok := arrivalsOf(t); ok && a == want {
			return ""
		}
		return "it is for arrivals = " + quote(arrivalNames[want])
	}
}

// ofArrivals is a default that other arrivals do not have.
func ofArrivals(want config.Arrivals, def string) func(*loader, *table) string {
	return func(_ *loader, t *table) string {
		if a, ok := arrivalsOf(t); ok && a == want {
			return def
		}
		return ""
	}
}
