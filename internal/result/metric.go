package result

// Unit is the base unit of a metric, in which limits and values are stored.
type Unit string

// Units.
const (
	UnitNS    Unit = "ns"    // a duration in nanoseconds
	UnitRatio Unit = "ratio" // 0..1, shown as a percentage
	UnitCount Unit = "count" // messages, attempts, copies
	UnitPer   Unit = "per"   // a plain quotient, such as attempts per message
)

// Direction says which way a metric is better.
type Direction int8

// Directions.
const (
	LowerIsBetter  Direction = -1
	Neutral        Direction = 0
	HigherIsBetter Direction = +1
)

// Scope says what a metric is measured over, and so which keys an expectation on it takes.
type Scope uint8

// Scopes.
const (
	// ScopeMessages: the messages of a phase or window (during, from/to, producer, topic).
	ScopeMessages Scope = iota + 1
	// ScopeBroker: the attempts to one broker in a phase or window (broker is required).
	ScopeBroker
	// ScopeFault: one fault (fault is required, broker narrows it to one of its targets).
	ScopeFault
	// ScopeCluster: all brokers together in a phase or window (during, from/to).
	ScopeCluster
)

// Metric is one entry of the registry.
type Metric struct {
	Name      string
	Unit      Unit
	Better    Direction
	Scope     Scope
	Quantile  float64 // > 0 for a latency quantile
	Help      string  // one sentence: what it is, from when to when
	Formula   string
	Undecided string // what makes an expectation on it undecided
}

const noMessage = "no message in the window"

// Metrics returns the registry in the order of the documentation.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }

// LookupMetric finds a metric by name.
func LookupMetric(name string) (Metric, bool) {
	for _, m := range metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

var metrics = []Metric{
	{
		Name: "messages", Unit: UnitCount, Scope: ScopeMessages,
		Help:      "Messages scheduled in the window.",
		Formula:   "n",
		Undecided: "never",
	},
	{
		Name: "success_rate", Unit: UnitRatio, Better: HigherIsBetter, Scope: ScopeMessages,
		Help:      "Share of answered messages whose caller was told they are stored, with whatever status.",
		Formula:   "(SEND_OK + other statuses) / answered",
		Undecided: noMessage,
	},
	{
		Name: "first_attempt_success_rate", Unit: UnitRatio, Better: HigherIsBetter, Scope: ScopeMessages,
		Help:      "Share of answered messages whose first attempt did not fail.",
		Formula:   "1 - first attempts failed / answered",
		Undecided: noMessage,
	},
	{
		Name: "retry_success_rate", Unit: UnitRatio, Scope: ScopeMessages,
		Help:      "Share of answered messages that took more than one attempt and ended with SEND_OK.",
		Formula:   "SEND_OK with attempts > 1 / answered",
		Undecided: noMessage,
	},
	status("weaker_status", "a weaker status than SEND_OK: stored, but not as safely as asked"),
	status("flush_disk_timeout", "FLUSH_DISK_TIMEOUT"),
	status("flush_slave_timeout", "FLUSH_SLAVE_TIMEOUT"),
	status("slave_not_available", "SLAVE_NOT_AVAILABLE"),
	{
		Name: "failed_first_attempt_mean", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Help: "Mean length of the first attempts that failed: what they cost before a retry could " +
			"begin, or the send failed.",
		Formula:   "sum / first attempts failed",
		Undecided: "no first attempt failed in the window",
	},
	{
		Name: "failed", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages whose send ended in an exception.",
		Formula:   "count",
		Undecided: noMessage,
	},
	{
		Name: "attempts_per_message", Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Attempts made for the answered messages, per message.",
		Formula:   "attempts / answered",
		Undecided: noMessage,
	},
	{
		Name: "latency_mean", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Mean time from the intended send time to the answer, waits and retries included.",
		Formula:   "sum / answered",
		Undecided: noMessage,
	},
	quantile("latency_p50", 0.50, "median"),
	quantile("latency_p95", 0.95, "95th percentile"),
	quantile("latency_p99", 0.99, "99th percentile"),
	quantile("latency_p999", 0.999, "99.9th percentile"),
	{
		Name: "latency_max", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Longest time from the intended send time to the answer.",
		Formula:   "max",
		Undecided: noMessage,
	},
	{
		Name: "lost", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages that were stored and of which no copy is left.",
		Formula:   "count of fate lost at the end of the run",
		Undecided: noMessage,
	},
	{
		Name: "stranded", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages left only on a replica that never serves them again.",
		Formula:   "count of fate stranded at the end of the run",
		Undecided: noMessage,
	},
	{
		Name: "acked_lost", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages acknowledged to the caller and then lost or stranded.",
		Formula:   "count of (lost or stranded) and acknowledged",
		Undecided: noMessage,
	},
	{
		Name: "extra_copies", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Stored copies beyond the first of each message: what a consumer sees twice.",
		Formula:   "sum over messages of max(0, copies stored - 1)",
		Undecided: noMessage,
	},
	{
		Name: "failed_stored", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages whose caller got an exception although a copy is stored.",
		Formula:   "count of failed and (at risk or durable)",
		Undecided: noMessage,
	},
	{
		Name: "broker_share", Unit: UnitRatio, Scope: ScopeBroker,
		Help:      "Share of the attempts that went to the broker.",
		Formula:   "attempts to the broker / attempts",
		Undecided: "no attempt in the window",
	},
	{
		Name: "broker_attempts_failed", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeBroker,
		Help:      "Attempts to the broker that failed.",
		Formula:   "count",
		Undecided: "no attempt in the window",
	},
	{
		Name: "broker_utilisation", Unit: UnitRatio, Scope: ScopeBroker,
		Help:      "Share of the time of the master's send threads that they were in use.",
		Formula:   "busy time of all threads / (threads * time)",
		Undecided: "never",
	},
	{
		Name: "broker_queue_mean", Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeBroker,
		Help:      "Mean number of sends that waited for a send thread of the master.",
		Formula:   "time waited by all sends / time",
		Undecided: "never",
	},
	{
		Name: "busy_replies", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeBroker,
		Help: "Sends that the master refused for being busy: queue full, waited for too long, page " +
			"cache busy, pool empty.",
		Formula:   "count",
		Undecided: "never",
	},
	{
		Name: "at_risk_max", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeCluster,
		Help: "The most messages, at any time, that were in their master's page cache and not on its " +
			"disk; a slave may have them, even on its disk.",
		Formula:   "max over time of the messages at risk",
		Undecided: "never",
	},
	{
		Name: "unreadable_max", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeCluster,
		Help: "The most messages, stored in the run and not lost, that no replica served, because none " +
			"that has them ran, or none that producers reach: consumers, which are taken to stand where " +
			"the producers do, had to wait if they had not read them.",
		Formula: "max over time of the unreadable messages, looked at after each event of a process " +
			"and each window",
		Undecided: "never",
	},
	timeTo("time_to_detect", "first failed attempt, or first isolating table entry, of a broker of the fault"),
	timeTo("time_to_avoid", "first instant the instance's fault table refuses a broker of the fault"),
	timeTo("time_to_route_removal", "instant the instance's publish list lacks a broker of the fault"),
	{
		Name: "time_to_return", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeFault,
		Help: "From the end of the fault to the last instant an instance still refuses the broker or " +
			"lacks it in its publish list: the last instance, the slowest broker. Isolations that no " +
			"fault explains don't count.",
		Formula: "max over instances and brokers",
		Undecided: "the fault did not end in the run, or a broker is still avoided when the run ends " +
			"within the limit",
	},
}

func quantile(name string, q float64, words string) Metric {
	return Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages, Quantile: q,
		Help: "Time from the intended send time to the answer, " + words +
			" (nearest rank), failures included.",
		Formula: "smallest x with count(<= x) >= q n; decided by count(> limit) <= n - ceil(q n)",
		Undecided: "fewer than 10/(1-q) messages in the window, " +
			"so fewer than ten are expected beyond the quantile",
	}
}

func status(name, words string) Metric {
	return Metric{
		Name: name, Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages acknowledged with " + words + ".",
		Formula:   "count",
		Undecided: noMessage,
	}
}

func timeTo(name, until string) Metric {
	return Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeFault,
		Help:      "From the start of the fault to the " + until + ": the last instance, the slowest broker.",
		Formula:   "max over instances and brokers",
		Undecided: "the fault never began, or it has not happened when the run ends within the limit",
	}
}
