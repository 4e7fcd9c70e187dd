package main

import (
	"slices"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// stage is a part of the time after a fault struck.
type stage uint8

const (
	answeredBefore stage = iota // sends that had their answer when it struck
	inFlight                    // sends that had none yet
	untilNoticed                // sends from then until it is noticed
	noticed                     // sends after that, while the fault lasts
	numStages
)

func (s stage) String() string {
	return [...]string{"answered before", "in flight", "until noticed", "after"}[s]
}

// tally is what became of some sends.
type tally struct {
	sends int
	// atOnce succeeded with the first attempt, retried with a later one, both with SEND_OK; weak are
	// acknowledged with another status; failed end with an exception.
	atOnce, retried, weak, failed int
	statuses                      map[strategy.Status]int
	// failures counts the failed ones by what the caller catches.
	failures map[string]int
	// spent are the failed ones whose first attempt took all the time there was.
	spent int
	// latencies are those of all sends; late are those of the retried ones alone.
	latencies, late []sim.Duration
	// lost are acknowledged and in no log any more, stranded in one that is never served again;
	// duplicates are stored more than once, acknowledged or not.
	lost, stranded, duplicates int
}

// measured is a stage: all its sends, and those whose first attempt went to a group that was struck.
type measured struct{ all, hits tally }

// outcome is what a run came to.
type outcome struct {
	stages [numStages]measured
	// noticedAfter is when the fault was noticed, counted from when it struck; 0: not while it lasted.
	noticedAfter sim.Duration
	// Of so many clients, kept still have a dead master in their route when the fault ends, emptied
	// have a route without queues.
	clients, kept, emptied int
	// unreadable is how many stored messages no replica serves, at most, while the fault lasts.
	unreadable int64
	// stored is how many copies the struck groups had stored when the fault struck.
	stored int64
}

// run simulates a configuration and sorts its sends into stages.
func run(cfg *config.Config) (*outcome, error) {
	p := newProbe(cfg)
	w := model.New(*cfg, p)
	p.world = w
	end := sim.Time(cfg.Faults[0].At + cfg.Faults[0].Duration)
	out := &outcome{}
	if err := w.RunUntil(p.struckAt - 1); err != nil {
		return nil, err
	}
	out.stored = p.stored
	for at := p.struckAt; at < end; at = at.Add(lookEvery) {
		if err := w.RunUntil(at); err != nil {
			return nil, err
		}
		p.look(at)
		out.unreadable = max(out.unreadable, p.unreadable())
	}
	if p.noticedAt() > 0 {
		out.noticedAfter = p.noticedAt().Sub(p.struckAt)
	}
	for i := range p.routed {
		out.clients++
		if p.routed[i] {
			out.kept++
		}
		if p.empty[i] {
			out.emptied++
		}
	}
	if err := w.RunUntil(sim.Time(cfg.Duration)); err != nil {
		return nil, err
	}
	if err := w.Check(); err != nil {
		return nil, err
	}
	timeout := sim.Duration(cfg.Producers[0].Settings.SendMsgTimeout) * sim.Millisecond
	for i := range p.sends {
		s := &p.sends[i]
		at, counts := p.stageOf(s, end)
		if !counts {
			continue
		}
		m := &out.stages[at]
		m.all.count(s, timeout)
		if s.first >= 0 && p.struck[s.first] {
			m.hits.count(s, timeout)
		}
	}
	return out, nil
}

// lookEvery is how often a run is looked at while its fault lasts, lastSends how long before the end of
// the fault the last sends are counted: they have their answers while it lasts.
const (
	lookEvery = 20 * sim.Millisecond
	lastSends = 15 * sim.Second
)

func (p *probe) stageOf(s *send, end sim.Time) (at stage, counts bool) {
	switch {
	case s.scheduled < p.struckAt && s.answered && s.at <= p.struckAt:
		return answeredBefore, true
	case s.scheduled < p.struckAt:
		return inFlight, true
	case p.noticedAt() == 0 || s.scheduled < p.noticedAt():
		return untilNoticed, s.scheduled < end
	default:
		return noticed, s.scheduled < end.Add(-lastSends)
	}
}

func (t *tally) count(s *send, timeout sim.Duration) {
	t.sends++
	took := s.at.Sub(s.scheduled)
	t.latencies = append(t.latencies, took)
	switch {
	case !s.ok:
		t.failed++
		if t.failures == nil {
			t.failures = map[string]int{}
		}
		t.failures[s.failure]++
		if s.firstTook >= timeout {
			t.spent++
		}
	case s.status != strategy.StatusSendOK:
		t.weak++
		if t.statuses == nil {
			t.statuses = map[strategy.Status]int{}
		}
		t.statuses[s.status]++
	case s.attempts == 1:
		t.atOnce++
	default:
		t.retried++
		t.late = append(t.late, took)
	}
	switch {
	case s.ok && s.fate == model.Lost:
		t.lost++
	case s.ok && s.fate == model.Stranded:
		t.stranded++
	}
	if s.copies > 1 {
		t.duplicates++
	}
}

func (m *measured) add(o *measured) {
	m.all.add(&o.all)
	m.hits.add(&o.hits)
}

// add takes in the sends of another run.
func (t *tally) add(o *tally) {
	t.sends += o.sends
	t.atOnce += o.atOnce
	t.retried += o.retried
	t.weak += o.weak
	t.failed += o.failed
	t.spent += o.spent
	t.lost += o.lost
	t.stranded += o.stranded
	t.duplicates += o.duplicates
	t.latencies = append(t.latencies, o.latencies...)
	t.late = append(t.late, o.late...)
	for k, n := range o.statuses {
		if t.statuses == nil {
			t.statuses = map[strategy.Status]int{}
		}
		t.statuses[k] += n
	}
	for k, n := range o.failures {
		if t.failures == nil {
			t.failures = map[string]int{}
		}
		t.failures[k] += n
	}
}

// median is the lower median of some times, 0 of none.
func median(all []sim.Duration) sim.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}

// share is n of the sends.
func (t *tally) share(n int) float64 {
	if t.sends == 0 {
		return 0
	}
	return float64(n) / float64(t.sends)
}
