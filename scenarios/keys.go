package scenarios

// defaultRelease is of everything that does not say otherwise: the last release at the time of
// writing.
const defaultRelease = "5.3.3"

var topKeys = []key{
	{
		name: "seed", kind: seedKind, def: "1",
		doc: "Keys every random draw; `--seed` goes before it.",
	},
	{
		name: "duration", kind: durationKind, def: `"60s"`,
		doc: "Simulated time that the run covers, at most `\"87600h\"` (ten years).",
	},
	{
		name: "warmup", kind: durationKind, def: `"0s"`,
		doc: "Time at the start that no phase counts. A run starts in the middle of life (routes " +
			"known, connections open, periodic tasks at a random phase), but with empty queues.",
	},
	{
		name: "release", kind: releaseKind, def: quote(defaultRelease),
		doc: "RocketMQ release of all brokers, name servers and Java clients that do not say otherwise.",
	},
}

var networkKeys = []key{
	{
		name: "latency", kind: durationSampler,
		def: `{ dist = "lognormal", median = "150us", p99 = "500us" }`,
		doc: "One-way delay of a packet, within one data centre by default.",
	},
}

var startKeys = []key{
	{
		name: "cold", kind: boolKind, def: "false",
		doc: "Whether the clients start in the run: they know no route and have no connection, and their " +
			"tasks begin with their initial delays. Brokers and name servers are up before.",
	},
	{
		name: "spread", kind: durationKind, def: `"0s"`, unfit: notCold,
		doc: "Time over which the instances start, evenly at random; `\"0s\"` is all at once.",
	},
}

func notCold(t *table) string {
	if v := t.vals["cold"]; !v.bad && v.v == false {
		return "the start is not cold"
	}
	return ""
}

var nameServerKeys = []key{
	releaseKey,
	{
		name: "startup", kind: durationKind, def: `"5s"`,
		doc: "From the start of the process to its open port; it then knows no route.",
	},
	{
		name: "behaviours", kind: nameServerBehaviours.list(), defDoc: "the release's",
		doc: "Named behaviours that differ from its release's, each `\"name=value\"`, see " +
			"[versions.md](versions.md).",
	},
}

// releaseKey takes the release of the top level unless it is given.
var releaseKey = key{
	name: "release", kind: releaseKind, defDoc: "`release` of the top level",
	defaults: func(l *loader, _ *table) string { return quote(l.release0()) },
	doc:      "RocketMQ release.",
}

var topicKeys = []key{
	{
		name: "created", kind: boolKind, def: "true",
		doc: "`false`: nobody has created it. Its clients find the route of the default topic `TBW102`, " +
			"and the first send to a broker with `auto_create_topic_enable` creates it there.",
	},
	{
		name: "write_queue_nums", kind: whole(1, 1024), def: "4", java: []string{"writeQueueNums"},
		doc: "Write queues on each of its brokers, 1 to 1024.",
	},
	{
		name: "brokers", kind: nameListKind, defDoc: "all brokers", unfit: notCreated,
		doc: "Brokers that have the topic.",
	},
	{
		name: "ordered", kind: boolKind, def: "false", unfit: notCreated,
		doc: "Whether the name servers have an `ORDER_TOPIC_CONFIG` for it. Publish lists then name every " +
			"broker of `brokers` in that order, also one that has no master or cannot be written to.",
	},
}

func notCreated(t *table) string {
	if created := t.vals["created"]; !created.bad && created.v == false {
		return "nobody has created the topic"
	}
	return ""
}

var hostKeys = []key{
	{name: "zone", kind: nameKind, doc: "Zone that it stands in."},
	{
		name: "runs", kind: addressesKind, required: true,
		doc: "Process or list of processes on it, by their addresses.",
	},
}

var zoneKeys = []key{
	{
		name: "runs", kind: addressesKind,
		doc: "Process or list of processes in it whose hosts have no name.",
	},
}

var zoneLinkKeys = []key{
	{
		name: "zones", kind: zonePairKind, required: true,
		doc: "The two zones, such as `[\"z1\", \"z2\"]`.",
	},
	{
		name: "latency", kind: durationSampler, required: true,
		doc: "One-way delay of a packet between them, instead of that of `[network]`.",
	},
}

// zonePairKind is two names.
var zonePairKind = kind{
	name: "two names", want: `an array of two zones, such as ["z1", "z2"]`, bare: bareList,
	read: func(l *loader, n *node) (any, string, bool) {
		v, text, ok := nameListKind.read(l, n)
		if ok && len(n.elems) != 2 {
			l.fail(n, "%s names %d zones; a link is between two", n.path, len(n.elems))
			ok = false
		}
		return v, text, ok
	},
}

var expectKeys = []key{
	{
		name: "metric", kind: nameKind, required: true,
		doc: "What is measured; see the list of metrics.",
	},
	{name: "fault", kind: nameKind, doc: "The fault, for a metric of a fault."},
	{
		name: "during", kind: nameKind, defDoc: "`\"all\"`",
		doc: "Phase: `before`, `fault.NAME`, `recovery.NAME`, `warm-up`, or `all` (all but the warm-up).",
	},
	{name: "from", kind: durationKind, doc: "Start of a window of its own, instead of `during`."},
	{name: "to", kind: durationKind, doc: "End of that window."},
	{name: "broker", kind: nameKind, doc: "Only attempts to this broker."},
	{name: "producer", kind: nameKind, doc: "Only messages of this group."},
	{name: "topic", kind: nameKind, doc: "Only messages of this topic."},
	{name: "min", kind: limitKind, doc: "Lower limit, inclusive, in the unit of the metric."},
	{name: "max", kind: limitKind, doc: "Upper limit, inclusive."},
	{
		name: "for", kind: conditionKind,
		doc: "Skip the expectation unless this holds: `\"client >= 5.1.4\"`, also `broker` and " +
			"`name_server`, and several joined by `and`.",
	},
}
