package result

// Metrics of how the service looked over time: by when messages are answered, not by when they are scheduled.
func serviceMetrics() []Metric {
	list := []Metric{
		{
			Name: "goodput", Unit: UnitPer, Better: HigherIsBetter, Scope: ScopeMessages,
			Help: "Messages that succeeded, by when they were answered, per message scheduled in " +
				"the same time: " +
				"below 1 while a backlog grows or sends fail, above 1 while it is worked off.",
			Formula:   "answered without an exception / scheduled",
			Undecided: "no message scheduled in the window",
		},
		service("outages", UnitCount, "Times without any success: stretches from a failed answer "+
			"to the next "+
			"successful one, of which those less than two seconds apart count as one (as with OpenChaos' "+
			"RecoveryChecker).", "count"),
		service("outage_time", UnitNS, "Time without any success: from a failed answer to the "+
			"next successful "+
			"one, or the end of the window. One that is open when the window begins counts from there, so "+
			"that the times of the phases add up to that of all.", "sum of the stretches"),
		service("longest_outage", UnitNS, "Longest stretch without any success.", "max of the stretches"),
		service("worst_instance_outage", UnitNS, "Longest stretch without a success of any one "+
			"producer instance: "+
			"from a failed answer of it to its next successful one, or the end of the window.",
			"max over instances and stretches"),
	}
	for _, l := range []struct{ name, words string }{
		{"50", "half"}, {"90", "90 %"}, {"99", "99 %"}, {"999", "99.9 %"},
	} {
		list = append(list,
			service("time_below_"+l.name, UnitNS, "Partial unavailability: time in which "+
				"less than "+l.words+
				" of the messages answered in a second succeeded. A second without an answer "+
				"counts as the one "+
				"before it.", "sum of the seconds"),
			service("longest_below_"+l.name, UnitNS, "Longest stretch of seconds in which "+
				"less than "+l.words+
				" of the messages answered succeeded.", "max of the stretches"))
	}
	return list
}

func service(name string, unit Unit, help, formula string) Metric {
	return Metric{
		Name: name, Unit: unit, Better: LowerIsBetter, Scope: ScopeMessages, Help: help, Formula: formula,
		Undecided: "no message answered in the window",
	}
}

// brokerCountMetrics are about one broker, and exist whether any attempt was made or not.
func brokerCountMetrics() []Metric {
	of := func(name string, unit Unit, better Direction, help, formula string) Metric {
		return Metric{
			Name: name, Unit: unit, Better: better, Scope: ScopeBroker, Help: help, Formula: formula,
			Undecided: "never",
		}
	}
	return []Metric{
		of("broker_attempts", UnitCount, Neutral, "Attempts sent to the broker. "+sentMeans, "count"),
		of("fallbacks", UnitCount, LowerIsBetter, "Attempts sent to the broker although the fault "+
			"table of the "+
			"instance refused it then: the policy found nothing else.", "count"),
		of("isolations", UnitCount, Neutral, "Updates of fault tables that made the broker unavailable, "+
			"or kept it so for longer.",
			"count"),
		of("false_isolations", UnitCount, LowerIsBetter, "Isolations that no fault explains: none "+
			"had its hand on "+
			"the broker while the attempt was under way.", "count"),
		of("avoided_time", UnitNS, Neutral, "Time that fault tables refused the broker, added up "+
			"over producer "+
			"instances.", "sum over instances"),
		of("probes", UnitCount, Neutral, "Requests of the clients' detectors to the broker (5.x). "+
			"The one request "+
			"that a half-open breaker lets through is a message, not a probe.", "count"),
		of("probes_failed", UnitCount, LowerIsBetter, "Probes that were not answered in time. "+
			"Each closes the "+
			"channel that all sends of the instance share.", "count"),
		of("probe_time", UnitNS, LowerIsBetter, "Time that probes took, in which the detector's "+
			"thread was busy "+
			"with them.", "sum over probes"),
		of("unsynced_bytes_max", UnitCount, LowerIsBetter, "The most bytes of the broker's log, "+
			"at any time, that "+
			"were in the memory of its master only: what a power loss would have taken.",
			"max over time, looked at after each copy, each event of a process and each window"),
		of("broker_unreadable_max", UnitCount, LowerIsBetter, "The most messages of the broker, "+
			"at any time, that "+
			"no replica served (see unreadable_max).",
			"max over time, looked at after each event of a process and each window"),
	}
}

// balanceMetrics are about how even the attempts to the brokers or queues of a topic are.
func balanceMetrics() []Metric {
	of := func(name, help, formula string) Metric {
		return Metric{
			Name: name, Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeBalance, Help: help + " " + sentMeans,
			Formula: formula, Undecided: "no attempt in the window",
		}
	}
	const imbalance, cv = "max over all / mean", "standard deviation / mean"
	return []Metric{
		of("broker_imbalance", "Attempts sent to the broker of the topic that got most of them, "+
			"by those that one "+
			"gets in the mean: 1 if all got the same.", imbalance),
		of("broker_cv", "Coefficient of variation of the attempts sent to the brokers of the "+
			"topic: 0 if all got "+
			"the same.", cv),
		of("queue_imbalance", "Attempts sent to the queue of the topic that got most of them, by "+
			"those that one "+
			"gets in the mean: 1 if all got the same.", imbalance),
		of("queue_cv", "Coefficient of variation of the attempts sent to the queues of the topic: "+
			"0 if all got the "+
			"same.", cv),
	}
}

// aftermathMetrics are about what a fault cost beside time to detect, avoid and return.
func aftermathMetrics() []Metric {
	return []Metric{
		{
			Name: "starved_time", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeFault,
			Help: "Starvation after recovery: how long a producer instance with avoidance on " +
				"refused the broker " +
				"after the end of the fault, in the mean over instances: the broker with most of it.",
			Formula: "max over brokers of (time refused after the end / instances)",
			Undecided: "the fault did not end in the run, or no instance that sends to the " +
				"broker has avoidance " +
				"on",
		},
		{
			Name: "isolation_per_fault", Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeFault,
			Help: "Seconds of isolation per second of fault: how long a producer instance with " +
				"avoidance on " +
				"refused the broker since the fault began, in the mean, by how long the fault " +
				"had its hand on it: " +
				"the broker with most of it.",
			Formula:   "max over brokers of (time refused / (instances * time of the fault))",
			Undecided: "the fault never began, or no instance that sends to the broker has avoidance on",
		},
		{
			Name: "bytes_lost", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeFault,
			Help: "Bytes that the fault destroyed of what was in the memory of masters; a " +
				"slave may have them.",
			Formula:   "sum over brokers",
			Undecided: "the fault never began",
		},
		baselineMetric("time_to_baseline_success", "the success rate", "below the lowest of"),
		baselineMetric("time_to_baseline_p99", "the 99th percentile of latency", "above the highest of"),
		baselineMetric("time_to_baseline_share", "the share of sends that its brokers got",
			"below the lowest of"),
	}
}

func baselineMetric(name, what, worse string) Metric {
	return Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeRecovery,
		Help: "Return to baseline: from the end of the fault until " + what + " is back for " +
			"good, by windows of " +
			"timeseries.csv, before the next fault begins or the run ends.",
		Formula: "end of the last window that is " + worse + " \"before\" and has a neighbour " +
			"that is, - end of " +
			"the fault",
		Undecided: "the fault did not end in the run, another went on, there is no \"before\", " +
			"or it has not " +
			"happened when the run ends within the limit",
	}
}
