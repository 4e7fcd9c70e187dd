package result

// Spectrum is the distribution of the latencies of the answered messages of a phase: all of them, or those
// of a producer group. It is stored in latency.csv.
type Spectrum struct {
	Phase string
	Dim   Dimension // DimAll or DimProducer
	Name  string
	// Buckets by rising latency; two significant digits, and the last ends with the exact maximum.
	Buckets []Bucket
}

// Bucket counts messages that took at most UpToNS, and longer than the bucket before.
type Bucket struct {
	UpToNS int64
	N      int64
}

// SendSample is a bounded choice of messages for a scatter plot; it is stored in sample.csv. All that failed or
// were retried are kept as long as there is room, of the others every Every-th by a draw on their number,
// so that the choice depends on nothing but the seed.
type SendSample struct {
	// Of is the number of answered messages that it was chosen from, Dropped how many failed or retried
	// ones had no room.
	Of, Every, Dropped int64
	Sends              []SampledSend
}

// SampledSend is one message of a SendSample.
type SampledSend struct {
	Producer    string
	Message     uint64
	ScheduledNS int64
	LatencyNS   int64
	Attempts    int
	// Outcome is "ok", "ok_status", "handed_over" or "failed"; Lost says that it was acknowledged and is
	// lost or stranded at the end of the run.
	Outcome string
	Lost    bool
	// Broker is that of the last attempt, empty if there was none.
	Broker string
}

// Isolation is a stretch in which a fault table refused a broker; it is stored in isolations.csv, for the
// first instances of each group and at most 20,000 of them. A stretch that was extended before it ended is
// one, as long as its level stays the same.
type Isolation struct {
	Producer string
	Instance int
	Broker   string
	FromNS   int64
	// UntilNS is when it was to end, or was ended; it may be after the end of the run.
	UntilNS int64
	// LatencyNS is the latency that the table was told, LevelNS the entry of latencyMax that it hit and
	// NotAvailableNS the duration that follows.
	LatencyNS, LevelNS, NotAvailableNS int64
	// Isolated: the client told the table of an isolation (10 s to 4.9.x or as the release has it), not of
	// the true latency. Unreachable: the entry says that the broker is not reachable (5.x).
	Isolated, Unreachable bool
	// Explained: a fault had its hand on the broker while the attempt was under way.
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
	// Like is how many messages of the run it stands for: of the same kind and for the same reason, which
	// is Reason: an exception with its code, a cause of loss with its broker.
	Like        int64  `json:"like"`
	Reason      string `json:"reason,omitempty"`
	ScheduledNS int64  `json:"scheduled_ns"`
	// LatencyNS is nil if the run ended before the answer.
	LatencyNS *int64 `json:"latency_ns,omitempty"`
	Answer    string `json:"answer"`
	Fate      string `json:"fate"`
	Attempts  int    `json:"attempts"`
	Copies    int    `json:"copies"`
}
