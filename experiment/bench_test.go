package experiment

import (
	"testing"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// benchConfig is the speed job: 10,000 messages/s to four brokers, avoidance on.
func benchConfig() config.Config {
	cfg := testConfig("5.3.3", 4)
	cfg.Producers[0].Count = 8
	cfg.Producers[0].Threads = 64
	cfg.Producers[0].Rate = 10000
	return cfg
}

// BenchmarkRun is a whole run, a message at a time: engine, model and fold.
func BenchmarkRun(b *testing.B) {
	cfg := benchConfig()
	cfg.Duration = sim.Hour
	r := &runner{sc: testScenario(cfg)}
	if err := r.build(); err != nil {
		b.Fatal(err)
	}
	w := &r.fold.windows
	b.ReportAllocs()
	b.ResetTimer()
	for sent := r.fold.sent; r.fold.sent-sent < int64(b.N); {
		if err := r.world.RunUntil(w.end - 1); err != nil {
			b.Fatal(err)
		}
		r.fold.closeWindow()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
}

// BenchmarkModel is the same world with nobody looking: what is left of BenchmarkRun is the fold.
func BenchmarkModel(b *testing.B) {
	cfg := benchConfig()
	cfg.Duration = sim.Hour
	w := model.New(cfg, nil)
	b.ReportAllocs()
	b.ResetTimer()
	for sent := w.Ledger().Sent; w.Ledger().Sent-sent < int64(b.N); {
		if err := w.RunUntil(w.Now().Add(sim.Second)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
}

// BenchmarkFold is what the fold costs for each message of a steady run: what it is told of one that
// is sent, appended, answered and flushed. "nobody" is the cost of telling it.
func BenchmarkFold(b *testing.B) {
	cfg := benchConfig()
	cfg.Duration = sim.Hour
	f := must(newFold(testScenario(cfg), sim.Second))
	f.windows.end = sim.Never // a window without end
	f.advance(sim.Time(cfg.Warmup))
	values := latencies()
	for _, who := range []struct {
		name string
		model.Observer
	}{{"nobody", model.NopObserver{}}, {"fold", f}} {
		b.Run(who.name, func(b *testing.B) {
			now := sim.Time(cfg.Warmup)
			t := new(teller)
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				now += 100_000
				t.tell(who.Observer, now, i, sim.Duration(values[i%uint64(len(values))]))
			}
		})
	}
}

// teller holds the arguments of observer calls, as the model does.
type teller struct {
	message model.Message
	attempt model.Attempt
	copy    model.Copy
	fate    model.FateChange
	answer  model.Answer
}

// tell tells a fold the life of a message that is sent at a time and answered d later.
func (t *teller) tell(f model.Observer, at sim.Time, number uint64, d sim.Duration) {
	broker, end := int32(number&3), at.Add(d)
	m := model.Message{Number: number, Instance: int32(number & 3), Scheduled: at}
	t.message = m
	f.Scheduled(&t.message)
	t.copy = model.Copy{Message: m, Broker: broker, Number: 1, Try: 1, At: at.Add(d / 2)}
	f.CopyStored(&t.copy)
	t.fate = model.FateChange{Message: m, At: at.Add(d / 2), To: model.AtRisk, Broker: broker}
	f.FateChanged(&t.fate)
	t.attempt = model.Attempt{
		Message: m, Try: 1, Queue: strategy.Queue{Broker: strategy.Broker(broker)},
		Began: at, Ended: end,
	}
	f.AttemptEnded(&t.attempt)
	t.answer = model.Answer{
		Message: m, Began: at, At: end, Attempts: 1, Fate: model.AtRisk, Copies: 1,
		Result: strategy.Result{Status: strategy.StatusSendOK, Attempts: 1},
	}
	f.Answered(&t.answer)
	m.AnsweredAt = end
	t.fate = model.FateChange{
		Message: m, At: end, From: model.AtRisk, To: model.Durable, Broker: broker,
		Answered: true, OK: true, Status: strategy.StatusSendOK, Attempts: 1,
	}
	f.FateChanged(&t.fate)
}
