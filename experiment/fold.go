package experiment

import (
	"fmt"

	"simrun/model"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// fold is the observer of a run: it adds everything it is told to counters and histograms, whose
// number depends on the scenario, not on the number of messages. It never allocates once each kind
// of thing has happened.
type fold struct {
	cfg    *model.Config
	cursor cursor
	// next is the earlier of the next change of phase and the next beginning of a fault.
	next   sim.Time
	digest *digest

	// leaves[phase*len(Producers)+group]; leafBase is the first of the phase that owns the instant.
	leaves   []leaf
	leafBase int
	brokers  brokerFold
	faults   faultFold
	windows  windows
	causes   causes
	exposure exposure
	load     loadFold
	// world is looked at between events, if there is one.
	world world
	// ranged are the messages and attempts of expectations with a window of their own.
	ranged []*ranged
	sent   int64
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
		leaves:  make([]leaf, len(sc.Phases)*len(cfg.Producers)),
		brokers: newBrokerFold(cfg, len(sc.Phases)),
		faults:  newFaultFold(cfg),
		windows: newWindows(cfg, width),
		load:    newLoadFold(cfg, line),
	}
	f.exposure.phases = make([]peak, len(sc.Phases))
	f.exposure.phase = f.cursor.phase
	f.leafBase = f.cursor.phase * len(cfg.Producers)
	f.setNext()
	return f, nil
}

func (f *fold) setNext() {
	f.next = min(f.cursor.next, f.faults.next())
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
		groups := len(f.cfg.Producers)
		f.leafBase = ch.phase * groups
		f.exposure.enter(ch.phase)
		if !ch.begins {
			continue
		}
		for i := range f.leaves {
			if into := f.leafBase + i%groups; into != i {
				f.leaves[into].takeInFlight(&f.leaves[i])
			}
		}
	}
	f.faults.beginUpTo(now)
	f.setNext()
}

// leafOf is the leaf of a message that was in flight, or answered, at the time seen.
func (f *fold) leafOf(m *model.Message, seen sim.Time) *leaf {
	return &f.leaves[f.cursor.of(m.Scheduled, seen)*len(f.cfg.Producers)+int(m.Group)]
}

// Scheduled implements model.Observer.
func (f *fold) Scheduled(m *model.Message) {
	if m.Scheduled >= f.next {
		f.advance(m.Scheduled)
	}
	f.sent++
	f.leaves[f.leafBase+int(m.Group)].inFlight[model.NeverStored]++
	for _, r := range f.ranged {
		if r.holds(m) {
			r.leaf.inFlight[model.NeverStored]++
		}
	}
}

// AttemptEnded implements model.Observer.
func (f *fold) AttemptEnded(a *model.Attempt) {
	if a.Ended >= f.next {
		f.advance(a.Ended)
	}
	f.digest.attempt(a)
	f.windows.sent(a)
	f.brokers.attempt(f.cursor.of(a.Began, a.Ended), a)
	f.faults.attempt(a)
	if !answered(a.Outcome) {
		f.faults.attemptFailed(a)
	}
	for _, r := range f.ranged {
		r.attempt(a)
	}
}

// answered says whether the broker took the message, with whatever status.
func answered(o strategy.Outcome) bool { return o.Kind <= strategy.OutcomeSlaveNotAvailable }

// Answered implements model.Observer.
func (f *fold) Answered(a *model.Answer) {
	if a.At >= f.next {
		f.advance(a.At)
	}
	f.digest.answer(a)
	f.causes.answer(a)
	ns := int64(a.At - a.Scheduled)
	f.leafOf(&a.Message, a.At).answer(a, ns)
	f.windows.answer(a, ns)
	for _, r := range f.ranged {
		if r.holds(&a.Message) {
			r.leaf.answer(a, ns)
		}
	}
}

// answer takes a message out of flight.
func (l *leaf) answer(a *model.Answer, ns int64) {
	l.inFlight[a.Fate]--
	if a.Copies > 1 {
		l.extraInFlight -= int64(a.Copies - 1)
		l.extra += int64(a.Copies - 1)
	}
	l.attempts += int64(a.Attempts)
	if a.Attempts != 1 || a.Result.Status == strategy.StatusNone {
		l.firstFailed++
		if a.Attempts > 0 {
			l.firstTook.add(int64(a.First))
		}
	}
	if a.Result.Status == strategy.StatusNone {
		l.failed[a.Fate]++
		l.fail(a.Result.Exception, a.Result.Code, 1)
	} else {
		l.ok[a.Fate]++
		l.statuses[a.Result.Status]++
		if a.Attempts == 1 && a.Result.Status == strategy.StatusSendOK {
			l.okFirst++
		}
	}
	l.latency.add(ns)
	for _, w := range l.watch {
		w.add(ns)
	}
}

// CopyStored implements model.Observer.
func (f *fold) CopyStored(c *model.Copy) {
	if c.At >= f.next {
		f.advance(c.At)
	}
	f.digest.copyStored(c)
	f.windows.stored(c)
	if c.Number == 1 {
		return
	}
	f.causes.extraCopy(c)
	m, seen := &c.Message, c.At
	if m.AnsweredAt > 0 {
		seen = m.AnsweredAt
	}
	f.leafOf(m, seen).extraCopy(m)
	for _, r := range f.ranged {
		if r.holds(m) {
			r.leaf.extraCopy(m)
		}
	}
}

func (l *leaf) extraCopy(m *model.Message) {
	if m.AnsweredAt > 0 {
		l.extra++
	} else {
		l.extraInFlight++
	}
}

// FateChanged implements model.Observer.
func (f *fold) FateChanged(c *model.FateChange) {
	if c.At >= f.next {
		f.advance(c.At)
	}
	f.digest.fate(c)
	f.causes.fate(c)
	f.exposure.fate(c)
	seen := c.At
	if c.Answered {
		seen = c.AnsweredAt
		f.windows.fate(c)
	}
	f.leafOf(&c.Message, seen).fateChange(c)
	for _, r := range f.ranged {
		if r.holds(&c.Message) {
			r.leaf.fateChange(c)
		}
	}
}

func (l *leaf) fateChange(c *model.FateChange) {
	cells := &l.inFlight
	switch {
	case c.Answered && c.OK:
		cells = &l.ok
	case c.Answered:
		cells = &l.failed
	}
	cells[c.From]--
	cells[c.To]++
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
		total.merge(&f.leaves[i])
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
	return f.causes.check(l)
}

// inFlightAnswer is the ledger's row of messages without an answer.
const inFlightAnswer = "in flight"
