package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Message identifies a message in what an Observer is told.
type Message struct {
	// Group is the index into Config.Producers, Instance the producer instance within the group, Number
	// counts the group's messages from 0.
	Group, Instance int32
	Number          uint64
	// Scheduled is the intended send time.
	Scheduled sim.Time
	// AnsweredAt is when the caller got its answer, 0 while it waits. (No answer comes at time 0.)
	AnsweredAt sim.Time
}

// Attempt is one try of a send, over and done.
type Attempt struct {
	Message
	// Try counts from 1.
	Try int32
	// Queue is where it went; Queue.Broker is an index into Config.Brokers.
	Queue strategy.Queue
	// Began and Ended bound the call, connect and waits included.
	Began, Ended sim.Time
	Outcome      strategy.Outcome
	// Timeout is what the client allowed it to take.
	Timeout strategy.Millis
	// Unsent: the client gave it up by itself, before it wrote the request or tried to connect for it: no
	// time was left, or it knew no address. Nothing of it went towards the broker.
	Unsent bool
	// Again: it is not the first attempt of its send.
	Again bool
	// Refused: the fault table refused the broker when the attempt was made; the policy found nothing else.
	Refused bool
}

// Answer is what a caller was told about a message.
type Answer struct {
	Message
	// Began is when a free thread took the message: Scheduled plus the wait for a thread.
	Began sim.Time
	// At is when the caller got the answer.
	At       sim.Time
	Attempts int32
	Result   strategy.Result
	// First is how long the first attempt took, 0 if there was none, and FirstOutcome how it ended.
	First        sim.Duration
	FirstOutcome strategy.OutcomeKind
	// Fate is what has become of the message so far, Copies how many copies were stored so far.
	Fate   Fate
	Copies int32
	// Loss is what made it stranded or lost, if it is.
	Loss Loss
	// Callbacks is how often the callback of an asynchronous send has run by now: more than once if the
	// client tells of one failure twice. It is 0 if there is none, and if submitting the send threw.
	Callbacks int32
	// Resends is how often the caller has sent it again after a send that failed (Producer.OnFailure). Began
	// and First are of the first send, Attempts of all of them.
	Resends int32
}

// Copy is a copy of a message, appended to the commit log of a master.
type Copy struct {
	Message
	At sim.Time
	// Broker has it. Number counts the copies of the message from 1: the second is the first extra
	// copy, a duplicate for the consumer. Try is the attempt that brought it.
	Broker, Number, Try int32
	// Of an extra copy: of its attempt and that of the copy before, GaveUp is how the earlier one had
	// ended for the client, so that it made the later one. Late: this copy is of the earlier one.
	GaveUp strategy.OutcomeKind
	Late   bool
	// Likewise: Fate is what had become of the message so far, Attempts how many attempts had begun, and
	// Status and Exception are what its caller was told, if it was (Message.AnsweredAt).
	Fate      Fate
	Attempts  int32
	Status    strategy.Status
	Exception strategy.Exception
	// Unsynced are the copies in the broker's log that no fsync has covered, UnsyncedBytes the bytes.
	Unsynced, UnsyncedBytes int64
}

// LossCause is what took a copy from a log.
type LossCause uint8

// Causes of losses.
const (
	// NotLost: nothing was taken.
	NotLost LossCause = iota
	// PageCacheLost: the host lost its power before an fsync covered the copy.
	PageCacheLost
	// PoolLost: the process died before it committed the transient store pool.
	PoolLost
	// FsyncLied: the host lost its power after an fsync that reported success and wrote nothing.
	FsyncLied
	// FsyncFailed: the host lost its power after an fsync failed, which RocketMQ takes for success.
	FsyncFailed
	// DiskGone: the disk is lost.
	DiskGone
	numLossCauses
)

var lossCauseNames = [numLossCauses]string{
	"none", "page cache", "store pool", "fsync lied", "fsync failed", "disk gone",
}

// LossCauses names every cause, in the order of the constants.
func LossCauses() []string { return append([]string(nil), lossCauseNames[:]...) }

// String is the name used in results.
func (c LossCause) String() string { return lossCauseNames[c] }

// byDisk says that a disk did it: what was durable can be lost in no other way.
func (c LossCause) byDisk() bool { return c == FsyncLied || c == FsyncFailed || c == DiskGone }

// Loss is why a message is stranded or lost: what took the last copy that would be served. The zero
// value is no loss.
type Loss struct {
	Cause LossCause
	// Broker is the broker that lost it, Fault the index of the fault behind that, -1 if none was.
	Broker, Fault int32
}

// Fate is what has become of a message on the disks, the best of its copies.
type Fate uint8

// Fates, as decided for the ledger.
const (
	// NeverStored: no copy was ever appended to a commit log.
	NeverStored Fate = iota
	// AtRisk: no disk that counts has it: that of the master, or once the master has lost it, of a slave.
	AtRisk
	// Durable: a copy is fsynced on a disk that is served, or will be once its host is back.
	Durable
	// Stranded: only a replica that never serves it again still has it.
	Stranded
	// Lost: it was stored, and no copy is left anywhere.
	Lost
	numFates
)

// String is the name used in results.
func (f Fate) String() string {
	return [...]string{"never_stored", "at_risk", "durable", "stranded", "lost"}[f]
}

// FateChange says that the disk column of a message moved.
type FateChange struct {
	Message
	At       sim.Time
	From, To Fate
	// Broker is the broker whose copy made the change.
	Broker int32
	// Size is what the message takes in a log, in bytes; Copies is how many copies were stored so far.
	Size, Copies int32
	// Loss is what made it stranded or lost, Was what had made it so, if it was before.
	Loss, Was Loss
	// Answered is true when the caller already had the answer (Message.AnsweredAt tells when): then
	// OK tells whether it was told that the message is stored, Status which status it got (StatusHanded
	// of a one-way send is no OK), and Attempts how many it took.
	Answered bool
	OK       bool
	Status   strategy.Status
	Attempts int32
}

// TableChange is one updateFaultItem of one producer instance that says something: it isolates, ends
// or shortens an isolation, or turns the reachable flag. Updates that only note the latency of a
// broker that stays available are not told.
type TableChange struct {
	At       sim.Time
	Group    int32
	Instance int32
	Broker   int32
	// Outcome is how the attempt ended that caused it. Probe is true when it was a probe of the
	// detector instead, which was answered.
	Outcome strategy.Outcome
	Probe   bool
	// Before and After are the item around the update; Known is false when there was none before.
	Before, After strategy.Item
	Known         bool
	// ClockMillis is the instance's own millisecond clock at the update: After.Start is on this clock.
	ClockMillis strategy.Millis
	// Until is After.Start on the simulation clock: the first instant at which the table lets the
	// broker be chosen again. It is not after At when the update isolates nothing.
	Until sim.Time
}

// ProbeEnd is a request of an instance's detector to a broker that is over.
type ProbeEnd struct {
	// Began and At bound the call, connecting included.
	Began, At               sim.Time
	Group, Instance, Broker int32
	// Answered: the broker answered in time.
	Answered bool
}

// RouteChange says that an instance got a new publish list for a topic.
type RouteChange struct {
	At       sim.Time
	Group    int32
	Instance int32
	// Topic is the index into Config.Topics.
	Topic int32
	// Brokers[b] is true when the list has a queue on broker b. It is only valid during the call.
	Brokers []bool
}

// ProcessEvent is something that happened to a process, or to a broker's registration.
type ProcessEvent struct {
	At     sim.Time
	Target config.Target
	// What happened, and its detail where it has one (bytes lost, name server).
	What ProcessWhat
	// Bytes is the number of bytes concerned (BytesLost, Recovered), else 0.
	Bytes int64
	// NameServer is the index of the name server concerned (Registered, Unregistered), else -1.
	NameServer int32
	// Fault is the index of the fault that caused it, -1 if none did.
	Fault int32
}

// ProcessWhat tells what happened to a process.
type ProcessWhat uint8

// Kinds of ProcessEvent.
const (
	FaultBegan   ProcessWhat = iota // a fault struck the target
	FaultEnded                      // a fault let go of the target
	Started                         // the process serves again: port open
	BytesLost                       // so many bytes are gone: not on the disk, or still in the pool
	Registered                      // a name server put the broker into its routes (again)
	Unregistered                    // a name server removed it: channel closed, idle or expired
	Recovered                       // a start found how many bytes were lost since the last one
)

// Observer is told what happens in a World, in order of time. It must not call back into the World
// except for the documented read accessors, and must not keep the pointers it is given: they are
// valid during the call only.
type Observer interface {
	// Scheduled: the message came into being (the caller wants to send it now).
	Scheduled(m *Message)
	// AttemptEnded: one try is over.
	AttemptEnded(a *Attempt)
	// Answered: the caller has its answer.
	Answered(a *Answer)
	// CopyStored: a copy was appended to the commit log of a master.
	CopyStored(c *Copy)
	// FateChanged: the disk column of a message moved.
	FateChanged(f *FateChange)
	// TableChanged: a fault table was updated in a way that matters, see TableChange.
	TableChanged(c *TableChange)
	// Probed: a probe of a detector is over, that was sent.
	Probed(p *ProbeEnd)
	// RouteChanged: a client replaced its publish list.
	RouteChanged(r *RouteChange)
	// Process: something happened to a broker process or its registration.
	Process(p *ProcessEvent)
}

// NopObserver ignores everything. Embed it to watch only some events.
type NopObserver struct{}

var _ Observer = NopObserver{}

// Scheduled implements Observer.
func (NopObserver) Scheduled(*Message) {}

// AttemptEnded implements Observer.
func (NopObserver) AttemptEnded(*Attempt) {}

// Answered implements Observer.
func (NopObserver) Answered(*Answer) {}

// CopyStored implements Observer.
func (NopObserver) CopyStored(*Copy) {}

// FateChanged implements Observer.
func (NopObserver) FateChanged(*FateChange) {}

// TableChanged implements Observer.
func (NopObserver) TableChanged(*TableChange) {}

// Probed implements Observer.
func (NopObserver) Probed(*ProbeEnd) {}

// RouteChanged implements Observer.
func (NopObserver) RouteChanged(*RouteChange) {}

// Process implements Observer.
func (NopObserver) Process(*ProcessEvent) {}
