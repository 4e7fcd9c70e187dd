package experiment

import (
	"cmp"
	"slices"

	"simrun/internal/result"
	"simrun/sim"
	"simrun/strategy"
)

const (
	// mostExemplars is how many messages of a run are shown in all.
	mostExemplars = 16
	// mostOfKind is how many of one kind.
	mostOfKind = 5
)

// exemplarNames are the kinds in the words of the results.
var exemplarNames = [exemplarKinds]string{
	kindLost: result.ExemplarLost, kindFailed: result.ExemplarFailed,
	kindDuplicated: result.ExemplarDuplicated, kindMissed: result.ExemplarMissed,
	kindSlowest: result.ExemplarSlowest,
}

// exemplars are the messages that are shown of a run: of each kind a few, of as many reasons as there are,
// then of as many phases. They are by kind and by time, the slowest by how slow they were.
func (f *fold) exemplars() []result.Exemplar {
	x := &f.look
	var queues [exemplarKinds][]candidate
	for _, c := range f.standBy() {
		kind := x.kindOf(&c)
		queues[kind] = append(queues[kind], c)
	}
	var picked [exemplarKinds][]candidate
	seen := map[messageID]bool{}
	n := 0
	for range mostOfKind {
		for kind := range queues {
			if n == mostExemplars {
				break
			}
			for len(queues[kind]) > 0 {
				c := queues[kind][0]
				queues[kind] = queues[kind][1:]
				if id := (messageID{c.Group, c.Number}); !seen[id] {
					seen[id] = true
					picked[kind] = append(picked[kind], c)
					n++
					break
				}
			}
		}
	}
	out := []result.Exemplar{}
	for kind, list := range picked {
		slices.SortStableFunc(list, func(a, b candidate) int {
			if exemplarKind(kind) == kindSlowest {
				return cmp.Compare(b.took(), a.took())
			}
			return cmp.Or(cmp.Compare(a.Scheduled, b.Scheduled), cmp.Compare(a.Group, b.Group),
				cmp.Compare(a.Number, b.Number))
		})
		for i := range list {
			out = append(out, f.exemplar(exemplarKind(kind), &list[i]))
		}
	}
	return out
}

// kindOf is what a candidate stands for.
func (x *exemplars) kindOf(c *candidate) exemplarKind {
	if c.reason < 0 {
		return kindSlowest
	}
	return x.reasons[c.reason].kind
}

// standBy are all candidates in the order in which they are worth a look, whatever their kind: first one of
// each reason, the most frequent ones ahead, and of each reason's first phase; then one of each further
// phase of it; then the second ones.
func (f *fold) standBy() []candidate {
	type ranked struct {
		candidate
		nth, ofReason int // within its class, and of its class within the reason
		like          int64
	}
	x := &f.look
	list := append(slices.Clone(x.list), x.neverStored()...)
	var all []ranked
	nth := map[[2]int]int{}
	classes := make([]int, len(x.reasons))
	for _, c := range list {
		r := ranked{candidate: c, like: x.reasons[c.reason].n}
		class := [2]int{c.reason, c.phase}
		if r.nth = nth[class]; r.nth == 0 {
			classes[c.reason]++
		}
		nth[class]++
		r.ofReason = classes[c.reason] - 1
		all = append(all, r)
	}
	for _, list := range x.slowest {
		for i, c := range list {
			all = append(all, ranked{candidate: c, nth: i, like: int64(c.took())})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.nth, b.nth), cmp.Compare(a.ofReason, b.ofReason),
			cmp.Compare(b.like, a.like), cmp.Compare(a.Scheduled, b.Scheduled))
	})
	out := make([]candidate, len(all))
	for i := range all {
		out[i] = all[i].candidate
	}
	return out
}

// neverStored are the messages handed over of which nothing was ever stored: now that the run is over, there
// will be nothing.
func (x *exemplars) neverStored() []candidate {
	var out []candidate
	for _, list := range x.handed {
		out = append(out, list[:min(len(list), fewOfClass)]...)
	}
	if len(out) > 0 {
		k := x.index(reason{kind: kindMissed})
		x.reasons[k].n = x.unstored
		for i := range out {
			out[i].reason = k
		}
	}
	return out
}

// exemplar is a candidate as it is shown.
func (f *fold) exemplar(kind exemplarKind, c *candidate) result.Exemplar {
	phase := c.phase
	if c.AnsweredAt == 0 { // faults may have begun since
		phase = f.cursor.of(c.Scheduled, sim.Time(f.cfg.Duration))
	}
	e := result.Exemplar{
		Kind: exemplarNames[kind], Phase: f.cursor.phases[phase].Name,
		Producer: f.cfg.Producers[c.Group].Name, Message: c.Number, Like: 1,
		ScheduledNS: int64(c.Scheduled), Answer: inFlightAnswer, Fate: c.fate.String(),
		Attempts: int(c.attempts), Copies: int(c.copies),
	}
	if c.reason >= 0 {
		r := &f.look.reasons[c.reason]
		e.Like, e.Reason = r.n, f.reasonText(&r.reason)
	}
	if c.AnsweredAt > 0 {
		took := int64(c.took())
		e.LatencyNS, e.Answer = &took, answerText(f.look.coded(c.answer))
	}
	return e
}

// coded is an answer with its code. All that failed are counted by exception and code; so if there is one
// code for an exception, it is that.
func (x *exemplars) coded(r strategy.Result) strategy.Result {
	if r.Code != codeUnknown {
		return r
	}
	codes := 0
	for i := range x.reasons {
		if o := &x.reasons[i]; o.kind == kindFailed && o.exception == r.Exception {
			codes++
			r.Code = o.code
		}
	}
	if codes != 1 {
		r.Code = 0 // not told
	}
	return r
}

// answerText is what a caller was told, in the words of the ledger and of the counts of exceptions.
func answerText(r strategy.Result) string {
	if r.Status != strategy.StatusNone {
		return r.Status.String()
	}
	return failure{exception: r.Exception, code: r.Code}.name()
}

// reasonText is a reason in the words of the ledger and of the counts of exceptions.
func (f *fold) reasonText(r *reason) string {
	switch {
	case r.kind == kindFailed:
		return failure{exception: r.exception, code: r.code}.name()
	case r.kind == kindDuplicated:
		return result.ExtraWords(r.gaveUp.String(), r.late)
	case r.cause == 0:
		return "never stored"
	}
	return result.LossWords(r.cause.String()) + " on " + f.cfg.Brokers[r.broker].Name
}
