package result

// Spectrum is the distribution of the latencies of the answered messages of a phase: all of them, or those
// of a producer group. It is stored in latency.csv. A phase without answers has none, and a group that is
// alone has none of its own: it is that of all.
type Spectrum struct {
	Phase string
	Dim   Dimension // DimAll or DimProducer
	Name  string
	// Buckets by rising latency, none empty. A bucket is no wider than a hundredth of its latencies, and the
	// last ends with the exact maximum.
	Buckets []Bucket
}

// Bucket counts messages that took at most UpToNS, and longer than the bucket before.
type Bucket struct {
	UpToNS int64
	N      int64
}

// SendSample is a bounded choice of sends for a scatter plot: at most 20,000. All that failed, were retried,
// got a weaker status or were acknowledged and lost are kept as long as there is room for their kind, and
// thinned by a draw on their number when there is none. Of the others, thinned so from the start, about
// every Every-th is kept, and every SlowEvery-th of those that took 50 ms or more. The choice depends on the
// seed and on what happened, not on the order in which it did. A batch is one send.
type SendSample struct {
	// Of is the number of answered sends that it was chosen from, Dropped how many there was no room for of
	// those to be kept.
	Of        int64 `json:"of"`
	Every     int64 `json:"every"`
	SlowEvery int64 `json:"slow_every"`
	Dropped   int64 `json:"dropped"`
	// Sends by answer; they are stored in sample.csv.
	Sends []SampledSend `json:"-"`
}

// SampledSend is one send of a SendSample.
type SampledSend struct {
	Producer    string
	Message     uint64
	ScheduledNS int64
	LatencyNS   int64
	Attempts    int
	// Outcome is one of the constants below; Lost says that it was acknowledged and is lost or stranded at
	// the end of the run.
	Outcome string
	Lost    bool
	// Broker is that of the answer or the last attempt, empty if there was none.
	Broker string
}

// Outcomes of a SampledSend.
const (
	OutcomeOK       = "ok"          // SEND_OK
	OutcomeOKStatus = "ok_status"   // a weaker status
	OutcomeHanded   = "handed_over" // one-way: nobody acknowledges it
	OutcomeFailed   = "failed"      // an exception
)

// Isolation is a stretch in which a fault table refused a broker; it is stored in isolations.csv, for the
// first 16 instances of each group and at most 20,000 of them (Run.IsolationsDropped). A stretch that was
// extended before it ended is one, as long as its level and its reason stay the same.
type Isolation struct {
	Producer string
	Instance int
	Broker   string
	FromNS   int64
	// UntilNS is when it was to end, or was ended; it may be after the end of the run.
	UntilNS int64
	// LatencyNS is how long the attempt took that began it, LevelNS the entry of latencyMax that was hit and
	// NotAvailableNS the duration that follows. A level without an entry, of a policy that is not
	// RocketMQ's, is 0.
	LatencyNS, LevelNS, NotAvailableNS int64
	// Isolated: the client told the table of an isolation, which counts as a latency of its own (30 s, or
	// 10 s from 5.1.4 on), not of the true latency. Unreachable: at some time of the stretch the entry said
	// that the broker is not reachable (5.1.4 and later).
	Isolated, Unreachable bool
	// Explained: a fault had its hand on the broker, or on the instance, while the attempt was under way.
	Explained bool
}

// Kinds of exemplars, by falling weight.
const (
	ExemplarLost       = "lost"       // acknowledged, and no copy will be served again
	ExemplarFailed     = "failed"     // the caller got an exception
	ExemplarDuplicated = "duplicated" // more than one copy was stored
	ExemplarMissed     = "missed"     // handed over one-way, and nothing is left of it
	ExemplarSlowest    = "slowest"    // among those that took longest
)

// Exemplar is a message that stands for others of its kind, chosen while simulating: a few for each kind,
// spread over faults, causes and phases. Its Story, if it was told, is in Run.Stories.
type Exemplar struct {
	Kind     string `json:"kind"`
	Phase    string `json:"phase"`
	Producer string `json:"producer"`
	Message  uint64 `json:"message"`
	// Like is how many messages after the warm-up it stands for, itself among them: of the same kind and for
	// the same reason. Of duplicated ones it counts copies, of the slowest it is 1.
	Like int64 `json:"like"`
	// Reason is an exception with its code, as in Stats.Exceptions; what took a lost one, and from which
	// broker ([LossWords]); how an extra copy came about ([ExtraWords]); "never stored" of a missed one. The
	// slowest have none.
	Reason      string `json:"reason,omitempty"`
	ScheduledNS int64  `json:"scheduled_ns"`
	// LatencyNS is nil if the run ended before the answer.
	LatencyNS *int64 `json:"latency_ns,omitempty"`
	// Answer is a status, an exception with its code (without it, if the run has several and it is not known
	// which), or "in flight". Fate is that at the end of the run.
	Answer   string `json:"answer"`
	Fate     string `json:"fate"`
	Attempts int    `json:"attempts"`
	Copies   int    `json:"copies"`
}
