package result

import (
	"slices"
	"strconv"
)

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
	// ScopeBalance: the brokers or queues of a topic in a phase or window (during, from/to; topic narrows it to
	// one, else it is the worst).
	ScopeBalance
	// ScopeRecovery: the time after one fault (fault is required).
	ScopeRecovery
)

// OfFault says whether a metric of the scope is about one fault.
func (s Scope) OfFault() bool { return s == ScopeFault || s == ScopeRecovery }

// Sample is what times a metric is a statistic of.
type Sample uint8

// Samples.
const (
	// SampleAnswers: of each answered message, from the intended send time to the answer.
	SampleAnswers Sample = iota
	// SampleAttemptsOK and SampleAttemptsFailed: of each attempt that began in the window and ended,
	// for a message of the breakdown, from its beginning to its end.
	SampleAttemptsOK
	SampleAttemptsFailed
	// SampleFirstFailed: of each answered message whose first attempt failed, how long that took.
	SampleFirstFailed
	// SampleWaits: of each answered message, from the intended send time until a thread took it.
	SampleWaits
	// SampleAttempts: SampleAttemptsOK and SampleAttemptsFailed together.
	SampleAttempts
)

// Statistic is which number of a sample a metric is.
type Statistic uint8

// Statistics. StatNone is a metric that counts.
const (
	StatNone Statistic = iota
	StatMean
	StatQuantile
	StatMax
)

// Metric is one entry of the registry.
type Metric struct {
	Name   string
	Unit   Unit
	Better Direction
	Scope  Scope
	// Of and Stat say which statistic of which times it is, if Stat is not StatNone; Quantile is above 0
	// for StatQuantile.
	Of        Sample
	Stat      Statistic
	Quantile  float64
	Help      string // one sentence: what it is, from when to when
	Formula   string
	Undecided string // what makes an expectation on it undecided
}

// AfterFault says whether the metric looks at what comes after the end of a fault.
func (m Metric) AfterFault() bool {
	return m.Name == "time_to_return" || m.Name == "starved_time" || m.Scope == ScopeRecovery
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

var metrics = slices.Concat(
	messageMetrics, serviceMetrics(), brokerMetrics, brokerCountMetrics(), balanceMetrics(), clusterMetrics,
	faultMetrics, aftermathMetrics(),
)

var messageMetrics = []Metric{
	{
		Name: "messages", Unit: UnitCount, Scope: ScopeMessages,
		Help:      "Messages scheduled in the window.",
		Formula:   "n",
		Undecided: "never",
	},
	{
		Name: "success_rate", Unit: UnitRatio, Better: HigherIsBetter, Scope: ScopeMessages,
		Help: "Share of answered messages whose caller got no exception: told that they are stored, with " +
			"whatever status, or handed over one-way.",
		Formula:   "(SEND_OK + other statuses + handed over) / answered",
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
		Of: SampleFirstFailed, Stat: StatMean,
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
		Name: "handed_over", Unit: UnitCount, Scope: ScopeMessages,
		Help: "One-way messages that the client handed over: a success to the caller, which is told no " +
			"more, and no acknowledgement.",
		Formula:   "count",
		Undecided: noMessage,
	},
	{
		Name: "handed_over_missed", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help: "One-way messages that the client handed over and of which nothing is left: the broker " +
			"refused them, or they never came to it, or they were lost or stranded. Nobody is told.",
		Formula:   "count of handed over and (never stored, lost or stranded) at the end of the run",
		Undecided: noMessage,
	},
	{
		Name: "attempts_per_message", Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeMessages,
		Help: "Attempts sent for the answered messages, per message: how many times the load that the " +
			"callers ask for comes to the brokers. " + sentMeans,
		Formula:   "attempts sent / answered",
		Undecided: noMessage,
	},
	{
		Name: "amplification", Unit: UnitPer, Better: LowerIsBetter, Scope: ScopeMessages,
		Help: "Load amplification: attempts sent in the window, retries and resends of earlier messages " +
			"included, per message scheduled: how many times the load that callers ask for comes to the " +
			"brokers. " + sentMeans,
		Formula:   "attempts sent that began in the window / messages scheduled in it",
		Undecided: noMessage,
	},
	{
		Name: "effective_retries", Unit: UnitPer, Scope: ScopeMessages,
		Help: "Attempts sent beyond the first, per answered message whose first attempt failed: what is left " +
			"of the retries that are configured once the time of the send has run out. " + sentMeans,
		Formula: "sum of attempts sent beyond the first of each send / messages whose first attempt " +
			"failed",
		Undecided: "no first attempt failed in the window",
	},
	{
		Name: "resends", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Sends that callers made of messages whose send before had failed (on_failure).",
		Formula:   "sum of sends beyond the first",
		Undecided: noMessage,
	},
	{
		Name: "resent", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help:      "Messages that callers sent more than once.",
		Formula:   "count of messages with a resend",
		Undecided: noMessage,
	},
	{
		Name: "double_callbacks", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeMessages,
		Help: "Messages whose callback ran more than once: the client told of one asynchronous send " +
			"twice.",
		Formula:   "count of callbacks > 1",
		Undecided: noMessage,
	},
	{
		Name: "latency_mean", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Of: SampleAnswers, Stat: StatMean,
		Help:      "Mean time from the intended send time to the answer, waits and retries included.",
		Formula:   "sum / answered",
		Undecided: noMessage,
	},
	quantile("latency_p50", 0.50),
	quantile("latency_p95", 0.95),
	quantile("latency_p99", 0.99),
	quantile("latency_p999", 0.999),
	{
		Name: "latency_max", Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Of: SampleAnswers, Stat: StatMax,
		Help:      "Longest time from the intended send time to the answer.",
		Formula:   "max",
		Undecided: noMessage,
	},
	timing("thread_wait_mean", SampleWaits, StatMean, 0),
	timing("thread_wait_p99", SampleWaits, StatQuantile, 0.99),
	timing("thread_wait_max", SampleWaits, StatMax, 0),
	timing("attempt_latency_mean", SampleAttempts, StatMean, 0),
	timing("attempt_latency_p50", SampleAttempts, StatQuantile, 0.50),
	timing("attempt_latency_p95", SampleAttempts, StatQuantile, 0.95),
	timing("attempt_latency_p99", SampleAttempts, StatQuantile, 0.99),
	timing("attempt_latency_p999", SampleAttempts, StatQuantile, 0.999),
	timing("attempt_latency_max", SampleAttempts, StatMax, 0),
	timing("ok_attempt_latency_mean", SampleAttemptsOK, StatMean, 0),
	timing("ok_attempt_latency_p50", SampleAttemptsOK, StatQuantile, 0.50),
	timing("ok_attempt_latency_p99", SampleAttemptsOK, StatQuantile, 0.99),
	timing("ok_attempt_latency_max", SampleAttemptsOK, StatMax, 0),
	timing("failed_attempt_latency_mean", SampleAttemptsFailed, StatMean, 0),
	timing("failed_attempt_latency_p50", SampleAttemptsFailed, StatQuantile, 0.50),
	timing("failed_attempt_latency_p99", SampleAttemptsFailed, StatQuantile, 0.99),
	timing("failed_attempt_latency_max", SampleAttemptsFailed, StatMax, 0),
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
}

var brokerMetrics = []Metric{
	{
		Name: "broker_share", Unit: UnitRatio, Scope: ScopeBroker,
		Help:      "Share of the attempts sent that went to the broker. " + sentMeans,
		Formula:   "attempts sent to the broker / attempts sent",
		Undecided: "no attempt in the window",
	},
	{
		Name: "broker_attempts_failed", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeBroker,
		Help:      "Attempts to the broker that failed, sent or not.",
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
}

var clusterMetrics = []Metric{
	{
		Name: "at_risk_max", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeCluster,
		Help: "The most messages, at any time, that were in their master's page cache and not on its " +
			"disk; a slave may have them, even on its disk.",
		Formula:   "max over time of the messages at risk",
		Undecided: "never",
	},
	{
		Name: "bytes_at_risk_max", Unit: UnitCount, Better: LowerIsBetter, Scope: ScopeCluster,
		Help: "The most bytes, at any time, of messages that were in their master's page cache and not on its " +
			"disk; a slave may have them, even on its disk.",
		Formula:   "max over time of the bytes at risk",
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
}

var faultMetrics = []Metric{
	timeTo("time_to_detect", "first failed attempt, or first isolating table entry, of a broker of the fault"),
	timeTo("time_to_avoid", "first instant the instance's fault table refuses a broker of the fault, "+
		"over instances whose avoidance is on, if any is"),
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

func quantile(name string, q float64) Metric {
	return Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages,
		Of: SampleAnswers, Stat: StatQuantile, Quantile: q,
		Help: "Time from the intended send time to the answer, " + quantileWords(q) +
			" (nearest rank), failures included.",
		Formula:   quantileFormula,
		Undecided: "fewer than 10/(1-q) messages in the window, " + tooFew,
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

// sentMeans says which attempts count as load.
const sentMeans = "An attempt is sent if the client wrote its request or tried to connect for it; one that " +
	"it gave up before (no time left, no address known) is none."

func timeTo(name, until string) Metric {
	return Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeFault,
		Help:      "From the start of the fault to the " + until + ": the last instance, the slowest broker.",
		Formula:   "max over instances and brokers",
		Undecided: "the fault never began, or it has not happened when the run ends within the limit",
	}
}

const (
	quantileFormula = "smallest x with count(<= x) >= q n; decided by count(> limit) <= n - ceil(q n)"
	tooFew          = "so fewer than ten are expected beyond the quantile"
)

// timing is a metric of how long attempts took, or messages waited for a thread.
func timing(name string, of Sample, stat Statistic, q float64) Metric {
	m := Metric{
		Name: name, Unit: UnitNS, Better: LowerIsBetter, Scope: ScopeMessages, Of: of, Stat: stat,
		Quantile: q,
	}
	what, some := "Time from the beginning of an attempt to its end, connecting and waiting included, of ",
		"attempts"
	switch of {
	case SampleWaits:
		what, some = "Time from the intended send time until a thread took the message, of ",
			"answered messages"
	case SampleAttemptsOK:
		some = "attempts that did not fail"
	case SampleAttemptsFailed:
		some = "attempts that failed"
	case SampleAnswers, SampleAttempts, SampleFirstFailed:
	}
	m.Undecided = "no such attempt began in the window and ended"
	if of == SampleWaits {
		m.Undecided = noMessage
	}
	switch stat {
	case StatMean:
		m.Help, m.Formula = what+some+": mean.", "sum / "+some
	case StatMax:
		m.Help, m.Formula = what+some+": the longest.", "max"
	case StatQuantile:
		m.Help = what + some + ": " + quantileWords(q) + " (nearest rank)."
		m.Formula = quantileFormula
		m.Undecided = "fewer than 10/(1-q) " + some + " in the window, " + tooFew
	case StatNone:
	}
	return m
}

// quantileWords name a quantile.
func quantileWords(q float64) string {
	if q == 0.5 {
		return "median"
	}
	return strconv.FormatFloat(100*q, 'f', -1, 64) + "th percentile"
}
