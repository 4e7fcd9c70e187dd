package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// TestLedgerLaws runs random clusters with random faults and looks at them at random instants: the
// world's own checks hold, an account kept from what an Observer is told is the world's ledger cell
// by cell, and no record is held by anything but what it says holds it. After the last fault, when
// nothing arrives any more, nothing may be left.
func TestLedgerLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cfg := drawConfig(rt)
		for i := range cfg.Producers {
			cfg.Producers[i].Batch = rapid.IntRange(0, 3).Draw(rt, "batch")
			fitCalls(&cfg.Producers[i])
		}
		book := newBookkeeper(&cfg)
		w := New(cfg, book)
		looks := rapid.SliceOfN(rapid.Int64Range(0, int64(cfg.Duration)), 1, 10).Draw(rt, "looks")
		slices.Sort(looks)
		for _, at := range append(looks, int64(cfg.Duration)) {
			runTo(t, w, sim.Duration(at))
			checkAll(rt, w, book)
		}
		windDown(w)
		runTo(t, w, cfg.Duration+10*sim.Second) // faults that end have ended
		for (w.heldByThreads() > 0 || len(loose(w)) > 0) && w.Now() < sim.Time(24*sim.Hour) {
			runTo(t, w, sim.Duration(w.Now())+sim.Minute) // a backlog may take seconds a message
		}
		runTo(t, w, sim.Duration(w.Now())+sim.Minute) // what is dirty is flushed
		checkAll(rt, w, book)
		checkNothingLeft(rt, w)
	})
}

// checkAll compares a world with the account of its observer and with itself.
func checkAll(rt *rapid.T, w *World, book *bookkeeper) {
	rt.Helper()
	if err := w.Check(); err != nil {
		rt.Fatal(err)
	}
	if len(book.complaints) > 0 {
		rt.Fatalf("at %v: %v", w.Now(), book.complaints)
	}
	if diff := cmp.Diff(book.ledger(), w.Ledger()); diff != "" {
		rt.Fatalf("at %v the observer's account and the ledger differ (-account +ledger):\n%s",
			w.Now(), diff)
	}
	checkReferences(rt, w)
	checkReplication(rt, w)
}

// bookkeeper keeps both columns of the ledger, message by message, from what an Observer is told.
// What contradicts itself it complains about.
type bookkeeper struct {
	NopObserver
	messages   map[messageID]*entry
	order      []messageID
	complaints []string
	// weights are by group: so many messages a send carries.
	weights []int64
}

type messageID struct {
	group  int32
	number uint64
}

// entry is one message: the answer's row ("in flight" before it), the fate, the copies, and the
// tries with the end of the last.
type entry struct {
	row    uint8
	fate   Fate
	copies int32
	tries  int32
	ended  sim.Time
	loss   Loss
	// outcomes of the tries, and the try that brought the newest copy.
	outcomes []strategy.OutcomeKind
	stored   int32
}

func newBookkeeper(cfg *config.Config) *bookkeeper {
	o := &bookkeeper{messages: map[messageID]*entry{}}
	for i := range cfg.Producers {
		o.weights = append(o.weights, int64(max(1, cfg.Producers[i].Batch)))
	}
	return o
}

func (o *bookkeeper) complain(format string, args ...any) {
	o.complaints = append(o.complaints, fmt.Sprintf(format, args...))
}

func (o *bookkeeper) of(m *Message) *entry {
	e := o.messages[messageID{m.Group, m.Number}]
	if e == nil {
		o.complain("message %d of group %d was never scheduled", m.Number, m.Group)
		e = &entry{}
	}
	return e
}

func (o *bookkeeper) Scheduled(m *Message) {
	id := messageID{m.Group, m.Number}
	if o.messages[id] != nil {
		o.complain("message %v scheduled twice", id)
	}
	o.messages[id] = &entry{}
	o.order = append(o.order, id)
}

func (o *bookkeeper) AttemptEnded(a *Attempt) {
	e := o.of(&a.Message)
	e.tries++
	if e.tries != a.Try || a.Began < e.ended || a.Ended < a.Began || e.row != answerInFlight {
		o.complain("message %d: try %d (counted %d) from %v to %v, the one before until %v", a.Number,
			a.Try, e.tries, a.Began, a.Ended, e.ended)
	}
	e.ended = a.Ended
	e.outcomes = append(e.outcomes, a.Outcome.Kind)
}

func (o *bookkeeper) CopyStored(c *Copy) {
	m, at := &c.Message, c.At
	e := o.of(m)
	e.copies++
	if e.copies != c.Number {
		o.complain("message %d: copy %d is numbered %d at %v", m.Number, e.copies, c.Number, at)
	}
	tries := e.tries
	if e.row == answerInFlight {
		tries++ // the one that is on its way
	}
	if e.copies > tries {
		o.complain("message %d has %d copies after %d tries at %v", m.Number, e.copies, e.tries, at)
	}
	if c.Number > 1 {
		gaveUp := e.outcomes[min(c.Try, e.stored)-1]
		if c.Late != (c.Try < e.stored) || c.Try == e.stored || c.GaveUp != gaveUp {
			o.complain("message %d: copy of try %d after one of try %d, which ended with %v: %+v", m.Number,
				c.Try, e.stored, gaveUp, *c)
		}
	}
	e.stored = c.Try
}

func (o *bookkeeper) FateChanged(f *FateChange) {
	e := o.of(&f.Message)
	if e.fate != f.From || f.From == f.To {
		o.complain("message %d: %v -> %v at %v, but it was %v", f.Number, f.From, f.To, f.At, e.fate)
	}
	if answered := e.row != answerInFlight; answered != f.Answered {
		o.complain("message %d: answered is %v in its fate change at %v", f.Number, f.Answered, f.At)
	}
	bad := f.To == Stranded || f.To == Lost
	if bad != (f.Loss.Cause != NotLost) || !bad && f.Loss != (Loss{}) || f.Was != e.loss {
		o.complain("message %d: %v -> %v with loss %+v, which was %+v before and %+v by itself", f.Number,
			f.From, f.To, f.Loss, e.loss, f.Was)
	}
	e.fate, e.loss = f.To, f.Loss
}

func (o *bookkeeper) Answered(a *Answer) {
	e := o.of(&a.Message)
	if e.row != answerInFlight {
		o.complain("message %d answered twice, at %v", a.Number, a.At)
	}
	if e.fate != a.Fate || e.copies != a.Copies || e.loss != a.Loss {
		o.complain("message %d: answer at %v says %v, %d copies; it was %v, %d", a.Number, a.At,
			a.Fate, a.Copies, e.fate, e.copies)
	}
	if a.At < a.Began || a.Began < a.Scheduled {
		o.complain("message %d: scheduled %v, began %v, answered %v", a.Number, a.Scheduled,
			a.Began, a.At)
	}
	told := a.Result.Status != strategy.StatusNone && a.Result.Status != strategy.StatusHanded
	if told && e.fate == NeverStored {
		o.complain("message %d was acknowledged and never stored", a.Number)
	}
	if e.tries != a.Attempts || a.At < e.ended {
		o.complain("message %d: %d tries until %v, the answer at %v says %d", a.Number, e.tries, e.ended,
			a.At, a.Attempts)
	}
	if a.Attempts > 0 && a.FirstOutcome != e.outcomes[0] || a.First > a.At.Sub(a.Began) {
		o.complain("message %d: first attempt %v after %v, the tries ended %v", a.Number, a.FirstOutcome,
			a.First, e.outcomes)
	}
	e.row = answerOf(a.Result)
}

// ledger is the account in the form of the world's own.
func (o *bookkeeper) ledger() Ledger {
	var l ledger
	for _, id := range o.order {
		e, n := o.messages[id], o.weights[id.group]
		l.sent += n
		l.cells[e.row][e.fate] += n
		l.extra += n * int64(max(0, e.copies-1))
	}
	return l.snapshot()
}

// keptWithoutRequest are the messages whose callers have an answer though an attempt goes on: one-way
// requests that wait for their connection, and asynchronous sends that have called back once already.
func keptWithoutRequest(w *World) []int32 {
	var out []int32
	for c, live := range w.calls.used() {
		if ca := &w.calls.items[c]; live && ca.thread == none && ca.kind == callOneWay {
			out = append(out, ca.msg)
		}
	}
	for s, live := range w.sends.used() {
		if sd := &w.sends.items[s]; live && sd.kept {
			out = append(out, sd.msg)
		}
	}
	return out
}

// checkReferences counts anew who points to each message record: requests that the client or the
// server side holds, copies that are not fsynced, and copies that only slaves have.
func checkReferences(rt *rapid.T, w *World) {
	rt.Helper()
	want := make([]int, len(w.msgs.items))
	liveRequest, liveMessage := w.requests.used(), w.msgs.used()
	for r := range w.requests.items {
		q := &w.requests.items[r]
		if liveRequest[r] && q.msg != none {
			want[q.msg]++
			if !q.client && !q.server {
				rt.Fatalf("at %v request %d is held by nobody", w.Now(), r)
			}
		}
	}
	for _, m := range keptWithoutRequest(w) {
		want[m]++
	}
	for b := range w.logs {
		for i := range w.logs[b].unflushed.len() {
			if c := w.logs[b].unflushed.at(i); c.msg != none {
				want[c.msg]++
			}
		}
		for i := range w.logs[b].kept.len() {
			if c := w.logs[b].kept.at(i); c.msg != none {
				want[c.msg]++
			}
		}
		for i := range w.logs[b].orphans {
			want[w.logs[b].orphans[i].msg]++
		}
	}
	for m := range w.msgs.items {
		r := &w.msgs.items[m]
		switch live := liveMessage[m]; {
		case live && int(r.refs) != want[m]:
			rt.Fatalf("at %v message %d has %d references, %d counted", w.Now(), r.Number, r.refs,
				want[m])
		case !live && want[m] > 0:
			rt.Fatalf("at %v the closed record of message %d is used %d times", w.Now(), r.Number,
				want[m])
		case live && r.refs == 0 && r.answer != answerInFlight:
			rt.Fatalf("at %v message %d should be closed", w.Now(), r.Number)
		}
	}
}

// windDown makes no further message come, but for the one of each group that is planned already,
// and lifts slow faults, so that backlogs end.
func windDown(w *World) {
	for p := range w.procs {
		w.procs[p].factor, w.procs[p].delay = 1, 0
	}
	far := 1_000_000 * sim.Hour
	for g := range w.groups {
		w.groups[g].shape = nil
		w.groups[g].gap, w.groups[g].think = distOf(must(sim.Constant(far))), distOf(must(sim.Constant(far)))
		w.groups[g].offset, w.groups[g].period = float64(far), 0
	}
}

// checkNothingLeft asks that a world at rest holds no request but those in a process that stays
// paused, and no record but of those, of copies at risk on a host that stays down or paused, or that an
// fsync has not written, and of copies that only slaves have.
func checkNothingLeft(rt *rapid.T, w *World) {
	rt.Helper()
	if n := w.heldByThreads(); n > 0 {
		rt.Errorf("%d messages in flight", n)
	}
	if l := loose(w); len(l) > 0 {
		rt.Errorf("%d requests are still there, such as %+v", len(l), w.requests.items[l[0]])
	}
	needed := map[int32]bool{}
	for r, live := range w.requests.used() {
		if q := &w.requests.items[r]; live && q.msg != none {
			needed[q.msg] = true
		}
	}
	for b := range w.logs {
		ml := &w.logs[b]
		p := &w.procs[w.firstProc[b]]
		writes := p.disk.readOnly == 0 && p.log.hole.Cause == NotLost
		if ml.unflushed.len() > 0 && p.running && !p.stopped() && writes {
			rt.Errorf("broker %d runs and has %d copies at risk", b, ml.unflushed.len())
		}
		for i := range ml.unflushed.len() {
			if c := ml.unflushed.at(i); c.msg != none {
				needed[c.msg] = true
			}
		}
		for i := range ml.orphans {
			needed[ml.orphans[i].msg] = true
		}
	}
	for _, m := range keptWithoutRequest(w) {
		needed[m] = true
	}
	if w.msgs.live != len(needed)+int(w.silenced) {
		rt.Errorf("%d message records, %d of them needed", w.msgs.live, len(needed))
	}
}

// loose are the requests of messages that no process holds which stays stopped or stuck: they will come
// to an end.
func loose(w *World) []int32 {
	stuck := map[int32]bool{}
	for p := range w.procs {
		if pr := &w.procs[p]; pr.stopped() || pr.disk.stalls > 0 || pr.lock.holds > 0 {
			for _, r := range heldByProcess(w, pr) {
				stuck[r] = true
			}
		}
	}
	var out []int32
	for r, live := range w.requests.used() {
		if live && w.requests.items[r].msg != none && !stuck[int32(r)] {
			out = append(out, int32(r))
		}
	}
	return out
}

// heldByProcess are the requests in a process's hands and its socket buffers.
func heldByProcess(w *World, pr *process) []int32 {
	held := slices.Clone(pr.inbox)
	if pr.id == 0 {
		for t, i := &w.ha[pr.broker].transfers, 0; i < t.waits.len(); i++ {
			if i >= t.given {
				held = append(held, t.waits.at(i).request)
			}
		}
	}
	for _, f := range pr.frozen {
		held = append(held, f.request)
	}
	if pr.lock.holding {
		held = append(held, pr.lock.holder)
	}
	for i := range pr.lock.waiting.len() {
		held = append(held, *pr.lock.waiting.at(i))
	}
	for i := range pr.queue.len() {
		held = append(held, *pr.queue.at(i))
	}
	for i := range pr.awaiting.len() {
		held = append(held, *pr.awaiting.at(i))
	}
	return held
}
