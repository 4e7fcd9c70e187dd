package scenarios

var faultKeys = []key{
	{
		name: "kind", kind: faultKindKind(), required: true,
		doc: "Way to fail, see the list below.",
	},
	{
		name: "target", kind: addressesKind, required: true,
		doc: "Process or list of processes it strikes, all at once, by their addresses.",
	},
	{
		name: "at", kind: durationKind, required: true,
		doc: "When it strikes.",
	},
	{
		name: "duration", kind: durationKind, defDoc: "to the end",
		doc: "How long it lasts. A process that it ended then starts, which takes `startup` more. In a " +
			"rolling restart, no further process follows then.",
	},
	{
		name: "factor", kind: floatKind, def: "1", unfit: onlyFor("factor"),
		doc: "Multiplies the service time; at most 1e6.",
	},
	{
		name: "delay", kind: durationKind, def: `"0s"`, unfit: onlyFor("delay"),
		doc: "Is added to the service time.",
	},
	{
		name: "ramp", kind: durationKind, def: `"0s"`, unfit: onlyFor("ramp"),
		doc: "How long `factor` and `delay` take to grow to what they say, evenly.",
	},
	{
		name: "to", kind: addressesKind, defDoc: "everyone else", unfit: onlyFor("to"),
		doc: "The other side: process or list of processes.",
	},
	{
		name: "one_way", kind: boolKind, def: "false", unfit: onlyFor("one_way"),
		doc: "Whether only packets from the targets to `to` suffer, not those on the way back.",
	},
	{
		name: "loss", kind: ratioKind, unfit: onlyFor("loss"),
		doc: "Share of the packets that is lost, such as `\"5%\"`.",
	},
	{
		name: "latency", kind: durationSampler, unfit: onlyFor("latency"),
		doc: "What a packet takes longer, one way.",
	},
	{
		name: "permission", kind: intEnum(4, 6), def: "4", unfit: onlyFor("permission"),
		doc: "`4`: read only; `6`: read and write.",
	},
	{
		name: "period", kind: durationKind, unfit: repeats,
		doc: "Makes a fault flap: from `at` on, for `duration`, it strikes once in each period.",
	},
	{
		name: "jitter", kind: durationKind, def: `"0s"`, unfit: withPeriod,
		doc: "How late in its period it strikes at most.",
	},
	{
		name: "rate", kind: rateKind, unfit: notFlapping,
		doc: "Makes a fault come at random: from `at` on, for `duration`, each target on its own is " +
			"struck this often in the time that it is well, such as `\"2/h\"`.",
	},
	{
		name: "repair", kind: durationSampler, unfit: withRate,
		doc: "How long it then lasts.",
	},
	{
		name: "down", kind: durationKind, unfit: downFor,
		defaults: downDefault, defDoc: "`\"0s\"` in a rolling restart",
		doc: "How long it lasts each time, if it flaps; how long a process of a rolling restart stays " +
			"down.",
	},
	{
		name: "gap", kind: durationKind, def: `"0s"`, unfit: onlyFor("gap"),
		doc: "Time from the opening of its port to the shutdown of the next process.",
	},
	{
		name: "wipe", kind: boolKind, def: "false", unfit: onlyFor("wipe"),
		doc: "Whether `wipeWritePerm` on all name servers comes before each shutdown.",
	},
	{
		name: "wipe_before", kind: durationKind, def: `"35s"`, unfit: onlyFor("wipe_before"),
		doc: "How long before; clients hear of it with their next poll of the name server.",
	},
}
