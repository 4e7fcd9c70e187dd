package scenarios

import (
	"fmt"
	"slices"
)

// faultKind is a way to fail, and what a scenario can say of it beyond when and whom.
type faultKind struct {
	name string
	// keys have a meaning for this kind; needs are those of them that it cannot do without.
	keys, needs []string
	// once is true for what is a course of events of its own, which neither flaps nor comes at random.
	once bool
	doc  string
}

// faultKinds are in the order of config.FaultKinds.
var faultKinds = []faultKind{
	{
		name: "power-loss",
		doc: "The host has no power: it falls silent, and what was only in its page cache is gone. At " +
			"the end it is powered up and its processes start.",
	},
	{
		name: "kill",
		doc: "kill -9: the process ends, its kernel closes the sockets and refuses connections; the " +
			"page cache stays. At the end the process starts.",
	},
	{
		name: "slow", keys: []string{"factor", "delay", "ramp"},
		doc: "Sends are served slowly.",
	},
	{
		name: "pause",
		doc: "The process stops (SIGSTOP, a long collection), its kernel goes on accepting connections " +
			"and bytes.",
	},
	{
		name: "shutdown",
		doc:  "SIGTERM: the process ends in the order of its release. At the end it starts.",
	},
	{
		name: "vanish",
		doc: "A kill whose address goes with it, as that of a pod: sockets are closed, and then nothing " +
			"answers there any more.",
	},
	{
		name: "disk-loss",
		doc:  "A power loss that takes the disk, too: the process starts with an empty log.",
	},
	{
		name: "cable-pull",
		doc:  "The host is off the network, in both directions; its processes go on.",
	},
	{
		name: "black-hole",
		doc: "What producers send to the port of the process is dropped; its own connections, such as " +
			"those to the name servers, live on.",
	},
	{
		name: "partition", keys: []string{"to", "one_way"},
		doc: "The targets and `to` do not reach each other.",
	},
	{
		name: "packet-loss", keys: []string{"to", "one_way", "loss"}, needs: []string{"loss"},
		doc: "A share of the packets between the targets and `to` is lost.",
	},
	{
		name: "packet-delay", keys: []string{"to", "one_way", "latency"},
		needs: []string{"latency"},
		doc:   "Packets between the targets and `to` take longer.",
	},
	{
		name: "disk-stall",
		doc: "The disk stands still: no fsync ends, and an append that needs the disk holds the put " +
			"lock.",
	},
	{
		name: "lock-hold",
		doc:  "Something holds the put lock: no append begins.",
	},
	{
		name: "fsync-stall",
		doc:  "No fsync ends; appends to the page cache go on.",
	},
	{
		name: "fsync-lie",
		doc: "fsync reports success, and the data stays in the volatile cache of the drive: a power loss " +
			"takes it, until the first fsync after the fault.",
	},
	{
		name: "disk-full",
		doc:  "No room is left: the store refuses messages from its next look at the disk on.",
	},
	{
		name: "read-only-disk",
		doc: "Nothing can be written to the disk: fsync fails, the page cache goes on. What a failed fsync " +
			"has not written no later one writes: a power loss takes it, and all behind it.",
	},
	{
		name: "wipe-write-perm", keys: []string{"to"},
		doc: "`mqadmin wipeWritePerm` of the masters' broker names on the name servers in `to` (all, if " +
			"it is absent). At the end comes `addWritePerm`.",
	},
	{
		name: "broker-permission", keys: []string{"permission"},
		doc: "`mqadmin updateBrokerConfig` sets `brokerPermission`. At the end it is as before.",
	},
	{
		name: "rolling-restart", keys: []string{"down", "gap", "wipe", "wipe_before"}, once: true,
		doc: "One target after the other is shut down and started.",
	},
}

func faultKindNames() []string {
	names := make([]string, len(faultKinds))
	for i := range faultKinds {
		names[i] = faultKinds[i].name
	}
	return names
}

// faultKindKind is the name of a kind; two that are ways to repeat any of them get an answer of their
// own.
func faultKindKind() kind {
	k := enum(faultKindNames())
	names := k.read
	k.read = func(l *loader, n *node) (any, string, bool) {
		var hint string
		switch n.scalar {
		case "flap", "flapping":
			hint = "a fault of any kind flaps by its period and down"
		case "random":
			hint = "a fault of any kind strikes at random by its rate and repair"
		default:
			return names(l, n)
		}
		l.fail(n, "%s: %q is not a kind", n.path, n.scalar).Hint = hint
		return nil, "", false
	}
	return k
}

// faultKindOf is the kind of a fault; nil if it could not be read.
func faultKindOf(t *table) *faultKind {
	if v := t.vals["kind"]; !v.bad && v.v != nil {
		return &faultKinds[v.v.(int)]
	}
	return nil
}

// onlyFor says why a key has no meaning for the kind of a fault.
func onlyFor(name string) func(*table) string {
	return func(t *table) string {
		k := faultKindOf(t)
		if k == nil || slices.Contains(k.keys, name) {
			return ""
		}
		var kinds []string
		for i := range faultKinds {
			if slices.Contains(faultKinds[i].keys, name) {
				kinds = append(kinds, faultKinds[i].name)
			}
		}
		return "it is for kind = " + orList(kinds)
	}
}

// repeats says why a key of faults that strike again and again has no meaning for this one.
func repeats(t *table) string {
	if k := faultKindOf(t); k != nil && k.once {
		return fmt.Sprintf("a %s happens once", k.name)
	}
	return ""
}

// withPeriod and withRate say so of a key that stands beside another one.
func withPeriod(t *table) string { return beside(t, "period", "flaps") }
func withRate(t *table) string   { return beside(t, "rate", "strikes at random") }

func beside(t *table, other, what string) string {
	if why := repeats(t); why != "" {
		return why
	}
	if v := t.vals[other]; v.v == nil && !v.bad {
		return fmt.Sprintf("it is for a fault that %s; this one has no %s", what, other)
	}
	return ""
}

// notFlapping says why a fault that flaps does not strike at random as well.
func notFlapping(t *table) string {
	if why := repeats(t); why != "" {
		return why
	}
	if t.vals["period"].v != nil {
		return "the fault flaps, by its period"
	}
	return ""
}

// downFor says why a fault has no down.
func downFor(t *table) string {
	if k := faultKindOf(t); k == nil || k.once {
		return ""
	}
	return withPeriod(t)
}

// downDefault is that of a rolling restart: each process starts at once.
func downDefault(_ *loader, t *table) string {
	if k := faultKindOf(t); k != nil && k.once {
		return `"0s"`
	}
	return ""
}
