package experiment

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// tinyRoom makes strata overflow.
var tinyRoom = [sendKinds]int{
	sendFast: 6, sendSlow: 4, sendWeaker: 3, sendRetried: 4, sendFailed: 4, sendLost: 4,
}

// drawAnswers are some sends in the order of their answers.
func drawAnswers(t *rapid.T) []model.Answer {
	var list []model.Answer
	at := sim.Time(0)
	for i := range rapid.IntRange(0, 120).Draw(t, "sends") {
		at += sim.Time(rapid.IntRange(0, 2).Draw(t, "after"))
		a := model.Answer{At: at + sim.Time(sim.Second), Attempts: rapid.Int32Range(1, 2).Draw(t, "attempts")}
		a.Group, a.Number = rapid.Int32Range(0, 1).Draw(t, "group"), uint64(i)
		a.Scheduled = a.At.Add(-sim.Duration(rapid.IntRange(1, 100).Draw(t, "ms")) * sim.Millisecond)
		a.AnsweredAt = a.At
		a.Result.Status = strategy.Status(rapid.SampledFrom([]int{0, 1, 1, 1, 3, 5}).Draw(t, "status"))
		a.Fate = model.AtRisk
		if rapid.IntRange(0, 9).Draw(t, "already lost") == 0 {
			a.Fate = model.Lost
		}
		list = append(list, a)
	}
	return list
}

// turn is the change of an answered message's fate.
func turn(a *model.Answer, from, to model.Fate) *model.FateChange {
	return &model.FateChange{
		Message: a.Message, From: from, To: to, Answered: true, Status: a.Result.Status,
		OK: acknowledged(a.Result.Status), Attempts: a.Attempts,
	}
}

// Goal: the sample is bounded, and what it holds depends on what happened and on the draws alone, not on the
// order: of each kind those whose draw is below its limit, and of those that are lost the rest, likewise.
func TestSampleIsAFunctionOfTheSends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawAnswers(t)
		s := newScatter(rapid.Uint64().Draw(t, "seed"))
		s.room = tinyRoom
		lost := map[uint64]bool{}
		for i := range list {
			a := &list[i]
			s.answer(a)
			lost[a.Number] = acknowledged(a.Result.Status) && gone(a.Fate)
			if old := &list[rapid.IntRange(0, i).Draw(t, "turns")]; acknowledged(old.Result.Status) {
				from, to := model.AtRisk, model.Lost
				if lost[old.Number] {
					from, to = to, from
				}
				s.fate(turn(old, from, to))
				lost[old.Number] = !lost[old.Number]
			}
		}
		want := map[sampledSend]bool{}
		var rare, kept int64
		for i := range list {
			a := &list[i]
			k := sampledSend{
				scheduled: a.Scheduled, answered: a.At, number: a.Number, draw: s.draw(&a.Message), group: a.Group,
				attempts: a.Attempts, kind: kindOf(a.Result.Status, a.Attempts, a.At.Sub(a.Scheduled)),
				status: a.Result.Status, lost: lost[a.Number],
			}
			isRare := k.lost || k.kind != sendFast && k.kind != sendSlow
			in := k.draw <= s.kinds[k.kind].limit || k.lost && k.draw <= s.kinds[sendLost].limit
			if isRare {
				rare++
			}
			if in {
				want[k] = true
			}
			if in && isRare {
				kept++
			}
		}
		for kind := range s.kinds {
			st := &s.kinds[kind]
			if len(st.kept) > tinyRoom[kind] {
				t.Fatalf("kind %d holds %d sends", kind, len(st.kept))
			}
			for _, k := range st.kept {
				if !want[k] {
					t.Fatalf("%+v is twice there, or should not", k)
				}
				delete(want, k)
			}
		}
		if len(want) > 0 {
			t.Fatalf("not there: %+v", want)
		}
		cfg := &config.Config{
			Producers: []config.Producer{{Name: "p"}, {Name: "q"}}, Brokers: []config.Broker{{Name: "a"}},
		}
		if out := s.result(cfg); out.Dropped != rare-kept || out.Of != int64(len(list)) {
			t.Fatalf("%d dropped of %d, want %d of %d", out.Dropped, out.Of, rare-kept, len(list))
		}
	})
}

// A stratum is thinned no more than its room asks for: it is more than a quarter full (half of it but for
// chance), and the sends that are kept are spread over the run.
func TestSampleFillsItsRoom(t *testing.T) {
	s := newScatter(7)
	const n = 400_000
	for i := range uint64(n) {
		a := model.Answer{At: sim.Time(i), Attempts: 1}
		a.Number, a.AnsweredAt = i, a.At
		a.Result.Status = strategy.StatusSendOK
		s.answer(&a)
	}
	st := &s.kinds[sendFast]
	if len(st.kept) < sampleRoom[sendFast]/4 || len(st.kept) > sampleRoom[sendFast] {
		t.Errorf("%d kept", len(st.kept))
	}
	var tenths [10]int
	for _, k := range st.kept {
		tenths[k.number*10/n]++
	}
	mean := len(st.kept) / 10
	for i, got := range tenths {
		if got < mean*8/10 || got > mean*12/10 {
			t.Errorf("tenth %d has %d, the mean is %d", i, got, mean)
		}
	}
	if got := s.result(&config.Config{
		Producers: []config.Producer{{}}, Brokers: []config.Broker{{}},
	}).Every; got != 128 {
		t.Errorf("every %d-th is kept", got)
	}
}

// Goal: of a run with room for all of them the sample has every send that failed, was retried or lost, with
// the fate that it has at the end (ux.md F2: "all failures kept"). Method: a power loss that takes
// acknowledged messages; the counts of the ledger.
func TestSampleHasAllTroubles(t *testing.T) {
	cfg := lossy(config.PowerLoss, false)
	run := must(Run(t.Context(), testScenario(cfg), Options{}))
	var want, got struct{ failed, retried, lost, other int64 }
	for _, s := range run.Stats {
		if s.Dim == result.DimAll && (s.Phase == result.PhaseAll || s.Phase == result.PhaseWarmup) {
			want.failed += s.Failed
			want.retried += s.OKRetry()
			want.lost += s.AckedLost
		}
	}
	for _, s := range run.Sample.Sends {
		switch {
		case s.Outcome == result.OutcomeFailed:
			got.failed++
		case s.Attempts > 1:
			got.retried++
		}
		if s.Lost {
			got.lost++
		}
	}
	if got != want || want.failed == 0 || want.retried == 0 || want.lost == 0 || run.Sample.Dropped != 0 {
		t.Errorf("%+v in the sample, want %+v, %d dropped", got, want, run.Sample.Dropped)
	}
	var answered int64
	for _, row := range run.Ledger.Rows {
		if row.Answer != inFlightAnswer {
			answered += row.Sum()
		}
	}
	if run.Sample.Of != answered {
		t.Errorf("chosen from %d, answered are %d", run.Sample.Of, answered)
	}
}
