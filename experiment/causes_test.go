package experiment

import (
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// lossy is a cluster in which copies are lost for one reason: two brokers without slaves, a fault of the
// first, and a power loss of it 5 s later that lasts, if asked for.
func lossy(kind config.FaultKind, then bool) config.Config {
	cfg := testConfig("5.3.3", 2)
	cfg.Duration, cfg.Warmup = 40*sim.Second, 5*sim.Second
	for i := range cfg.Brokers {
		cfg.Brokers[i].Slaves = 0
	}
	cfg.Faults = []config.Fault{fault("first", kind, 20*sim.Second, 8*sim.Second, master(0))}
	if then {
		cfg.Faults = append(cfg.Faults,
			fault("then", config.PowerLoss, 25*sim.Second, 2*sim.Second, master(0)))
	}
	return cfg
}

// Goal: the ledger tells what took a message by the physics of it, and of the faults names the one that
// is to blame. Method: one way to lose copies at a time; the rows sum to the lost messages in any case,
// or the run ends in an error.
func TestCausesOfLosses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   config.Config
		tune  func(*config.Config)
		cause model.LossCause
		fault string
	}{
		{name: "power loss", cfg: lossy(config.PowerLoss, false), cause: model.PageCacheLost, fault: "first"},
		{name: "kill", cfg: lossy(config.Kill, false), cause: model.NotLost},
		{
			name: "kill with a pool", cfg: lossy(config.Kill, false), cause: model.PoolLost, fault: "first",
			tune: func(cfg *config.Config) {
				b := &cfg.Brokers[0]
				b.TransientStorePool, b.CommitInterval = true, 200*sim.Millisecond
				b.CommitLeastPages, b.CommitThoroughInterval = 4, 200*sim.Millisecond
			},
		},
		{name: "fsync lies", cfg: lossy(config.FsyncLie, true), cause: model.FsyncLied, fault: "first"},
		{name: "fsync fails", cfg: lossy(config.ReadOnlyDisk, true), cause: model.FsyncFailed, fault: "first"},
		{name: "disk gone", cfg: lossy(config.DiskLoss, false), cause: model.DiskGone, fault: "first"},
	} {
		if tt.tune != nil {
			tt.tune(&tt.cfg)
		}
		run := must(Run(t.Context(), testScenario(tt.cfg), Options{}))
		var lost, acked int64
		for _, s := range run.Stats {
			if s.Dim == result.DimAll && (s.Phase == result.PhaseAll || s.Phase == result.PhaseWarmup) {
				lost += s.Lost + s.Stranded
				acked += s.AckedLost
			}
		}
		if (lost > 0) != (tt.cause != model.NotLost) {
			t.Errorf("%s: %d messages lost", tt.name, lost)
		}
		for _, l := range run.Ledger.Losses {
			lost -= l.N
			acked -= l.Acked
		}
		if lost != 0 || acked != 0 {
			t.Errorf("%s: the rows lack %d lost and %d acknowledged messages", tt.name, lost, acked)
		}
		named := slices.ContainsFunc(run.Ledger.Losses, func(l result.Loss) bool {
			return l.Cause == tt.cause.String() && l.Fault == tt.fault && l.Broker == "a" &&
				l.FirstNS >= 20e9 && l.FirstNS <= l.LastNS
		})
		if tt.cause != model.NotLost && !named {
			t.Errorf("%s: %+v, want %v by %q", tt.name, run.Ledger.Losses, tt.cause, tt.fault)
		}
	}
}

// Goal: the ledger tells how extra copies come about. Method: the ways to make the client try again
// though a copy is stored; the rows sum to the extra copies in any case.
func TestCausesOfExtraCopies(t *testing.T) {
	pause := func(cfg *config.Config) {
		cfg.Faults = []config.Fault{fault("stop", config.Pause, 20*sim.Second, 2*sim.Second, master(0))}
	}
	for _, tt := range []struct {
		name    string
		release string
		tune    func(*config.Config)
		gaveUp  string
		late    bool
	}{
		{
			// The first request to time out closes the connection under the others; they are tried again on b,
			// and a stores its copies when it goes on.
			name: "connection closed", release: "5.3.3", gaveUp: "SEND_REQUEST_FAILED", late: true,
			tune: func(cfg *config.Config) {
				pause(cfg)
				cfg.Producers[0].Settings.SendMsgTimeout = 1000
				cfg.Producers[0].Settings.SendLatencyFaultEnable = false
			},
		},
		{
			// With a limit for each request there is time for a retry.
			name: "timed out", release: "5.3.3", gaveUp: "TIMEOUT", late: true,
			tune: func(cfg *config.Config) {
				pause(cfg)
				cfg.Producers[0].Settings.SendMsgMaxTimeoutPerRequest = 500
			},
		},
		{
			// Without a slave a 4.x master says so, and the client asks for better.
			name: "weaker status", release: "4.9.8", gaveUp: "SLAVE_NOT_AVAILABLE",
			tune: func(cfg *config.Config) {
				cfg.Brokers[0].Role, cfg.Brokers[0].Slaves = config.SyncMaster, 0
				cfg.Brokers[0].SlaveTimeout = 3 * sim.Second
				cfg.Brokers[0].SlaveFallbehindMax = 256 << 20
				cfg.Producers[0].Settings.RetryAnotherBrokerWhenNotStoreOK = true
			},
		},
	} {
		cfg := testConfig(tt.release, 2)
		cfg.Duration, cfg.Warmup = 40*sim.Second, 5*sim.Second
		tt.tune(&cfg)
		run := must(Run(t.Context(), testScenario(cfg), Options{}))
		var rows, stats int64
		for _, x := range run.Ledger.Extras {
			rows += x.N
		}
		for _, s := range run.Stats {
			if s.Dim == result.DimAll && (s.Phase == result.PhaseAll || s.Phase == result.PhaseWarmup) {
				stats += s.ExtraCopies
			}
		}
		if rows != run.Ledger.ExtraCopies || rows != stats {
			t.Errorf("%s: %d extra copies by cause, %d by phase, %d in the ledger", tt.name, rows, stats,
				run.Ledger.ExtraCopies)
		}
		if !slices.ContainsFunc(run.Ledger.Extras, func(x result.Extra) bool {
			return x.GaveUp == tt.gaveUp && x.Late == tt.late && x.N > 0
		}) {
			t.Errorf("%s: %+v, want %s", tt.name, run.Ledger.Extras, tt.gaveUp)
		}
	}
}
