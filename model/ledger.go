package model

import (
	"fmt"

	"simrun/sim"
	"simrun/strategy"
)

// message is the record of one message. It lives until the caller has its answer, nothing of it is in
// flight, and each copy is fsynced or gone; after that the ledger's counters remember it.
type message struct {
	Message
	// place is the number of its newest copy in the log of broker placeOn.
	place uint64
	// ended holds how its attempts ended, see message.gaveUp; lost is why it is stranded or lost.
	ended uint32
	lost  packedLoss
	size  int32
	// refs counts the requests and the unsettled copies that still point here.
	refs int16
	// attempts counts those begun, stored is the one that brought the newest copy.
	attempts, stored uint8
	// Copies by where they stand; copies is the number ever stored. Validate bounds the retries so
	// that a byte is enough.
	copies, atRisk, durable, stranded uint8
	placeOn                           uint8
	answer                            uint8 // row of the ledger
	fate                              Fate
	resends                           uint8 // sends after the first one
}

// packedLoss is a Loss in a record, which is a cache line.
type packedLoss struct {
	fault  int16
	cause  LossCause
	broker uint8
}

func (l Loss) pack() packedLoss {
	return packedLoss{fault: int16(l.Fault), cause: l.Cause, broker: uint8(l.Broker)}
}

func (p packedLoss) loss() Loss {
	return Loss{Cause: p.cause, Broker: int32(p.broker), Fault: int32(p.fault)}
}

// A record remembers how so many attempts ended, each in so many bits; those beyond share the last
// place.
const (
	outcomeBits  = 4
	outcomesKept = 32 / outcomeBits
)

func outcomeShift(try int32) int32 { return outcomeBits * min(try-1, outcomesKept-1) }

// attemptEnded notes an attempt that ended otherwise than with SEND_OK.
func (r *message) attemptEnded(try int32, k strategy.OutcomeKind) {
	const mask = 1<<outcomeBits - 1
	shift := outcomeShift(try)
	r.ended = r.ended&^(mask<<shift) | uint32(k)<<shift
}

// gaveUp is how an attempt ended.
func (r *message) gaveUp(try int32) strategy.OutcomeKind {
	return strategy.OutcomeKind(r.ended >> outcomeShift(try) & (1<<outcomeBits - 1))
}

// answerInFlight is the row of the ledger for callers that have no answer yet; the statuses follow in
// strategy's order, then the exceptions.
const (
	answerInFlight = 0
	statuses       = int(strategy.StatusHanded)
	exceptions     = strategy.NumExceptions - 1
	numAnswers     = 1 + statuses + exceptions
)

// answerOf is the ledger row of a result.
func answerOf(res strategy.Result) uint8 {
	if res.Status != strategy.StatusNone {
		return uint8(res.Status)
	}
	return uint8(statuses + int(res.Exception))
}

// answeredWith is the status, or else the exception, of a row. In flight it is neither.
func answeredWith(row uint8) (strategy.Status, strategy.Exception) {
	if row <= uint8(statuses) {
		return strategy.Status(row), strategy.ExceptionNone
	}
	return strategy.StatusNone, strategy.Exception(row - uint8(statuses))
}

// answerName is what the caller of a row was told.
func answerName(row int) string {
	switch {
	case row == answerInFlight:
		return "in flight"
	case row <= statuses:
		return strategy.Status(row).String()
	}
	return strategy.Exception(row - statuses).String()
}

// ledger counts sends by answer and fate. Every send is in exactly one cell at every instant.
type ledger struct {
	weights
	cells [numAnswers][numFates]int64
	sent  int64
	extra int64
	// vanished is the first durable message that something else than a disk took, for Check.
	vanished error
}

// Ledger is a snapshot: what callers were told against what became of the messages, each message of a
// batch counted. The sum of all cells is Sent.
type Ledger struct {
	Sent int64
	// Rows are the answers that occurred; "in flight" is always there, and first.
	Rows []LedgerRow
	// ExtraCopies counts copies stored beyond the first of each message.
	ExtraCopies int64
}

// LedgerRow is one answer ("in flight", a send status, or an exception's name) by fate.
type LedgerRow struct {
	Answer string
	ByFate [numFates]int64
}

func (l *ledger) snapshot() Ledger {
	all, sent, extra := l.messages()
	s := Ledger{Sent: sent, ExtraCopies: extra}
	for i, cells := range all {
		if i == answerInFlight || sum(cells) > 0 {
			s.Rows = append(s.Rows, LedgerRow{Answer: answerName(i), ByFate: cells})
		}
	}
	return s
}

func sum(cells [numFates]int64) int64 {
	var n int64
	for _, c := range cells {
		n += c
	}
	return n
}

// copyState is where one copy of a message stands.
type copyState uint8

const (
	copyGone copyState = iota
	copyAtRisk
	copyDurable
	copyStranded
)

// newMessage opens the record of a message.
func (w *World) newMessage(g *group, number uint64, inst int32) int32 {
	m := w.msgs.alloc()
	r := &w.msgs.items[m]
	s := &w.said.message
	s.Group, s.Number, s.Instance, s.Scheduled = g.index, number, inst-g.first, w.eng.Now()
	*r = message{} // then field by field: a literal would be built aside and copied
	r.Group, r.Number, r.Instance, r.Scheduled = s.Group, s.Number, s.Instance, s.Scheduled
	r.size = w.sizeOf(g, number)
	w.ledger.opens(g.index)
	w.obs.Scheduled(s)
	return m
}

// copyStored counts a new copy in the page cache of broker b's master, brought by an attempt.
func (w *World) copyStored(m, b, try int32) {
	r := &w.msgs.items[m]
	r.copies++
	r.refs++
	log := &w.procs[w.firstProc[b]].log
	c := &w.said.copy // field by field: one of these a message
	c.Message, c.At, c.Broker, c.Number, c.Try = r.Message, w.eng.Now(), b, int32(r.copies), try
	c.GaveUp, c.Late = strategy.OutcomeOK, false
	c.Unsynced, c.UnsyncedBytes = int64(w.logs[b].unflushed.len()), log.end-log.disk
	if r.copies > 1 {
		w.ledger.copied(r.Group)
		c.Late = try < int32(r.stored)
		c.GaveUp = r.gaveUp(min(try, int32(r.stored)))
		c.Fate, c.Attempts = r.fate, int32(r.attempts)
		c.Status, c.Exception = answeredWith(r.answer)
	}
	r.stored = uint8(try)
	w.obs.CopyStored(c)
	w.copyMoves(r, b, copyGone, copyAtRisk, Loss{})
}

// copyMoves takes one copy of a message on broker b from one state to another and follows with the
// fate. why is what took the copy, the zero value if nothing did.
func (w *World) copyMoves(r *message, b int32, from, to copyState, why Loss) {
	r.count(from, -1)
	r.count(to, +1)
	if fate := r.bestFate(); fate != r.fate {
		w.fateChanges(r, b, fate, why)
	}
}

// count adds to the number of copies in a state. Those that are gone are not counted.
func (r *message) count(s copyState, by int8) {
	switch s {
	case copyAtRisk:
		r.atRisk += uint8(by)
	case copyDurable:
		r.durable += uint8(by)
	case copyStranded:
		r.stranded += uint8(by)
	}
}

// bestFate is the best that any copy offers.
func (r *message) bestFate() Fate {
	switch {
	case r.durable > 0:
		return Durable
	case r.atRisk > 0:
		return AtRisk
	case r.stranded > 0:
		return Stranded
	case r.copies > 0:
		return Lost
	}
	return NeverStored
}

func (w *World) fateChanges(r *message, b int32, fate Fate, why Loss) {
	w.ledger.moves(r, r.answer, fate)
	gone := fate == Lost || fate == AtRisk && r.stranded == 0
	if r.fate == Durable && gone && !why.Cause.byDisk() {
		w.vanishes(r, fate, why)
	}
	f := &w.said.fate // field by field: two of these a message
	f.Message, f.At, f.From, f.To, f.Broker, f.Size = r.Message, w.eng.Now(), r.fate, fate, b, r.size
	f.Answered, f.OK = r.answer != answerInFlight, r.acknowledged()
	f.Status, _ = answeredWith(r.answer)
	f.Attempts, f.Copies, f.Loss, f.Was = int32(r.attempts), int32(r.copies), Loss{}, Loss{}
	if r.lost.cause != NotLost {
		f.Was, r.lost = r.lost.loss(), packedLoss{}
	}
	if fate == Stranded || fate == Lost {
		f.Loss, r.lost = why, why.pack()
	}
	r.fate = fate
	w.obs.FateChanged(f)
}

// vanishes remembers what must not happen, for Check.
func (w *World) vanishes(r *message, to Fate, why Loss) {
	if w.ledger.vanished == nil {
		w.ledger.vanished = fmt.Errorf("model: message %d of group %d was durable and is %v at %v (%v)",
			r.Number, r.Group, to, w.Now(), why.Cause)
	}
}

// unref drops one reference and closes the record if that was all.
func (w *World) unref(m int32) {
	r := &w.msgs.items[m]
	r.refs--
	w.maybeClose(m)
}

// maybeClose closes the record once nothing can change it any more, and parks one that only waits for
// an fsync.
func (w *World) maybeClose(m int32) {
	r := &w.msgs.items[m]
	if r.answer == answerInFlight {
		return
	}
	if r.refs == 0 {
		w.msgs.free(m)
		return
	}
	w.park(m)
}

// teller is what a send has to say about itself when its caller is told.
type teller struct {
	began     sim.Time     // when a thread took the message
	first     sim.Duration // how long the first attempt took
	callbacks int32        // how often the callback has run
}

// told books the caller's answer to a send of message m. It is false if the caller sends the message again:
// then there is no answer yet.
func (w *World) told(m int32, by teller, res strategy.Result) bool {
	if res.Exception != strategy.ExceptionNone && w.sendsAgain(m, &by) {
		return false
	}
	r := &w.msgs.items[m]
	if r.resends > 0 {
		w.recall(m, &by)
	}
	row := answerOf(res)
	w.ledger.moves(r, row, r.fate)
	a := &w.said.answer // field by field: one of these a message
	a.Message, a.Began, a.At, a.Result = r.Message, by.began, w.eng.Now(), res
	r.answer, r.AnsweredAt, a.AnsweredAt = row, a.At, a.At
	a.Attempts, a.Callbacks, a.Resends = int32(r.attempts), by.callbacks, int32(r.resends)
	a.Fate, a.Copies, a.Loss = r.fate, int32(r.copies), r.lost.loss()
	a.First, a.FirstOutcome = 0, strategy.OutcomeOK
	if r.attempts > 0 {
		a.First, a.FirstOutcome = by.first, r.gaveUp(1)
	}
	w.obs.Answered(a)
	w.maybeClose(m)
	return true
}

// Check verifies what must hold at every instant: each column of the ledger sums to the messages
// sent, and what is in flight and at risk by the ledger is what the records say.
func (w *World) Check() error {
	var total, risk int64
	for _, row := range w.ledger.cells {
		for f, n := range row {
			if n < 0 {
				return fmt.Errorf("model: ledger cell of fate %v is %d at %v", Fate(f), n, w.Now())
			}
		}
		total += sum(row)
		risk += row[AtRisk]
	}
	if total != w.ledger.sent {
		return fmt.Errorf("model: the ledger holds %d sends of %d at %v",
			total, w.ledger.sent, w.Now())
	}
	flying := sum(w.ledger.cells[answerInFlight])
	if held := w.heldByThreads() + w.silenced; held != flying {
		return fmt.Errorf("model: %d messages in flight, but threads and queues hold %d at %v",
			flying, held, w.Now())
	}
	if live := int64(w.msgs.live) + w.parked; live < flying || live < risk {
		return fmt.Errorf("model: %d records for %d in flight and %d at risk at %v",
			live, flying, risk, w.Now())
	}
	if w.ledger.vanished != nil {
		return w.ledger.vanished
	}
	if err := w.checkCopies(); err != nil {
		return err
	}
	return w.checkLogs()
}

// heldByThreads counts the messages that a thread sends or that wait for one, those of asynchronous sends
// whose callback has not run, and those that will be sent again.
func (w *World) heldByThreads() int64 {
	n := w.resending.pending + int64(w.goSends.live)
	for s, used := range w.sends.used() {
		if used && !w.sends.items[s].told {
			n++
		}
	}
	for i := range w.insts {
		in := &w.insts[i]
		n += int64(in.waiting.len())
		for t := in.firstThread; t < in.firstThread+in.threads; t++ {
			if w.threads[t].msg >= 0 {
				n++
			}
		}
	}
	return n
}
