// Package result is what a run leaves behind: plain data with its JSON, the registry of metrics and
// the names of phases. It knows neither how a run is made nor how it is shown.
//
// Units are in the names: _ns is nanoseconds, a share or a rate is a number from 0 to 1, everything
// else is a count. A value that does not exist (a quantile of no messages, a "time to" that never
// came) is absent from the JSON, never zero.
package result

// Schema is the version of the JSON and CSV layout; it changes when a field changes its meaning.
const Schema = 4

// Run is one simulated run: one scenario, one variant, one seed. It is summary.json.
type Run struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	// Variant is the name of the variant of it; empty: the scenario as it stands.
	Variant string `json:"variant,omitempty"`
	// Story is the first comment line of the scenario file: what it is about.
	Story string `json:"story,omitempty"`
	Seed  uint64 `json:"seed"`
	// Key is the first 8 hex digits of the hash of effective scenario and seed.
	Key string `json:"key"`
	// Digest is the 16 hex digits hash of everything observed: messages with attempts and fate,
	// table changes, copies. Same scenario, seed and binary: same digest.
	Digest string `json:"digest"`
	// Complete is false when the run was interrupted before its end.
	Complete    bool  `json:"complete"`
	DurationNS  int64 `json:"duration_ns"`
	WarmupNS    int64 `json:"warmup_ns"`
	SimulatedNS int64 `json:"simulated_ns"`

	Setup   Setup    `json:"setup"`
	Phases  []Phase  `json:"phases"`
	Stats   []Stats  `json:"stats"`
	Brokers []Broker `json:"brokers"`
	// Availability has a row for each phase and all, each producer group and each topic; Balance for each
	// phase, topic, and its brokers and queues.
	Availability []Availability `json:"availability"`
	Balance      []Balance      `json:"balance"`
	// Exposures are the phases' highest points of what stands on one leg.
	Exposures []Exposure `json:"exposures"`
	Faults    []Fault    `json:"faults"`
	Ledger    Ledger     `json:"ledger"`
	// Exemplars are messages worth looking at, by kind.
	Exemplars []Exemplar `json:"exemplars"`
	// Sample is a choice of sends for a figure; the sends themselves are stored in sample.csv.
	Sample SendSample `json:"sample"`
	// IsolationsDropped is how many stretches there was no room for in Isolations: the later ones.
	IsolationsDropped int64 `json:"isolations_dropped,omitempty"`
	// Expectations in the order of the scenario file.
	Expectations []Expectation `json:"expectations"`
	// Verdict sums the expectations up.
	Verdict Verdict `json:"verdict"`
	// Warnings are sentences for the reader: what to doubt, and why.
	Warnings []string `json:"warnings,omitempty"`
	// NotModelled lists what the model leaves out that could matter to a reader of this run.
	NotModelled []string `json:"not_modelled,omitempty"`

	// Series is stored apart, in timeseries.csv; so are the others below, each in a file of its own.
	Series     Series          `json:"-"`
	Spectra    []Spectrum      `json:"-"`
	Isolations []Isolation     `json:"-"`
	Queues     []QueueCount    `json:"-"`
	Instances  []InstanceCount `json:"-"`
	// Stories are the lives of the exemplars, in their order, found by making the run again; empty if nobody
	// asked for them. They are stored in stories.json.
	Stories []Story `json:"-"`
	// Events is the number of events the engine ran; it is stored in the manifest.
	Events int64 `json:"-"`
}

// Setup is the world in brief, for headers and captions.
type Setup struct {
	NameServers []string        `json:"name_servers"`
	Brokers     []SetupBroker   `json:"brokers"`
	Topics      []SetupTopic    `json:"topics"`
	Producers   []SetupProducer `json:"producers"`
	// Start says how the producers' life begins ("cold, over 10s"); empty: in the middle of it.
	Start string `json:"start,omitempty"`
	// ZoneLinks are the ways between zones that take other than the usual time: "east–west 5ms".
	ZoneLinks []string `json:"zone_links,omitempty"`
	// Places are the zones and the named hosts, with what runs there.
	Places []SetupPlace `json:"places,omitempty"`
}

// SetupPlace is a zone, or a host with the zone that it stands in, if it stands in one. Runs are the
// processes there ("a:0", "name_server:n1", "producer:p#3"); those of the hosts of a zone are not repeated.
type SetupPlace struct {
	Zone string   `json:"zone,omitempty"`
	Host string   `json:"host,omitempty"`
	Runs []string `json:"runs,omitempty"`
}

// SetupBroker is one broker name.
type SetupBroker struct {
	Name          string `json:"name"`
	Release       string `json:"release"`
	Slaves        int    `json:"slaves"`
	BrokerRole    string `json:"broker_role"`
	FlushDiskType string `json:"flush_disk_type"`
	SendThreads   int    `json:"send_threads"`
	Service       string `json:"service"`
}

// SetupTopic is one topic; WriteQueueNums is per broker.
type SetupTopic struct {
	Name           string   `json:"name"`
	WriteQueueNums int      `json:"write_queue_nums"`
	Brokers        []string `json:"brokers"`
}

// SetupProducer is one producer group.
type SetupProducer struct {
	Name    string `json:"name"`
	Client  string `json:"client"`
	Count   int    `json:"count"`
	Threads int    `json:"threads"`
	// Rate is of messages, 0 if the load is closed or recorded; Load says in words how they come into
	// being: "Poisson, bursts ×5 for 5s every 60s", "closed loop of 64 threads, think 10ms".
	Rate   float64      `json:"rate_per_s"`
	Load   string       `json:"load"`
	Topics []SetupShare `json:"topics"`
	// Batch is how many messages a send carries.
	Batch int `json:"batch"`
	// Mode is "sync", "async" or "oneway". Choice is who picks the queue: "policy", "queue" (Queue,
	// "a:0"), "hash" (of one of Keys keys, 0 is one for each message), "random" or "machine-room".
	Mode   string `json:"mode"`
	Choice string `json:"queue_choice"`
	Queue  string `json:"queue,omitempty"`
	Keys   int    `json:"keys,omitempty"`
	// OnFailure is what callers do about a failed send: "drop", "resend up to 3 times after 1s".
	OnFailure string `json:"on_failure"`
	Policy    string `json:"policy"`
	// Avoidance is sendLatencyFaultEnable.
	Avoidance bool `json:"send_latency_fault_enable"`
	// SendMsgTimeoutNS is sendMsgTimeout, RetriesSync and RetriesAsync are retryTimesWhenSendFailed and
	// retryTimesWhenSendAsyncFailed. Retries is how many attempts after the first there may be, in this
	// mode and with this choice of queues.
	SendMsgTimeoutNS       int64   `json:"send_msg_timeout_ns"`
	RetriesSync            int     `json:"retry_times_when_send_failed"`
	RetriesAsync           int     `json:"retry_times_when_send_async_failed"`
	Retries                int     `json:"retries"`
	LatencyMaxNS           []int64 `json:"latency_max_ns"`
	NotAvailableDurationNS []int64 `json:"not_available_duration_ns"`
}

// SetupShare is a topic with its share of a group's messages, 0..1.
type SetupShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Phase is a stretch of the run. Messages belong to the phase in which they were scheduled; one that
// was in flight when a fault began belongs to the fault.
type Phase struct {
	// Name is "warm-up", "before", "fault.NAME", "recovery.NAME" or "all" (all but the warm-up).
	Name   string `json:"name"`
	FromNS int64  `json:"from_ns"`
	ToNS   int64  `json:"to_ns"`
}

// Dimension is what a Stats row is about.
type Dimension string

// Dimensions of Stats rows.
const (
	DimAll      Dimension = "all"
	DimProducer Dimension = "producer"
	DimTopic    Dimension = "topic"
)

// Stats are the messages of one phase, all of them or those of one producer group or topic.
// Messages = OK + OKStatus + Handed + Failed + InFlight, and the fates sum to Messages too.
type Stats struct {
	Phase string    `json:"phase"`
	Dim   Dimension `json:"dimension"`
	Name  string    `json:"name,omitempty"`

	Messages int64 `json:"messages"`
	// OK counts SEND_OK answers, OKFirst those of them that took one attempt only.
	OK      int64 `json:"ok"`
	OKFirst int64 `json:"ok_first_attempt"`
	// OKStatus counts answers with a weaker status than SEND_OK: stored, but not as safely as asked.
	// Statuses splits it (FLUSH_DISK_TIMEOUT and the like), by falling count, then name.
	OKStatus int64   `json:"ok_other_status"`
	Statuses []Count `json:"other_statuses,omitempty"`
	// Handed counts one-way messages, which the client handed over without asking for an answer: to the
	// caller a success, but no acknowledgement. HandedMissed are those of them of which nothing is left
	// that will be served: never stored, lost or stranded.
	Handed       int64 `json:"handed_over"`
	HandedMissed int64 `json:"handed_over_missed"`
	Failed       int64 `json:"failed"`
	InFlight     int64 `json:"in_flight"`
	// FirstFailed counts the messages whose first attempt failed, whatever came after; FirstFailedTook
	// is how long those attempts took: what they cost before a retry could begin.
	FirstFailed     int64   `json:"first_attempt_failed"`
	FirstFailedTook Latency `json:"first_attempt_failed_took"`
	// Exceptions splits Failed by what the caller caught, with the name of the code if it has one
	// ("MQBrokerException SYSTEM_BUSY"), by falling count, then name.
	Exceptions []Count `json:"exceptions,omitempty"`
	// Attempts are those made for the answered messages, UnsentAttempts those of them that the client gave up
	// before it wrote a request or tried to connect.
	Attempts       int64 `json:"attempts"`
	UnsentAttempts int64 `json:"unsent_attempts,omitempty"`
	// AttemptsSent are the attempts that began in the phase (one that was under way when a fault began counts
	// for the fault), are over, and went towards a broker, for whatever message: resends and the retries of
	// earlier phases' messages included.
	AttemptsSent int64 `json:"attempts_sent"`
	// AttemptCounts[k] are the answered messages that took k attempts, from 0; the last are those with that
	// many or more.
	AttemptCounts []int64 `json:"attempt_counts,omitempty"`
	// Retries are the attempts beyond the first of each send, UnsentRetries the unsent ones of them.
	// EffectiveRetries is the others by messages whose first attempt failed; nil if none did.
	Retries          int64    `json:"retries"`
	UnsentRetries    int64    `json:"unsent_retries,omitempty"`
	EffectiveRetries *float64 `json:"effective_retries,omitempty"`
	// Resends are the sends beyond the first that callers made of messages that had failed, Resent the
	// messages of which there was any. DoubleCallbacks are messages whose callback ran more than once.
	Resends         int64 `json:"resends"`
	Resent          int64 `json:"resent"`
	DoubleCallbacks int64 `json:"double_callbacks"`

	// Latency is from the intended send time to the answer, successes and failures alike.
	Latency Latency `json:"latency"`
	// ThreadWait is the part of it in which the message waited for a thread.
	ThreadWait Latency `json:"thread_wait"`
	// AttemptLatency is of the attempts that began in the phase (one that was under way when a fault
	// began counts for the fault) and ended; OK and Failed are of those that ended so.
	AttemptLatency       Latency `json:"attempt_latency"`
	AttemptLatencyOK     Latency `json:"attempt_latency_ok"`
	AttemptLatencyFailed Latency `json:"attempt_latency_failed"`

	// AvoidedNS is the time that the fault tables of the producers refused brokers, summed over instances
	// and brokers; nil in a row of a topic, which has no table.
	AvoidedNS *int64 `json:"avoided_ns,omitempty"`

	// Fates of the messages at the end of the run.
	NeverStored int64 `json:"never_stored"`
	AtRisk      int64 `json:"at_risk"`
	Durable     int64 `json:"durable"`
	Stranded    int64 `json:"stranded"`
	Lost        int64 `json:"lost"`
	// AckedLost is the part of Lost and Stranded whose caller was told it is stored.
	AckedLost int64 `json:"acked_lost"`
	// FailedStored counts messages answered with a failure though a copy is stored.
	FailedStored int64 `json:"failed_stored"`
	// ExtraCopies counts stored copies beyond the first of each message: duplicates for a consumer.
	ExtraCopies int64 `json:"extra_copies"`
}

// SentAttempts are the attempts that went towards a broker.
func (s *Stats) SentAttempts() int64 { return s.Attempts - s.UnsentAttempts }

// Answered is the number of messages whose caller was told something.
func (s *Stats) Answered() int64 { return s.OK + s.OKStatus + s.Handed + s.Failed }

// OKRetry is the number of SEND_OK answers that took more than one attempt. With OKFirst, OKStatus,
// Handed and Failed it sums to Answered.
func (s *Stats) OKRetry() int64 { return s.OK - s.OKFirst }

// Count is a named number.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Latency summarises latencies. Quantiles are nearest rank, from a histogram of 3 digits; a
// quantile with fewer than ten messages beyond it is flagged in Thin.
type Latency struct {
	N      int64 `json:"n"`
	MeanNS int64 `json:"mean_ns,omitempty"`
	P50NS  int64 `json:"p50_ns,omitempty"`
	P95NS  int64 `json:"p95_ns,omitempty"`
	P99NS  int64 `json:"p99_ns,omitempty"`
	P999NS int64 `json:"p999_ns,omitempty"`
	MaxNS  int64 `json:"max_ns,omitempty"`
	// Thin names the quantiles above ("p99", "p999") with fewer than ten messages beyond them.
	Thin []string `json:"thin,omitempty"`
}

// Broker is one broker name seen from the producers, in one phase: attempts, not messages. An attempt
// belongs to the phase in which it began; if it was under way when a fault began, to the fault.
type Broker struct {
	Phase string `json:"phase"`
	Name  string `json:"name"`
	// Attempts made to it; Unsent are those that the client gave up before it wrote a request or tried to
	// connect; Share are the others as a share of those of the phase.
	Attempts int64   `json:"attempts"`
	Unsent   int64   `json:"unsent,omitempty"`
	Share    float64 `json:"share"`
	Failed   int64   `json:"failed"`
	// Outcomes splits Failed by outcome, error answers by the name of their code (SYSTEM_BUSY), by
	// falling count, then name. Statuses are the weaker statuses among the attempts that did not fail.
	Outcomes []Count `json:"outcomes,omitempty"`
	Statuses []Count `json:"statuses,omitempty"`
	// Latency of attempts that succeeded.
	Latency Latency `json:"latency"`
	// Isolations counts table updates that made it unavailable, False those of them that no fault
	// explains: none had its hand on the broker while the attempt was under way. (A fault that stops a
	// process has its hand on it until it serves again.) AvoidedNS is the time it was avoided, summed
	// over producer instances.
	Isolations int64 `json:"isolations"`
	False      int64 `json:"false_isolations"`
	AvoidedNS  int64 `json:"avoided_ns"`
	// Utilisation is the share of the time of the master's send threads that they were in use, Queue the
	// mean number of sends that waited for one.
	Utilisation float64 `json:"utilisation"`
	Queue       float64 `json:"queue_mean"`
	// BusyReplies counts the sends that it refused for being busy; Refused splits all that it refused by
	// reason, by falling count, then name.
	BusyReplies int64   `json:"busy_replies"`
	Refused     []Count `json:"refused,omitempty"`
	// Probes are the detector's requests to it, ProbesFailed those that were not answered in time, ProbeNS
	// the time that they took, summed.
	Probes       int64 `json:"probes,omitempty"`
	ProbesFailed int64 `json:"probes_failed,omitempty"`
	ProbeNS      int64 `json:"probe_ns,omitempty"`
	// UnsyncedBytesMax is the most that its master had in memory only, at any time, UnreadableMax the most of
	// its messages that no replica served.
	UnsyncedBytesMax int64 `json:"unsynced_bytes_max"`
	UnreadableMax    int64 `json:"unreadable_max"`
	// Fallbacks are attempts sent to it although the table of the instance refused it: the selector found
	// nothing else.
	Fallbacks int64 `json:"fallbacks,omitempty"`
}

// Exposure is the most that stood on one leg at any time of a phase.
type Exposure struct {
	Phase string `json:"phase"`
	// AtRisk are messages that are in their master's page cache and not on its disk, AtRiskBytes what
	// they take; a slave may have them.
	AtRisk      int64 `json:"at_risk_max"`
	AtRiskBytes int64 `json:"at_risk_max_bytes"`
	// Unreadable are messages stored in the run and not lost that no replica serves, because all that
	// have them do not run, or no producer reaches them: consumers stand where they do. A consumer that
	// has not read them has to wait.
	Unreadable int64 `json:"unreadable_max"`
}

// Fault is what came of one planned fault.
type Fault struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Detail says in a few words how hard it strikes, and how often: "×50, +20ms"; empty if there is
	// nothing to say.
	Detail string `json:"detail,omitempty"`
	// Targets are all processes that feel it, To the other side of a fault of the network or the name
	// servers that it is about.
	Targets []string `json:"targets"`
	To      []string `json:"to,omitempty"`
	FromNS  int64    `json:"from_ns"`
	// ToNS is the end of the fault, or of the run when the fault outlasts it.
	ToNS int64 `json:"to_ns"`
	// Began is false when the run ended first.
	Began bool `json:"began"`
	// Strikes is how often it struck, HeldNS how long it had its hand on anything, in all. Spans are the
	// first 200 strikes of a fault that can strike more than once, from and to.
	Strikes int        `json:"strikes"`
	HeldNS  int64      `json:"held_ns"`
	Spans   [][2]int64 `json:"spans_ns,omitempty"`
	// DownNS is how long one of the processes that it stops did not serve, from a strike until it had
	// started again, of a fault that can strike more than once. Downs are the first 200 such stretches.
	DownNS int64      `json:"down_ns,omitempty"`
	Downs  [][2]int64 `json:"downs_ns,omitempty"`
	// Effects has a row for each broker that it strikes, or whose slave it strikes.
	Effects []FaultEffect `json:"effects"`
	// Baseline is the way back after it; nil if it did not end in the run.
	Baseline *Baseline `json:"return_to_baseline,omitempty"`
}

// FaultEffect is how the producers took a fault of one broker. The pairs are over producer
// instances: the median one and the last one; a time that some of them never reached is counted in
// Reached out of Instances, and the median or maximum is absent when it would fall on one of those.
type FaultEffect struct {
	Broker string `json:"broker"`
	// Detect: from the start of the fault to the first failed attempt or table entry for the broker
	// that the fault explains.
	Detect Spread `json:"time_to_detect"`
	// Avoid: from the start of the fault to the first instant the instance's table refuses it, over the
	// instances whose avoidance is on.
	Avoid Spread `json:"time_to_avoid"`
	// RouteGone: from the start of the fault until the instance's publish list lacks the broker.
	RouteGone Spread `json:"time_to_route_removal"`
	// Return: from the end of the fault to the last instant the instance's table refuses it, or its
	// publish list lacks it; refusals by isolations that no fault explains (see Broker.False) don't
	// count. Of a broker that fails again, up to the next fault.
	Return Spread `json:"time_to_return"`
	// FailedAttempts counts failed attempts to this broker that were under way while the fault lasted.
	FailedAttempts int64 `json:"failed_attempts"`
	// Attempts counts all attempts to this broker that were under way while the fault lasted,
	// AvoidingAttempts those of producers with avoidance on; Avoiding is how many producer instances with
	// avoidance on have a topic with queues on it.
	Attempts         int64 `json:"attempts"`
	AvoidingAttempts int64 `json:"avoiding_attempts"`
	Avoiding         int   `json:"avoiding_instances"`
	// BytesLost is what it destroyed of what was in the memory of its master.
	BytesLost int64 `json:"bytes_lost"`
	// Strikes and HeldNS are those of the broker: see Fault. The times above count from its first
	// strike, and from the end of its last.
	Strikes int   `json:"strikes"`
	HeldNS  int64 `json:"held_ns"`
	// AvoidedNS is how long the tables of the instances with avoidance on refused the broker from the first
	// strike on, summed over instances; StarvedNS the part of it after the end of the fault: traffic that a
	// healthy broker did not get.
	AvoidedNS int64 `json:"avoided_ns"`
	StarvedNS int64 `json:"starved_ns"`
}

// Spread is a duration over producer instances.
type Spread struct {
	Instances int `json:"instances"`
	Reached   int `json:"reached"`
	// MedianNS and MaxNS are nil when they do not exist (see FaultEffect).
	MedianNS *int64 `json:"median_ns,omitempty"`
	MaxNS    *int64 `json:"max_ns,omitempty"`
}

// Ledger is the account of all messages at the end of the run, warm-up included: what callers were
// told (rows) against what became of the message (columns). Each margin sums to Sent.
type Ledger struct {
	Sent int64       `json:"sent"`
	Rows []LedgerRow `json:"rows"`
	// Losses says what took the messages that are stranded or lost at the end, in the order in which
	// it happened first; they sum to them.
	Losses []Loss `json:"losses,omitempty"`
	// ExtraCopies is counted beside the fates. Extras says how they came about, by falling count; they
	// sum to it.
	ExtraCopies int64   `json:"extra_copies"`
	Extras      []Extra `json:"extras,omitempty"`
}

// Loss counts messages that one cause took from one broker during one fault.
type Loss struct {
	// Fault is the fault's name, empty if none was behind it.
	Fault  string `json:"fault,omitempty"`
	Broker string `json:"broker"`
	// Cause is what took the last copy that would be served: "page cache", "store pool", "fsync lied",
	// "fsync failed" or "disk gone".
	Cause string `json:"cause"`
	// Fate is "lost" or "stranded".
	Fate string `json:"fate"`
	N    int64  `json:"n"`
	// Acked is how many of them the caller was told are stored.
	Acked int64 `json:"acked"`
	// FirstNS and LastNS are when the first and the last came to that fate. (One that a late copy
	// brought back leaves its mark here, but does not count.)
	FirstNS int64 `json:"first_ns"`
	LastNS  int64 `json:"last_ns"`
}

// Extra counts copies stored beyond the first of their message, on one broker and for one reason: the
// client made another attempt, although the one before had stored a copy or would still do so.
type Extra struct {
	Broker string `json:"broker"`
	// GaveUp is how the earlier of the two attempts ended for the client: an outcome, or a weaker
	// status that it retries on.
	GaveUp string `json:"gave_up"`
	// Late is true if the copy is of the earlier attempt: it came after that of the retry.
	Late bool  `json:"late"`
	N    int64 `json:"n"`
}

// LedgerRow is one answer: "in flight", "SEND_OK", another send status, or an exception's name.
type LedgerRow struct {
	Answer      string `json:"answer"`
	NeverStored int64  `json:"never_stored"`
	AtRisk      int64  `json:"at_risk"`
	Durable     int64  `json:"durable"`
	Stranded    int64  `json:"stranded"`
	Lost        int64  `json:"lost"`
}

// Sum is the number of messages with this answer.
func (r LedgerRow) Sum() int64 {
	return r.NeverStored + r.AtRisk + r.Durable + r.Stranded + r.Lost
}

// Verdict is the outcome of an expectation, or of all of them.
type Verdict string

// Verdicts. Failed beats Undecided beats Passed; NoExpectations is a run that expects nothing.
const (
	Passed         Verdict = "passed"
	Failed         Verdict = "failed"
	Undecided      Verdict = "undecided"
	NoExpectations Verdict = "no expectations"
)

// Expectation is one [expect.NAME] table with what came of it.
type Expectation struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	// Where is the window and breakdown in words: "during fault.power-cut", "fault power-cut".
	Where string `json:"where"`
	// Min and Max are the inclusive limits in the metric's base unit (ns, ratio, count); nil: none.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
	// Actual is the value found, in the base unit; nil when there is none. Infinite is true when the
	// value is +∞ (a "time to" that never came): then Actual is nil.
	Actual   *float64 `json:"actual,omitempty"`
	Infinite bool     `json:"infinite,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	// Reason says in words why: counts behind a quantile, why it is undecided.
	Reason string `json:"reason,omitempty"`
	// Skipped is true when its "for" condition does not hold for this run: it then has no verdict.
	Skipped bool `json:"skipped,omitempty"`
}

// Series are equal windows over the whole run, warm-up included, by time of completion.
type Series struct {
	// WindowNS is the width of a window; there are at most 800.
	WindowNS int64
	// Brokers names the columns of Sends and Avoided.
	Brokers []string
	Windows []Window
}

// Window is one window of a Series.
type Window struct {
	FromNS int64
	// Latency of the messages answered in the window; N = 0 makes the others meaningless.
	N                          int64
	P50NS, P95NS, P99NS, MaxNS int64
	// Outcomes of the messages answered in the window; they sum to N. OK and OKRetry are SEND_OK, Weaker
	// any other status, Handed are one-way. Lost messages are taken out of the first three: they were
	// acknowledged in this window and lost or stranded later.
	OK, OKRetry, Weaker, Handed, Failed, Lost int64
	// Scheduled counts messages whose intended send time is in the window: what callers asked for.
	Scheduled int64
	// Fallbacks counts attempts of the window sent to a broker that the table of the instance refused.
	Fallbacks int64
	// Sends[b] counts attempts that began in the window and are over, by broker.
	Sends []int64
	// Avoided[b] is the share (0..1) of producer instances whose table refuses broker b at the end of
	// the window.
	Avoided []float64
	// Routed[b] is the share of producer instances whose publish list has broker b, then.
	Routed []float64
	// AtRisk is the most messages, at any time of the window, that were in their master's page cache and
	// not on its disk, AtRiskBytes what they take. Unreadable is the most that no replica served.
	AtRisk, AtRiskBytes, Unreadable int64
	// Brokers[b] is about broker b.
	Brokers []BrokerWindow
}

// BrokerWindow is a broker in a window.
type BrokerWindow struct {
	// UnsyncedBytes is the most that the master had in memory only, SingleBytes what it has and no slave
	// of it, at the end of the window; 0 for a broker without slaves.
	UnsyncedBytes, SingleBytes int64
	// Unreadable is the most of its messages that no replica served.
	Unreadable int64
	// InFlight is the mean number of attempts to it that were under way.
	InFlight float64
	// Utilisation is the share of the time of its send threads that they were in use, Queue the mean
	// number of sends that waited for one, Busy how many were refused because the broker was busy.
	Utilisation, Queue float64
	Busy               int64
}
