package experiment

import (
	"fmt"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// fold is the observer of a run: it adds everything it is told to counters and histograms, whose
// number depends on the scenario, not on the number of messages. It never allocates once each kind
// of thing has happened.
type fold struct {
	cfg    *config.Config
	cursor cursor
	// next is the earlier of the next change of phase and the next beginning of a fault.
	next   sim.Time
	digest *digest

	// leaves[phase*len(slots.list)+slot]; leafBase is the first of the phase that owns the instant.
	leaves   []leaf
	slots    slots
	leafBase int
	brokers  brokerFold
	faults   faultFold
	windows  windows
	causes   causes
	scatter  scatter
	lanes    isolations
	look     exemplars
	exposure exposure
	load     loadFold

	availability availability
	instances    instanceFold
	queues       queueFold
	// world is looked at between events, if there is one.
	world world
	// ranged are the messages and attempts of expectations with a window of their own.
	ranged []*ranged
	sent   int64
	// unsent are the attempts of messages in flight that their clients gave up before they sent anything.
	unsent map[messageID]unsent
	// Of the last change of a fault table: see Witness.
	isolates, explained bool
}

var _ model.Observer = (*fold)(nil)

func newFold(sc *scenarios.Scenario, width sim.Duration) (*fold, error) {
	cfg := &sc.Config
	line, err := newTimeline(sc.Phases, cfg)
	if err != nil {
		return nil, err
	}
	f := &fold{
		cfg:     cfg,
		cursor:  line.start(),
		digest:  newDigest(),
		slots:   newSlots(cfg),
		brokers: newBrokerFold(cfg, len(sc.Phases)),
		windows: newWindows(cfg, width),
		scatter: newScatter(cfg.Seed),
		lanes:   newIsolations(cfg),
		look:    newExemplars(cfg, sc.Phases),
		load:    newLoadFold(cfg, line),
		unsent:  map[messageID]unsent{},
	}
	f.faults = newFaultFold(cfg, &f.slots)
	f.availability = newAvailability(cfg, line, &f.slots)
	f.instances = newInstanceFold(cfg, &f.slots, len(sc.Phases))
	f.queues = newQueueFold(cfg, len(sc.Phases))
	f.leaves = make([]leaf, len(sc.Phases)*len(f.slots.list))
	f.exposure.phases = make([]peak, len(sc.Phases))
	f.exposure.phase = f.cursor.phase
	f.leafBase = f.cursor.phase * len(f.slots.list)
	f.setNext()
	return f, nil
}

func (f *fold) setNext() {
	f.next = min(f.cursor.next, f.faults.next(), f.availability.next)
	if f.exposure.look {
		f.next = min(f.next, f.exposure.lookAfter+1)
	}
}

// advance books the changes of phase and the beginnings of faults up to and including now. Faults
// come first at an instant, so whatever is told at it comes after.
func (f *fold) advance(now sim.Time) {
	if f.exposure.look && now > f.exposure.lookAfter {
		f.exposure.look = false
		f.sample(now)
	}
	for f.cursor.next <= now {
		ch := f.cursor.step()
		n := len(f.slots.list)
		f.leafBase = ch.phase * n
		f.exposure.enter(ch.phase)
		clear(f.brokers.top)
		if !ch.begins {
			continue
		}
		for i := range f.leaves {
			if into := f.leafBase + i%n; into != i {
				f.leaves[into].takeInFlight(&f.leaves[i])
			}
		}
	}
	f.faults.beginUpTo(now)
	f.availability.advance(now)
	f.setNext()
}

// leaf is that of a phase and a slot.
func (f *fold) leaf(phase, slot int) *leaf { return &f.leaves[phase*len(f.slots.list)+slot] }

// Scheduled implements model.Observer.
func (f *fold) Scheduled(m *model.Message) {
	if m.Scheduled >= f.next {
		f.advance(m.Scheduled)
	}
	slot, n := f.slotOf(m), f.weight(m)
	f.sent += n
	f.leaves[f.leafBase+slot].inFlight[model.NeverStored] += n
	f.windows.scheduled(m, n)
	if len(f.ranged) > 0 {
		f.rangedLeaves(m, slot, func(l *leaf) { l.inFlight[model.NeverStored] += n })
	}
}

// AttemptEnded implements model.Observer.
func (f *fold) AttemptEnded(a *model.Attempt) {
	if a.Ended >= f.next {
		f.advance(a.Ended)
	}
	f.digest.attempt(a)
	slot, n := f.slotOf(&a.Message), f.weight(&a.Message)
	phase := f.cursor.of(a.Began, a.Ended)
	if !a.Unsent {
		f.windows.sent(a, n)
		f.queues.layout.add(&f.queues.phases[phase], f.slots.list[slot].topic, a, n)
	}
	f.leaves[phase*len(f.slots.list)+slot].attempt(a, n)
	f.brokers.attempt(phase, a, n)
	if len(f.faults.open[a.Queue.Broker]) > 0 {
		f.faults.attempt(a, n)
	}
	if !succeeded(a.Outcome) {
		f.faults.attemptFailed(a, n)
	}
	if len(f.ranged) > 0 {
		f.rangedAttempt(a, slot, n)
	}
	if a.Unsent {
		f.gaveUp(a)
	}
}

// attempt counts how long an attempt for n messages took.
func (l *leaf) attempt(a *model.Attempt, n int64) {
	if !a.Unsent {
		l.sent += n
	}
	of := result.SampleAttemptsOK
	if !succeeded(a.Outcome) {
		of = result.SampleAttemptsFailed
	}
	l.took(of, int64(a.Ended-a.Began), n)
}

// succeeded says whether an attempt did not fail: the broker took the message, with whatever status, or
// nobody asked.
func succeeded(o strategy.Outcome) bool {
	return o.Kind <= strategy.OutcomeSlaveNotAvailable || o.Kind == strategy.OutcomeHanded
}

// Answered implements model.Observer.
func (f *fold) Answered(a *model.Answer) {
	if a.At >= f.next {
		f.advance(a.At)
	}
	f.digest.answer(a)
	slot, n := f.slotOf(&a.Message), f.weight(&a.Message)
	f.causes.answer(a, n)
	never := f.neverSent(a)
	phase := f.cursor.of(a.Scheduled, a.At)
	f.leaf(phase, slot).answer(a, never, n)
	f.availability.answered(slot, a, n)
	f.instanceAnswered(phase, slot, a, n)
	f.windows.answer(a, int64(a.At-a.Scheduled), n)
	f.scatter.answer(a)
	f.look.answered(a, phase, n)
	if len(f.ranged) > 0 {
		f.rangedLeaves(&a.Message, slot, func(l *leaf) { l.answer(a, never, n) })
	}
}

// answer takes the n messages of a send out of flight, of whose attempts some were never sent.
func (l *leaf) answer(a *model.Answer, never unsent, n int64) {
	l.inFlight[a.Fate] -= n
	if a.Copies > 1 {
		l.extraInFlight -= int64(a.Copies-1) * n
		l.extra += int64(a.Copies-1) * n
	}
	l.attempts += int64(a.Attempts) * n
	l.byAttempts[min(int(a.Attempts), mostAttempts)] += n
	l.unsent += int64(never.attempts) * n
	l.unsentRetries += int64(never.retries) * n
	if a.Attempts != 1 || a.Result.Status == strategy.StatusNone {
		l.firstFailed += n
		if a.Attempts > 0 {
			l.retries += int64(max(0, a.Attempts-1-a.Resends)) * n
			l.took(result.SampleFirstFailed, int64(a.First), n)
		}
	}
	if a.Callbacks > 1 {
		l.doubled += n
	}
	if a.Resends > 0 {
		l.resends += int64(a.Resends) * n
		l.resent += n
	}
	switch a.Result.Status {
	case strategy.StatusNone:
		l.failed[a.Fate] += n
		l.fail(a.Result.Exception, a.Result.Code, n)
	case strategy.StatusHanded:
		l.handed[a.Fate] += n
	default:
		l.ok[a.Fate] += n
		l.statuses[a.Result.Status] += n
		if a.Attempts == 1 && a.Result.Status == strategy.StatusSendOK {
			l.okFirst += n
		}
	}
	l.took(result.SampleWaits, int64(a.Began-a.Scheduled), n)
	l.took(result.SampleAnswers, int64(a.At-a.Scheduled), n)
}

// CopyStored implements model.Observer.
func (f *fold) CopyStored(c *model.Copy) {
	if c.At >= f.next {
		f.advance(c.At)
	}
	f.digest.copyStored(c)
	f.windows.stored(c)
	if c.UnsyncedBytes > f.brokers.top[c.Broker] || len(f.brokers.ranged) > 0 {
		f.exposed(int(c.Broker), c.At, brokerPeak{unsyncedBytes: c.UnsyncedBytes})
	}
	if c.Number == 1 {
		return
	}
	m, seen := &c.Message, c.At
	slot, n := f.slotOf(m), f.weight(m)
	f.causes.extraCopy(c, n)
	if m.AnsweredAt > 0 {
		seen = m.AnsweredAt
	}
	phase := f.cursor.of(m.Scheduled, seen)
	f.leaf(phase, slot).extraCopy(m, n)
	f.look.extraCopy(c, phase, n)
	if len(f.ranged) > 0 {
		f.rangedLeaves(m, slot, func(l *leaf) { l.extraCopy(m, n) })
	}
}

func (l *leaf) extraCopy(m *model.Message, n int64) {
	if m.AnsweredAt > 0 {
		l.extra += n
	} else {
		l.extraInFlight += n
	}
}

// FateChanged implements model.Observer.
func (f *fold) FateChanged(c *model.FateChange) {
	if c.At >= f.next {
		f.advance(c.At)
	}
	f.digest.fate(c)
	slot, n := f.slotOf(&c.Message), f.weight(&c.Message)
	f.exposure.fate(c, n)
	seen := c.At
	if c.Answered {
		seen = c.AnsweredAt
	}
	phase := f.cursor.of(c.Scheduled, seen)
	f.leaf(phase, slot).fateChange(c, n)
	if gone(c.From) || gone(c.To) {
		f.causes.fate(c, n)
		f.windows.fate(c, n)
		f.scatter.fate(c)
	}
	f.look.fate(c, phase, n)
	if len(f.ranged) > 0 {
		f.rangedLeaves(&c.Message, slot, func(l *leaf) { l.fateChange(c, n) })
	}
}

func (l *leaf) fateChange(c *model.FateChange, n int64) {
	cells := &l.inFlight
	switch {
	case c.Answered && c.OK:
		cells = &l.ok
	case c.Answered && c.Status == strategy.StatusHanded:
		cells = &l.handed
	case c.Answered:
		cells = &l.failed
	}
	cells[c.From] -= n
	cells[c.To] += n
}

// TableChanged implements model.Observer.
func (f *fold) TableChanged(c *model.TableChange) {
	if c.At >= f.next {
		f.advance(c.At)
	}
	f.digest.table(c)
	isolates := c.Until > c.At && (!c.Known || c.After.Start != c.Before.Start)
	// The client measures in whole milliseconds, so the attempt may have begun one earlier.
	began := c.At.Add(-sim.Duration(c.After.Latency+1) * sim.Millisecond)
	explained := isolates && f.faults.isolated(c, began)
	f.brokers.table(f.cursor.timeline, f.cursor.phase, c, isolates, explained)
	f.faults.table(c, explained)
	f.lanes.table(c, isolates, explained)
	f.isolates, f.explained = isolates, explained
}

// Probed implements model.Observer.
func (f *fold) Probed(p *model.ProbeEnd) {
	if p.At >= f.next {
		f.advance(p.At)
	}
	f.brokers.rows[f.cursor.phase*f.brokers.brokers+int(p.Broker)].probed(p)
	for _, r := range f.brokers.ranged {
		if r.sees(int(p.Broker), p.At) {
			r.row.probed(p)
		}
	}
}

// RouteChanged implements model.Observer.
func (f *fold) RouteChanged(r *model.RouteChange) {
	if r.At >= f.next {
		f.advance(r.At)
	}
	f.faults.route(r)
}

// Process implements model.Observer.
func (f *fold) Process(p *model.ProcessEvent) {
	if p.At >= f.next {
		f.advance(p.At)
	}
	f.faults.process(p)
	f.lookAfter(p.At)
}

// check compares the fold's account with the model's own ledger. They are kept apart, so a
// difference is a bug in one of them.
func (f *fold) check(l *model.Ledger) error {
	var total leaf
	for i := range f.leaves {
		total.count(&f.leaves[i])
	}
	if total.messages() != l.Sent {
		return fmt.Errorf("experiment: phases hold %d messages of %d", total.messages(), l.Sent)
	}
	var fate [fates]int64
	var inFlight [fates]int64
	for _, row := range l.Rows {
		for i, n := range row.ByFate {
			fate[i] += n
			if row.Answer == inFlightAnswer {
				inFlight[i] += n
			}
		}
	}
	for i := range fate {
		if got := total.fate(model.Fate(i)); got != fate[i] {
			return fmt.Errorf("experiment: phases hold %d messages %v, the ledger %d",
				got, model.Fate(i), fate[i])
		}
	}
	if total.inFlight != inFlight {
		return fmt.Errorf("experiment: phases hold %v in flight by fate, the ledger %v",
			total.inFlight, inFlight)
	}
	if got := total.extra + total.extraInFlight; got != l.ExtraCopies {
		return fmt.Errorf("experiment: phases hold %d extra copies, the ledger %d",
			got, l.ExtraCopies)
	}
	if got := f.exposure.now.messages; got != fate[model.AtRisk] {
		return fmt.Errorf("experiment: %d messages at risk, the ledger has %d", got, fate[model.AtRisk])
	}
	if err := f.checkUnsent(&total); err != nil {
		return err
	}
	return f.causes.check(l)
}

// inFlightAnswer is the ledger's row of messages without an answer.
const inFlightAnswer = "in flight"
