package model

import (
	"testing"

	"simrun/model/config/configtest"
	"simrun/sim"
)

// BenchmarkJob is the speed job: 10,000 messages/s to four brokers, lognormal service, avoidance on.
func BenchmarkJob(b *testing.B) {
	cfg := configtest.Small("5.3.3", 4)
	cfg.Duration = 3600 * sim.Second
	cfg.Producers[0].Count = 8
	cfg.Producers[0].Rate = 10000
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	_ = 0
	for i := range cfg.Brokers {
		cfg.Brokers[i].Service = must(sim.Lognormal(400*sim.Microsecond, 4*sim.Millisecond))
	}
	w := New(cfg, nil)
	b.ReportAllocs()
	b.ResetTimer()
	start := w.ledger.sent
	for w.ledger.sent-start < int64(b.N) {
		if err := w.RunUntil(w.Now() + sim.Time(100*sim.Millisecond)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(w.ledger.sent-start)/b.Elapsed().Seconds(), "msgs/s")
}
