package model

import "simrun/sim"

// Refusal is why a broker refused a send that it did not store.
type Refusal uint8

// Reasons. All but RefusedPageCacheBusyPut and RefusedDiskFull are answered SYSTEM_BUSY.
const (
	notRefused Refusal = iota
	// RefusedPageCacheBusy: on arrival, the put lock had been held for too long ([REJECTREQUEST]).
	RefusedPageCacheBusy
	// RefusedPoolEmpty: on arrival, no buffer of the transient store pool was left ([REJECTREQUEST]).
	RefusedPoolEmpty
	// RefusedQueueFull: on arrival, the send queue was full ([OVERLOAD]).
	RefusedQueueFull
	// RefusedPageCacheBusyQueue: fast failure emptied the queue, since the put lock had been held for
	// too long ([PCBUSY_CLEAN_QUEUE]).
	RefusedPageCacheBusyQueue
	// RefusedTimeInQueue: fast failure took it from the queue, where it had waited for too long
	// ([TIMEOUT_CLEAN_QUEUE]).
	RefusedTimeInQueue
	// RefusedPageCacheBusyPut: a send thread had it, but the store saw the put lock held for too long
	// ([PC_SYNCHRONIZED]).
	RefusedPageCacheBusyPut
	// RefusedDiskFull: likewise, but the disk was full (SERVICE_NOT_AVAILABLE).
	RefusedDiskFull
	numRefusals
)

var refusalNames = [numRefusals]string{
	"none", "page cache busy", "pool empty", "queue full", "page cache busy, queued", "time in queue",
	"page cache busy, at the put", "disk full",
}

// Refusals names every reason, in the order of the constants.
func Refusals() []string { return append([]string(nil), refusalNames[:]...) }

// String is the name used in results.
func (r Refusal) String() string { return refusalNames[r] }

// Busy says that the answer was SYSTEM_BUSY, whatever the release.
func (r Refusal) Busy() bool { return r > notRefused && r <= RefusedTimeInQueue }

// Load is what the send path of a master has been busy with from the start of the run to now.
// Differences of two snapshots are what happened between them: (b.Busy-a.Busy) / (Threads * time) is
// the utilisation of its send threads, (b.Queued-a.Queued) / time the mean length of its send queue.
type Load struct {
	// Threads is the number of send threads, BusyThreads and QueueLength how it looks now.
	Threads, BusyThreads, QueueLength int
	// Busy is the time that send threads were in use, all together; Queued the time that requests
	// waited for one; LockWait the time that send threads waited for the put lock.
	Busy, Queued, LockWait sim.Duration
	// Stored counts the copies appended, Refused the sends refused, by Refusal.
	Stored  int64
	Refused [numRefusals]int64
}

// BusyReplies is the number of sends answered SYSTEM_BUSY by the send path, and by the store where the
// release says so of a busy page cache.
func (l Load) BusyReplies() int64 {
	n := l.Refused[RefusedPageCacheBusyPut]
	for why := notRefused + 1; why.Busy(); why++ {
		n += l.Refused[why]
	}
	return n
}

// loadAccount adds up times: what begins takes its instant off, what ends adds it. With what lasts now
// that is the time spent so far; sums may wrap round in between.
type loadAccount struct {
	busy, queued, lockWait sim.Time
	refused                [numRefusals]int64
}

// Load is a snapshot of the load of a broker's master.
func (w *World) Load(broker int) Load {
	pr := &w.procs[w.firstProc[broker]]
	now := w.eng.Now()
	busy, sum := pr.busy, pr.load.busy
	for i := range pr.freeing.len() {
		if at := *pr.freeing.at(i); at <= now {
			busy--
			sum += at
		}
	}
	return Load{
		Threads: int(pr.threads), BusyThreads: int(busy), QueueLength: pr.queue.len(),
		Busy:     sim.Duration(sum + sim.Time(busy)*now),
		Queued:   sim.Duration(pr.load.queued + sim.Time(pr.queue.len())*now),
		LockWait: sim.Duration(pr.load.lockWait + sim.Time(pr.lock.waiting.len())*now),
		Stored:   w.logs[broker].copies, Refused: pr.load.refused,
	}
}
