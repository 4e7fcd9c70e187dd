package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/sim"
)

// differ compares what two runs tell. A telling waits in pending for that of the other run; while the runs
// are alike, nothing does at the end of a window.
type differ struct {
	sides   [2]*side
	brokers []string
	pending map[fact]telling
	// until is how far both were made, of end.
	until, end sim.Time
	// first, decision, answer and budget are the earliest of their kinds found so far, nil while there is
	// none.
	first, decision, answer, budget *parting
	// equal counts the messages answered alike, in windows before the one in which the runs part; equalAt has
	// when, for those since. messages are all that were answered in the first run.
	equal, messages int64
	equalAt         []sim.Time
	parted          bool
}

// parting is a fact of which the runs have different things to say; has is false where one has nothing.
type parting struct {
	at   sim.Time
	what string
	fact fact
	told [2]telling
	has  [2]bool
}

// patience is how long a telling waits for that of the other run, once something differs, before the other is
// taken not to come.
const patience = 60 * sim.Second

// most bounds what waits, if the runs have nothing in common any more.
const most = 1 << 20

// take compares a telling with that of the other run, or keeps it until that comes.
func (d *differ) take(f fact, t telling) {
	if f.happening == happensAnswer && t.side == 0 {
		d.messages++
	}
	other, ok := d.pending[f]
	switch {
	case ok && other.side != t.side:
		delete(d.pending, f)
		d.compare(f, other, t)
		return
	case d.late(f, t) || len(d.pending) >= most:
		return
	case f.happening == happensAttempt && d.unanswerable(f, t):
		d.alone(f, t)
		return
	}
	d.pending[f] = t
	if f.happening == happensAnswer {
		d.beyond(f, t)
	}
}

// late says that what the two have to say of a fact can be no earlier than what was found already.
func (d *differ) late(f fact, t telling) bool {
	if f.happening == happensAnswer {
		return d.answer != nil && t.at > d.answer.at
	}
	return d.decision != nil && t.began > d.decision.at
}

// unanswerable says that the other run has answered the message without such an attempt.
func (d *differ) unanswerable(f fact, t telling) bool {
	answer, ok := d.pending[fact{happening: happensAnswer, group: f.group, number: f.number}]
	return ok && answer.side != t.side && answer.attempts < f.n
}

// beyond finds the attempts of the other run beyond those of a message that is answered here.
func (d *differ) beyond(f fact, answer telling) {
	for n := answer.attempts + 1; ; n++ {
		key := fact{happening: happensAttempt, group: f.group, number: f.number, n: n}
		t, ok := d.pending[key]
		if !ok || t.side == answer.side {
			return
		}
		delete(d.pending, key)
		d.alone(key, t)
	}
}

// compare notes what differs between two tellings of a fact.
func (d *differ) compare(f fact, x, y telling) {
	a, b := x, y
	if x.side == 1 {
		a, b = y, x
	}
	note := func(at sim.Time, what string) {
		d.note(&parting{at: at, what: what, fact: f, told: [2]telling{a, b}, has: [2]bool{true, true}})
	}
	began, at := min(a.began, b.began), min(a.at, b.at)
	alike := d.first
	if a.queue != b.queue {
		note(began, result.DiffQueue)
	}
	if a.timeout != b.timeout {
		note(began, result.DiffBudget)
	}
	if a.refuses != b.refuses || a.reachable != b.reachable {
		note(at, result.DiffTable)
	}
	if a.outcome != b.outcome || a.result != b.result {
		note(at, result.DiffOutcome)
	}
	if a.instance != b.instance && f.happening == happensSchedule {
		note(at, result.DiffLoad)
	}
	switch when := min(began, at); {
	case a.began == b.began && a.at == b.at:
	case a.began == b.began:
		note(at, whatOfTime[f.happening])
	default:
		note(when, whatOfTime[f.happening])
	}
	if f.happening == happensAnswer && d.first == alike {
		d.alike(at)
	}
}

// whatOfTime is what it is that differs if a time does.
var whatOfTime = [...]string{
	happensSchedule: result.DiffLoad, happensAttempt: result.DiffTime, happensAnswer: result.DiffTime,
	happensFate: result.DiffFate, happensTable: result.DiffTime,
}

// whatIfAlone is what it is that differs if only one of the runs has it.
var whatIfAlone = [...]string{
	happensSchedule: result.DiffLoad, happensAttempt: result.DiffAttempt, happensAnswer: result.DiffTime,
	happensFate: result.DiffFate, happensTable: result.DiffTable,
}

// alone notes a fact that only one of the runs has.
func (d *differ) alone(f fact, t telling) {
	x := &parting{at: t.began, what: whatIfAlone[f.happening], fact: f}
	x.told[t.side], x.has[t.side] = t, true
	d.note(x)
}

// note keeps a difference if it is the earliest of its kind.
func (d *differ) note(x *parting) {
	switch x.what {
	case result.DiffBudget:
		d.budget = earlier(d.budget, x)
		return
	case result.DiffQueue, result.DiffAttempt, result.DiffTable:
		d.decision = earlier(d.decision, x)
	}
	d.first = earlier(d.first, x)
	if x.what == result.DiffOutcome && x.fact.happening == happensAnswer {
		d.answer = earlier(d.answer, x)
	}
}

// weight orders what differs at one instant: what explains most comes first.
var weight = []string{
	result.DiffLoad, result.DiffTable, result.DiffQueue, result.DiffAttempt, result.DiffOutcome,
	result.DiffTime, result.DiffFate, result.DiffBudget,
}

// earlier is the earlier of two differences; nil is none.
func earlier(x, y *parting) *parting {
	if x == nil || precedes(y, x) {
		return y
	}
	return x
}

// precedes orders differences, so that which is the first does not depend on how they were found.
func precedes(x, y *parting) bool {
	if x.at != y.at {
		return x.at < y.at
	}
	if p, q := slices.Index(weight, x.what), slices.Index(weight, y.what); p != q {
		return p < q
	}
	f, g := x.fact, y.fact
	switch {
	case f.group != g.group:
		return f.group < g.group
	case f.number != g.number:
		return f.number < g.number
	case f.happening != g.happening:
		return f.happening < g.happening
	}
	return f.n < g.n || f.n == g.n && f.seq < g.seq
}

// alike counts a message that is answered alike in both.
func (d *differ) alike(at sim.Time) {
	if d.first == nil || at < d.first.at {
		d.equalAt = append(d.equalAt, at)
	}
}

// closeWindow settles what both runs have told up to the same time.
func (d *differ) closeWindow() {
	d.parted = d.parted || d.first != nil || len(d.pending) > 0
	if !d.parted {
		d.equal += int64(len(d.equalAt))
		d.equalAt = d.equalAt[:0]
		return
	}
	for f, t := range d.pending { // the earliest counts, whatever the order
		if d.until.Sub(t.at) >= patience || d.late(f, t) {
			delete(d.pending, f)
			d.alone(f, t)
		}
	}
}

// settled says that a decision that differs was found, and an answer, and that both can be no others: nothing
// older waits for the other run, and no message that is older is without an answer. Who waits for ever is not
// waited for.
func (d *differ) settled() bool {
	if d.decision == nil || d.answer == nil {
		return false
	}
	if d.until.Sub(d.answer.at) >= patience {
		return true
	}
	for f, t := range d.pending {
		if !d.late(f, t) {
			return false
		}
	}
	for _, s := range d.sides {
		for _, scheduled := range s.flying {
			if scheduled <= d.decision.at {
				return false
			}
		}
	}
	return true
}

// giveUp takes what still waits for the other run not to come.
func (d *differ) giveUp() {
	for f, t := range d.pending {
		d.alone(f, t)
	}
	clear(d.pending)
}

// equalBefore is how many messages were answered alike before anything differed.
func (d *differ) equalBefore() int64 {
	n := d.equal
	for _, at := range d.equalAt {
		if d.first == nil || at < d.first.at {
			n++
		}
	}
	return n
}
