package result

// Story is the life of one message of a run, found by making the run again. Times are on the
// simulation clock.
type Story struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Seed     uint64 `json:"seed"`
	Key      string `json:"key"`
	// Digest is that of the run made again, empty if it was not made to its end.
	Digest string `json:"digest,omitempty"`

	// Producer is the group, Message the number within the group, of Messages (0: not known); Why is what
	// the message was picked for, empty if it was asked for by number.
	Producer string `json:"producer"`
	Message  uint64 `json:"message"`
	Messages uint64 `json:"messages,omitempty"`
	Why      string `json:"why,omitempty"`
	// Instance is the producer instance within the group, Client its release ("java-5.3.3").
	Instance int    `json:"instance"`
	Client   string `json:"client"`
	// Mode is "sync", "async" or "oneway", Topic the message's own if its group has several. Batch is how
	// many messages the send carries, 0 if it is no batch.
	Mode  string `json:"mode"`
	Topic string `json:"topic,omitempty"`
	Batch int    `json:"batch,omitempty"`
	// Avoidance is sendLatencyFaultEnable, Threads the number of threads of an instance.
	Avoidance   bool   `json:"send_latency_fault_enable"`
	Threads     int    `json:"threads"`
	Phase       string `json:"phase"`
	ScheduledNS int64  `json:"scheduled_ns"`
	// TakenNS is when a thread took it, AnsweredNS when the caller got its answer; nil if the run ended
	// before.
	TakenNS    *int64 `json:"taken_ns,omitempty"`
	AnsweredNS *int64 `json:"answered_ns,omitempty"`
	EndNS      int64  `json:"end_ns"`
	// CutNS is how far the run was made, 0 if to its end, or to that of the message.
	CutNS int64 `json:"cut_ns,omitempty"`

	// Entries are what happened, in order.
	Entries []StoryEntry `json:"entries"`
	// Parts are where the time between ScheduledNS and AnsweredNS went; they sum to it.
	Parts []StoryPart `json:"parts"`
	// Copies were stored so far; Fate is what became of the message.
	Copies int    `json:"copies"`
	Fate   string `json:"fate"`
}

// StoryEntry is one thing that happened to a message.
type StoryEntry struct {
	AtNS int64  `json:"at_ns"`
	Kind string `json:"kind"`
	// Attempt it belongs to, 0 if to none; Broker is its name, empty if there is none.
	Attempt int    `json:"attempt,omitempty"`
	Broker  string `json:"broker,omitempty"`
	// SpanNS and N have a meaning that depends on the kind.
	SpanNS int64 `json:"span_ns,omitempty"`
	N      int   `json:"n,omitempty"`
	// Outcome of an attempt, or of a broker's answer; of an answer to the caller its result, of a
	// refusal its reason.
	Outcome string `json:"outcome,omitempty"`
	// Faults names the faults that had their hand on the broker.
	Faults []string `json:"faults,omitempty"`

	Choice *StoryChoice `json:"choice,omitempty"`
	Update *StoryUpdate `json:"update,omitempty"`
	// From and To are the fates of a StoryFate; its N is the number of slaves of the broker, its Cause
	// what took the last copy that would be served, as in Loss, if something did.
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Cause string `json:"cause,omitempty"`
	// Late says of a StoryStored that its copy came after that of a later attempt. Outcome is how the
	// earlier of the two had ended.
	Late bool `json:"late,omitempty"`
	// Source is where in RocketMQ's source the rule is from.
	Source string `json:"source,omitempty"`
}

// Kinds of entries. Steps are in the order of a request's way.
const (
	StoryTaken            = "taken"             // a thread took the message; SpanNS is the wait for it
	StoryRouteAsked       = "route-asked"       // no queue is known: it asks the name server
	StoryRouteCame        = "route-came"        // it has an answer
	StoryRouteMissed      = "route-missed"      // no name server answered it: it throws
	StoryTooLarge         = "too-large"         // it is larger than maxMessageSize: the client throws
	StorySendsAgain       = "sends-again"       // its caller sends it again, for the N-th time, after SpanNS
	StoryChosen           = "chosen"            // a queue was chosen; Choice
	StoryNoMaster         = "no-master"         // no address of a master is known
	StoryConnectBegan     = "connect-began"     // a handshake began
	StoryConnectJoined    = "connect-joined"    // it waits for the handshake of another thread
	StoryConnected        = "connected"         // the handshake is complete
	StoryConnectRefused   = "connect-refused"   // it was refused
	StoryConnectTimedOut  = "connect-timed-out" // it took too long
	StoryNothingLeft      = "nothing-left"      // connecting used up the time: nothing was written
	StoryWritten          = "written"           // the request is on its way; SpanNS is left for the answer
	StoryHostSilent       = "host-silent"       // the host has no power; TCP sends again after SpanNS
	StoryHostGone         = "host-gone"         // TCP gives up: the client has closed the connection
	StoryRequestMissed    = "request-missed"    // it was lost on the way; TCP sends again after SpanNS
	StoryProcessGone      = "process-gone"      // no such process: RST
	StoryProcessPaused    = "process-paused"    // the process is stopped
	StoryAccepted         = "accepted"          // a send thread of the broker has it
	StoryQueued           = "queued"            // it waits for one, behind N others
	StoryFrozen           = "frozen"            // its send thread was stopped
	StoryDropped          = "dropped"           // it died with the process
	StoryAwaitsFsync      = "awaits-fsync"      // the answer waits for the disk
	StoryAwaitsSlaves     = "awaits-slaves"     // the answer waits for slaves
	StoryRefused          = "refused"           // the broker does not store it: Outcome
	StoryAwaitsLock       = "awaits-lock"       // its send thread waits for the put lock, behind N others
	StoryAwaitsDisk       = "awaits-disk"       // it has the lock, and the disk does not answer
	StoryAwaitsDial       = "awaits-dial"       // Go: another connection is being dialed
	StoryWriteFailed      = "write-failed"      // Go: too late to be written; the connection is closed
	StorySubmitted        = "submitted"         // an executor has the asynchronous send, behind N others
	StoryPermitAwaited    = "permit-awaited"    // its caller waits for permits of backpressure
	StoryCallbackQueued   = "callback-queued"   // its callback waits for a thread, behind N others
	StoryScanFound        = "scan-found"        // a scan of what is unanswered found its time over
	StoryAskedNameServer  = "asked-name-server" // no address of the broker: it goes to the name server
	StoryHandedOver       = "handed-over"       // the one-way request is on its way
	StoryNotAnswered      = "not-answered"      // the broker tells nobody: Outcome
	StoryLostUntold       = "lost-untold"       // no connection for the one-way request, and nobody is told
	StoryCalledBackAgain  = "called-back-again" // the callback has run N times
	StoryConnectsAside    = "connects-aside"    // a handshake began, and no thread waits for it
	StoryResponded        = "responded"         // the broker's answer, Outcome, is on its way
	StoryResponseMissed   = "response-missed"   // it was lost on the way; TCP sends again after SpanNS
	StoryResponseCame     = "response-came"     // the thread has it
	StoryResponseLate     = "response-late"     // it came, and nobody waits
	StoryResetCame        = "reset-came"        // RST came to the client
	StoryWaitOver         = "wait-over"         // the time for the answer is over
	StoryClosedByTimeout  = "closed-by-timeout" // another request's timeout closed the connection
	StoryClosedByReset    = "closed-by-reset"   // RST closed it
	StoryClosedByPeer     = "closed-by-peer"    // FIN closed it
	StoryLeftByPeer       = "left-by-peer"      // FIN closed it, and the one that waits is not told
	StoryLeftByReset      = "left-by-reset"     // RST or a timeout closed it, and nobody is told
	StoryClosedItself     = "closed-itself"     // its own timeout closed the connection
	StorySparedConnection = "spared-connection" // its own timeout did not
	StoryKeptConnection   = "kept-connection"   // no timeout closes a connection in this release
	StoryIdleClosed       = "idle-closed"       // the connection was idle for too long and closed
	StoryEnded            = "ended"             // the attempt is over: Outcome; SpanNS is what it took
	StoryUpdated          = "updated"           // the fault table changed; Update
	StoryStored           = "stored"            // a copy is in the commit log; N counts them from 1
	StoryFate             = "fate"              // From, To
	StoryAnswered         = "answered"          // the caller has its answer: Outcome
)

// StoryChoice is why a queue was chosen.
type StoryChoice struct {
	// Made is false if the time of the send was up by then: no attempt followed.
	Made     bool `json:"made"`
	Attempts int  `json:"attempts"`
	// Queue is the id of the queue; the broker is the entry's.
	Queue int `json:"queue"`
	// Rule in words, and the numbers behind it: the values of the thread's index that were used, and
	// of its index into the fault table.
	Rule string `json:"rule"`
	// Note is a quirk of the release that this choice shows, empty if it shows none.
	Note       string  `json:"note,omitempty"`
	Index      []int32 `json:"index,omitempty"`
	ItemIndex  []int32 `json:"item_index,omitempty"`
	ResetIndex bool    `json:"reset_index,omitempty"`
	// Scan is true if the index took one step and the queues after it were looked at in turn; else it
	// took a step for each.
	Scan bool `json:"scan,omitempty"`
	// Picked is the broker that pickOneAtLeast named, Removed one whose item was dropped.
	Picked  string `json:"picked,omitempty"`
	Removed string `json:"removed,omitempty"`
	Thrown  bool   `json:"thrown,omitempty"`
	// Rewritten is the entry of the shared queue list that the choice overwrote with itself, nil if
	// none.
	Rewritten *StoryRewritten `json:"rewritten,omitempty"`
	// Queues is the length of the list; Candidates are its brokers.
	Queues     int              `json:"queues"`
	Candidates []StoryCandidate `json:"candidates"`
	Skipped    []StorySkipped   `json:"skipped,omitempty"`
	// LeftNS is what was left of the send's time, TimeoutNS what the attempt may take.
	LeftNS    int64 `json:"left_ns"`
	TimeoutNS int64 `json:"timeout_ns"`
}

// RuleCaller is the rule of a choice that the caller made: nothing was looked at.
const RuleCaller = "the caller's choice"

// StoryRewritten is an entry of the queue list: its place, from 0, and what stood there before.
type StoryRewritten struct {
	Place  int    `json:"place"`
	Broker string `json:"broker"`
	Queue  int    `json:"queue"`
}

// StoryCandidate is a broker in the list of queues.
type StoryCandidate struct {
	Broker string `json:"broker"`
	Queues int    `json:"queues"`
}

// StorySkipped are queues of one broker that were looked at and not taken.
type StorySkipped struct {
	// Rule that was being tried.
	Rule   string `json:"rule"`
	Broker string `json:"broker"`
	Queues int    `json:"queues"`
	Why    string `json:"why"`
	// UntilNS is when an isolation ends; AfterNS and After tell which attempt of the instance brought
	// it about last: when it ended and how. Absent if there is none.
	UntilNS int64  `json:"until_ns,omitempty"`
	AfterNS int64  `json:"after_ns,omitempty"`
	After   string `json:"after,omitempty"`
}

// StoryUpdate is a change of a fault item.
type StoryUpdate struct {
	// LatencyNS is what was measured, UsedNS what was looked up.
	LatencyNS int64 `json:"latency_ns"`
	UsedNS    int64 `json:"used_ns"`
	// Bucket is 1 + the index of the entry of latencyMax that gave the isolation, LimitNS that entry;
	// 0 if the latency was below all of them.
	Bucket     int   `json:"bucket"`
	LimitNS    int64 `json:"limit_ns,omitempty"`
	DurationNS int64 `json:"duration_ns"`
	// UntilNS is when the table lets the broker be chosen again, 0 if it does now. Kept is true if that
	// is an isolation from before, which this one does not shorten.
	UntilNS int64 `json:"until_ns,omitempty"`
	Kept    bool  `json:"kept,omitempty"`
	// Ended is true if it was not available before and is now.
	Ended bool `json:"ended,omitempty"`
	// Reachable is the flag; Turned says that it changed.
	Reachable bool `json:"reachable"`
	Turned    bool `json:"turned,omitempty"`
	// New is true if there was no item before.
	New bool `json:"new,omitempty"`
}

// StoryPart is a part of the time that a message took.
type StoryPart struct {
	// What is "thread", "route", "attempt" or "client".
	What   string `json:"what"`
	SpanNS int64  `json:"span_ns"`
	// Of an attempt: its number, broker and outcome, and how much of it was spent on connecting.
	Attempt   int    `json:"attempt,omitempty"`
	Broker    string `json:"broker,omitempty"`
	Outcome   string `json:"outcome,omitempty"`
	ConnectNS int64  `json:"connect_ns,omitempty"`
}

// What a StoryPart can be.
const (
	PartThread  = "thread"  // waiting for a free thread
	PartRoute   = "route"   // asking the name server
	PartPause   = "pause"   // between two sends of its caller
	PartAttempt = "attempt" // an attempt
	PartClient  = "client"  // between attempts, in the client's queues or the caller's hands
)
