package result

// Availability is how the service of a phase looked to callers over time: of all messages, or those of a
// producer group or topic. Messages of any phase count by when they were answered, so a phase owns what
// happened in it.
type Availability struct {
	Phase string    `json:"phase"`
	Dim   Dimension `json:"dimension"`
	Name  string    `json:"name,omitempty"`
	// Answered are the messages answered in the phase, Failed those of them that failed, Scheduled those
	// whose intended send time is in the phase, whenever they are answered.
	Scheduled int64 `json:"scheduled"`
	Answered  int64 `json:"answered"`
	Failed    int64 `json:"failed"`
	// Outages counts the times without any success: stretches from a failed answer to the next successful
	// one, of which those less than two seconds apart count as one (as with OpenChaos' RecoveryChecker).
	// OutageNS is the sum of the stretches, without what succeeded between them, LongestNS the longest. Open
	// says that the last had not ended with the phase.
	Outages   int   `json:"outages"`
	OutageNS  int64 `json:"outage_ns"`
	LongestNS int64 `json:"longest_outage_ns"`
	Open      bool  `json:"open_outage,omitempty"`
	// Below is partial unavailability: how long success was below each level, rising.
	Below []Below `json:"below"`
	// WorstInstance ("orders#3") had the longest stretch without a success, from a failed answer to its
	// next successful one, or the end of the phase: WorstNS. Empty if none failed.
	WorstInstance string `json:"worst_instance,omitempty"`
	WorstNS       int64  `json:"worst_instance_ns,omitempty"`
}

// Below is the time in which the success rate, by second of answer, was below a level (0..1): the sum and
// the longest stretch. Seconds without an answer count as those before them.
type Below struct {
	Level     float64 `json:"level"`
	NS        int64   `json:"ns"`
	LongestNS int64   `json:"longest_ns"`
}

// What a Balance is of.
const (
	BalanceBrokers = "brokers"
	BalanceQueues  = "queues"
)

// Balance is how evenly the attempts sent in a phase were spread over the brokers of a topic, or over its
// queues (queues that no longer exist, or do not yet, are left out).
type Balance struct {
	Phase string `json:"phase"`
	// Of is "brokers" or "queues", Topic the topic's name.
	Of    string `json:"of"`
	Topic string `json:"topic"`
	N     int    `json:"n"`
	// MaxOverMean is the largest share by the mean share, 1 if all are alike; CV is the coefficient of
	// variation: standard deviation by mean.
	MaxOverMean float64 `json:"max_over_mean"`
	CV          float64 `json:"cv"`
	// Largest and Smallest name those with the most and the fewest attempts: "a", or "a:0" of a queue.
	Largest  string `json:"largest"`
	Smallest string `json:"smallest"`
}

// QueueCount is the number of attempts sent to a queue in a phase; it is stored in queues.csv.
type QueueCount struct {
	Phase, Topic, Broker string
	Queue                int
	Sent                 int64
}

// InstanceCount is a producer instance in a phase; it is stored in instances.csv.
type InstanceCount struct {
	Phase, Producer string
	Instance        int
	// Messages are those answered, Attempts those made for them.
	Messages, Failed, Attempts int64
	// AvoidedNS is the time that its table refused brokers, summed over brokers; WorstNS its longest stretch
	// without a success.
	AvoidedNS, WorstNS int64
}

// Baseline is the way back to normal after a fault.
type Baseline struct {
	// SuccessNS and P99NS are how long after the end of the fault the success rate and the 99th percentile
	// of windows were back, for good (until the next fault or the end), at what they were in `before`: no
	// worse than its worst window, but for single windows, which are so by chance (the one right after the
	// fault is not). Nil: not in this run, or there is nothing to compare with.
	SuccessNS *int64 `json:"success_ns,omitempty"`
	P99NS     *int64 `json:"p99_ns,omitempty"`
	// ShareNS is the same for the share of sends of the brokers that the fault struck.
	ShareNS *int64 `json:"share_ns,omitempty"`
	// Reason says why there is no way back to measure, with none of the times: BaselineOtherFault or
	// BaselineNoBefore; "" otherwise, where a time that is nil was not reached.
	Reason string `json:"reason,omitempty"`
}

// Reasons why there is no way back to measure.
const (
	BaselineOtherFault = "another fault went on"
	BaselineNoBefore   = "nothing to compare with"
)
