package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Where a wait for the slave holds a send thread, threads / (service time + round trip to the slave)
// is the most that a SYNC_MASTER can take: Little's law (apache/rocketmq issue 249). Where it does not, the
// service time alone bounds it. broker.md 2.2, 4.
func TestThroughputWithBlockedThreads(t *testing.T) {
	t.Parallel()
	const service, latency = 400 * sim.Microsecond, 2 * ms
	for _, c := range []struct {
		release string
		threads int
		holds   sim.Duration
	}{
		{"4.2.0", 1, service + 2*latency},
		{"4.2.0", 4, service + 2*latency},
		{"4.6.1", 8, service + 2*latency},
		{"4.7.1", 1, service},
		{"4.9.8", 1, service},
		{"5.3.3", 1, service},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 4 * second
		b := &cfg.Brokers[0]
		b.SendThreads, b.InSyncReplicas = c.threads, 2
		cfg.Network.Latency = must(sim.Constant(latency))
		p := &cfg.Producers[0]
		p.Rate, p.Threads, p.Arrivals = 4000, 400, config.Poisson
		o := runSync(t, cfg)
		n := 0
		for i := range o.results {
			if at := o.results[i].answered; at > second && at < 4*second {
				n++
			}
		}
		want := float64(c.threads) / c.holds.Seconds()
		if got := float64(n) / 3; got < 0.97*want || got > 1.001*want {
			t.Errorf("%s with %d threads: %.0f messages a second, want %.0f", c.release, c.threads, got, want)
		}
	}
}

// busyConfig is a broker with fast failure at RocketMQ's defaults.
func busyConfig(release string) config.Config {
	cfg := syncConfig(release, 1)
	b := &cfg.Brokers[0]
	b.QueueCapacity, b.FastFailure, b.WaitTimeInQueue = 10_000, true, 200*ms
	return cfg
}

// One send thread that waits for a slave which is stopped for a second, and a queue in which nobody
// waits longer than 200 ms: of 100 messages a second some 80 are answered SYSTEM_BUSY
// (apache/rocketmq issue 2471). With a wait that holds no thread there is none.
func TestSlavePauseMakesAQueueBusy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		min, max int
	}{{"4.5.2", 76, 84}, {"4.2.0", 76, 84}, {"4.6.1", 76, 84}, {"4.7.1", 0, 0}, {"4.9.8", 0, 0}} {
		cfg := busyConfig(c.release)
		cfg.Duration = 40 * second
		cfg.Brokers[0].SendThreads = 1
		cfg.Producers[0].Rate = 100
		cfg.Faults = fault30(config.Pause, second, firstSlave)
		busy := 0
		for _, r := range runSync(t, cfg).results {
			if r.sent < 0 {
				continue
			}
			if r.answer() == strategy.CodeSystemBusy {
				busy++
				if wait := r.took(); wait < 200*ms || wait > 210*ms+normal {
					t.Errorf("%s: busy after %v, want 200 to 210 ms", c.release, wait)
				}
			}
		}
		if busy < c.min || busy > c.max {
			t.Errorf("%s: %d messages were refused, want %d to %d", c.release, busy, c.min, c.max)
		}
	}
}

// 4.2.0 after a power loss of the slave: the one send thread waits 5 s for each message and answers 12;
// the rest is answered 2 after 200 to 210 ms. 20 to 21 s after, 11 at once. broker.md 10.2, 10.1.
func TestSlavePowerLossBlocksTheOnlyThread(t *testing.T) {
	t.Parallel()
	cfg := busyConfig("4.2.0")
	cfg.Duration = 80 * second
	cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
	o := runSync(t, cfg)
	waited := 0
	for i := range o.results {
		r := &o.results[i]
		if r.sent < 30*second || r.sent > 79*second {
			continue
		}
		switch code, took := r.answer(), r.took(); {
		case code == 12 && r.sent < 51*second:
			waited++
			if took < 5*second || took > 5*second+210*ms {
				t.Errorf("sent at %v: 12 after %v, want 5 s in the thread", r.sent, took)
			}
		case code == strategy.CodeSystemBusy && r.sent < 55*second+100*ms:
			if took < 200*ms || took > 210*ms+normal {
				t.Errorf("sent at %v: busy after %v, want 200 to 210 ms", r.sent, took)
			}
		case code == 11 && r.sent > 49*second+700*ms:
			if took > 210*ms {
				t.Errorf("sent at %v: 11 after %v", r.sent, took)
			}
		default:
			t.Errorf("sent at %v: code %d after %v", r.sent, code, took)
		}
	}
	// At 30, 35, 40, 45 and, as the connection has not gone before 50 s, once more.
	if waited < 4 || waited > 5 {
		t.Errorf("%d messages waited for the slave, want 4 or 5", waited)
	}
}
