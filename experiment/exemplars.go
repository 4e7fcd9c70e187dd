package experiment

import (
	"cmp"
	"math"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

const (
	// fewOfClass is how many messages of a reason and a phase stand by to be shown. The first are kept: the
	// sooner they are over, the sooner their stories are told.
	fewOfClass = 2
	// fewSlowest is how many of the slowest messages of a phase stand by.
	fewSlowest = 4
	// fewHanded is how many messages of a phase that were handed over and are not stored stand by. While
	// there are more, later ones are not noticed.
	fewHanded = 8
)

// exemplarKind is what makes a message worth a look, by falling weight.
type exemplarKind uint8

const (
	kindLost exemplarKind = iota
	kindFailed
	kindDuplicated
	kindMissed
	kindSlowest
	exemplarKinds
)

// reason is why messages of a kind are what they are. What it consists of depends on the kind.
type reason struct {
	kind      exemplarKind
	exception strategy.Exception // of a failed one, with its code
	code      int
	cause     model.LossCause // of a lost or missed one, with its broker; NotLost: it was never stored
	broker    int32
	gaveUp    strategy.OutcomeKind // of a duplicated one
	late      bool
}

// reasonFold counts the messages of a reason, after the warm-up, and remembers of how many of each phase it
// has taken note.
type reasonFold struct {
	reason
	n     int64
	taken []uint8
}

// codeUnknown is the code of an answer of which only the exception is known.
const codeUnknown = -1

// candidate is a message that may be shown.
type candidate struct {
	model.Message
	reason           int // index, or none of a slow one
	phase            int // that it belongs to, as far as is known
	answer           strategy.Result
	fate             model.Fate
	attempts, copies int32
}

func (c *candidate) is(m *model.Message) bool { return c.Number == m.Number && c.Group == m.Group }

// took is how long it took up to its answer.
func (c *candidate) took() sim.Duration { return c.AnsweredAt.Sub(c.Scheduled) }

// exemplars stand by to be shown at the end of a run: messages that were lost, failed, duplicated or missed,
// the first of each reason and phase, and the slowest of each phase. Their number depends on the scenario,
// not on the number of messages. Most messages cost three comparisons.
type exemplars struct {
	skip    int // the phase that has none: the warm-up, or -1
	phases  int
	reasons []reasonFold
	list    []candidate
	// slowest are by phase; slower is what a message has to take to be among them.
	slowest [][]candidate
	slower  []sim.Duration
	few     int // how many of the slowest stand by: not more than there are instances
	// handed are by phase the first messages that were handed over and are not stored so far, unstored is
	// how many there are in all.
	handed   [][]candidate
	unstored int64
	// watched says by a hash of their number which messages may be among the candidates.
	watched [watchWords]uint64
}

// watchWords times 64 is how many values the hash of a message has.
const watchWords = 256

func newExemplars(cfg *config.Config, phases []result.Phase) exemplars {
	x := exemplars{
		skip: -1, phases: len(phases), slowest: make([][]candidate, len(phases)),
		slower: make([]sim.Duration, len(phases)), handed: make([][]candidate, len(phases)),
	}
	for i := range cfg.Producers {
		x.few = min(fewSlowest, x.few+cfg.Producers[i].Count)
	}
	for i, p := range phases {
		x.slower[i] = -1
		if p.Name == result.PhaseWarmup {
			x.skip, x.slower[i] = i, math.MaxInt64
		}
	}
	return x
}

// bit is where a message is in watched.
func bit(m *model.Message) (word int, mask uint64) {
	const golden = 0x9e3779b97f4a7c15 // spreads consecutive numbers
	h := (m.Number + uint64(m.Group)<<32) * golden
	return int(h >> 56), 1 << (h >> 50 & 63)
}

func (x *exemplars) watch(m *model.Message) {
	word, mask := bit(m)
	x.watched[word] |= mask
}

// mayWatch is true for each candidate, and for few other messages.
func (x *exemplars) mayWatch(m *model.Message) bool {
	word, mask := bit(m)
	return x.watched[word]&mask != 0
}

// each calls f for each candidate that is a message.
func (x *exemplars) each(m *model.Message, f func(*candidate)) {
	visit := func(list []candidate) {
		for i := range list {
			if list[i].is(m) {
				f(&list[i])
			}
		}
	}
	visit(x.list)
	for _, list := range x.slowest {
		visit(list)
	}
}

// index is where a reason is; its first message makes it known.
func (x *exemplars) index(r reason) int {
	for i := range x.reasons {
		if x.reasons[i].reason == r {
			return i
		}
	}
	x.reasons = append(x.reasons, reasonFold{reason: r, taken: make([]uint8, x.phases)})
	return len(x.reasons) - 1
}

// offer counts n messages of a send with a reason and takes note of the first ones.
func (x *exemplars) offer(r reason, c candidate, n int64) {
	if c.phase == x.skip {
		return
	}
	c.reason = x.index(r)
	fold := &x.reasons[c.reason]
	fold.n += n
	if fold.taken[c.phase] == fewOfClass {
		return
	}
	fold.taken[c.phase]++
	x.list = append(x.list, c)
	x.watch(&c.Message)
}

// withdraw takes back what was offered of a message for a reason.
func (x *exemplars) withdraw(r reason, m *model.Message, phase int, n int64) {
	if phase == x.skip {
		return
	}
	k := x.index(r)
	x.reasons[k].n -= n
	if !x.mayWatch(m) {
		return
	}
	x.list = slices.DeleteFunc(x.list, func(c candidate) bool {
		gone := c.reason == k && c.is(m)
		if gone {
			x.reasons[k].taken[c.phase]--
		}
		return gone
	})
}

// answered tells of the answer to n messages of a send that belong to a phase.
func (x *exemplars) answered(a *model.Answer, phase int, n int64) {
	if x.mayWatch(&a.Message) {
		x.each(&a.Message, func(c *candidate) {
			c.AnsweredAt, c.phase, c.answer = a.At, phase, a.Result
			c.fate, c.attempts, c.copies = a.Fate, a.Attempts, a.Copies
		})
	}
	took, status := a.At.Sub(a.Scheduled), a.Result.Status
	switch {
	case status == strategy.StatusNone:
		r := reason{kind: kindFailed, exception: a.Result.Exception, code: a.Result.Code}
		x.offer(r, candidateOf(a, phase), n)
	case status == strategy.StatusHanded:
		x.handsOver(a, phase, n)
	case gone(a.Fate):
		x.offer(lossOf(kindLost, a.Loss), candidateOf(a, phase), n)
	}
	if took > x.slower[phase] {
		x.slow(candidateOf(a, phase))
	}
}

// candidateOf is a message that was answered just now.
func candidateOf(a *model.Answer, phase int) candidate {
	c := candidate{
		Message: a.Message, reason: -1, phase: phase, answer: a.Result, fate: a.Fate,
		attempts: a.Attempts, copies: a.Copies,
	}
	c.AnsweredAt = a.At
	return c
}

func lossOf(kind exemplarKind, l model.Loss) reason {
	return reason{kind: kind, cause: l.Cause, broker: l.Broker}
}

// slow puts a message among the slowest of its phase, of which there is one for each instance.
func (x *exemplars) slow(c candidate) {
	list := x.slowest[c.phase]
	place := slices.IndexFunc(list, func(o candidate) bool {
		return o.Group == c.Group && o.Instance == c.Instance
	})
	switch {
	case place >= 0 && list[place].took() >= c.took():
		return
	case place >= 0:
		list = slices.Delete(list, place, place+1)
	case len(list) == x.few:
		list = list[:x.few-1]
	}
	at, _ := slices.BinarySearchFunc(list, c, func(o, c candidate) int {
		return cmp.Or(cmp.Compare(c.took(), o.took()), -1) // the first of those that took as long
	})
	x.slowest[c.phase] = slices.Insert(list, at, c)
	if list = x.slowest[c.phase]; len(list) == x.few {
		x.slower[c.phase] = list[x.few-1].took()
	}
	x.watch(&c.Message)
}

// handsOver tells of a one-way message that its client handed over, mostly before anything is stored.
func (x *exemplars) handsOver(a *model.Answer, phase int, n int64) {
	switch {
	case phase == x.skip:
	case gone(a.Fate):
		x.offer(lossOf(kindMissed, a.Loss), candidateOf(a, phase), n)
	case a.Fate == model.NeverStored:
		x.unstored += n
		if len(x.handed[phase]) < fewHanded {
			x.handed[phase] = append(x.handed[phase], candidateOf(a, phase))
		}
	}
}

// extraCopy tells of a copy beyond the first of n messages of a send.
func (x *exemplars) extraCopy(c *model.Copy, phase int, n int64) {
	r := reason{kind: kindDuplicated, gaveUp: c.GaveUp, late: c.Late}
	if x.mayWatch(&c.Message) {
		known := false
		x.each(&c.Message, func(o *candidate) {
			o.copies = c.Number
			known = known || o.reason >= 0 && x.reasons[o.reason].kind == kindDuplicated
		})
		if known {
			x.reasons[x.index(r)].n += n
			return
		}
	}
	x.offer(r, candidate{
		Message: c.Message, phase: phase, fate: c.Fate, attempts: c.Attempts, copies: c.Number,
		answer: strategy.Result{Status: c.Status, Exception: c.Exception, Code: codeUnknown},
	}, n)
}

// fate tells of what becomes of n messages of a send that belong to a phase.
func (x *exemplars) fate(c *model.FateChange, phase int, n int64) {
	if x.mayWatch(&c.Message) {
		x.each(&c.Message, func(o *candidate) { o.fate, o.copies = c.To, c.Copies })
	}
	switch {
	case c.OK && !gone(c.From) && !gone(c.To): // as nearly always
	case c.OK:
		x.turns(kindLost, c, phase, n)
	case c.Answered && c.Status == strategy.StatusHanded && phase != x.skip:
		if c.From == model.NeverStored {
			x.unstored -= n
			x.handed[phase] = slices.DeleteFunc(x.handed[phase], func(o candidate) bool {
				return o.is(&c.Message)
			})
		}
		x.turns(kindMissed, c, phase, n)
	}
}

// turns follows messages to a bad end, or back from one.
func (x *exemplars) turns(kind exemplarKind, c *model.FateChange, phase int, n int64) {
	if gone(c.From) {
		x.withdraw(lossOf(kind, c.Was), &c.Message, phase, n)
	}
	if gone(c.To) {
		x.offer(lossOf(kind, c.Loss), candidate{
			Message: c.Message, phase: phase, answer: strategy.Result{Status: c.Status}, fate: c.To,
			attempts: c.Attempts, copies: c.Copies,
		}, n)
	}
}
