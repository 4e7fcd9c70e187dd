package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// A slave that comes back brings 4.x a second brownout: its connection counts before it has said how far
// its log goes, which it does 5 to 6 s after connecting, and until then nothing flows. broker.md 2.4,
// 10.1, third row. The process starts at 50 s and learns its master's address by registering, so its
// thread connects at its second look, 5 s later. Source: HAService.HAClient.run, 4.2.0 and 4.9.8.
func TestReturningSlaveBringsABrownout(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		cfg := syncConfig("4.9.8", 1)
		cfg.Seed = seed
		cfg.Faults = fault30(config.Kill, 20*second, firstSlave)
		o := runSync(t, cfg)
		checkStretches(t, "4.9.8", o.results, []stretch{
			{"gone", 30*second + 100*ms, 55 * second, 11, 0, normal},
			{"connected and silent", 55*second + 10*ms, 55*second + 990*ms, 12, 3 * second, 4*second + normal},
			{"reported", 61*second + 100*ms, 119 * second, 0, 0, normal},
		})
		first := firstOK(o.results, 56*second)
		if reported := first.answered - 55*second; reported < 5*second || reported > 6*second+100*ms {
			t.Errorf("the slave has caught up %v after it connected, want 5 s to 6 s", reported)
		}
		if o.unheld > 0 {
			t.Errorf("%d messages were SEND_OK and on no slave", o.unheld)
		}
	}
}

// firstOK is the first message sent from a time on that was SEND_OK.
func firstOK(results []syncResult, from sim.Duration) syncResult {
	for _, r := range results {
		if r.sent >= from && r.answered >= 0 && r.answer() == 0 {
			return r
		}
	}
	return syncResult{answered: -1}
}

// 5.x has no such brownout: the first report follows the connect at once, as the last one is long ago.
// With inSyncReplicas 2 messages are answered 12 until the slave has connected and caught up. broker.md
// 2.4, 10.1. Source: DefaultHAClient.connectMaster and isTimeToReportOffset, 5.3.3.
func TestReturningSlaveOf5x(t *testing.T) {
	t.Parallel()
	cfg := syncConfig("5.3.3", 1)
	cfg.Brokers[0].InSyncReplicas = 2
	cfg.Faults = fault30(config.Kill, 20*second, firstSlave)
	o := runSync(t, cfg)
	checkStretches(t, "5.3.3", o.results, []stretch{
		{"gone", 30 * second, 52 * second, 12, 3 * second, 3*second + normal},
		{"connected", 55*second + 10*ms, 119 * second, 0, 0, normal},
	})
	if o.unheld > 0 {
		t.Errorf("%d messages were SEND_OK and on no slave", o.unheld)
	}
}

// The brownout is longer by gap / bandwidth; and while the gap is 256 MiB or more, 4.x goes on answering
// 11, then waits, then answers 0. broker.md 2.4, 10.1.
func TestGapOfAReturningSlave(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct {
		name      string
		size      int64
		bandwidth float64
		want      []stretch
	}{
		// What is appended at s is 2 MiB/s * (s - 30 s) behind, and flows at 10 MiB/s from 60 or 61 s on: it
		// takes 54 s - 0.8s or a second more, which is 4 s at 62.5 s, and 0 at 68.75 s at the latest.
		{"small gap", mib / 10, 10 * mib, []stretch{
			{"gone", 31 * second, 55 * second, 11, 0, normal},
			{"connected", 55*second + 10*ms, 62 * second, 12, 3 * second, 4*second + normal},
			{"caught up", 69 * second, 119 * second, 0, 0, 20 * ms},
		}},
		// At s the slave lacks 20 MiB/s * (s - 30 s) less 40 MiB/s * (s - 60 or 61 s), which is 256 MiB at
		// 77.2 or 79.2 s. What is appended then takes 45 s - 0.5s, or a second more.
		{"gap beyond 256 MiB", mib, 40 * mib, []stretch{
			{"gone", 31 * second, 55 * second, 11, 0, normal},
			{"connected, too far behind", 55 * second, 77 * second, 11, 0, normal},
			{"near enough", 79*second + 500*ms, 82 * second, 12, 3 * second, 4*second + normal},
			{"caught up", 92 * second, 119 * second, 0, 0, 60 * ms},
		}},
	} {
		cfg := syncConfig("4.9.8", 1)
		cfg.Brokers[0].ReplicationBandwidth = c.bandwidth
		cfg.Producers[0].MessageSize = must(sim.Constant(c.size))
		cfg.Faults = fault30(config.Kill, 20*second, firstSlave)
		checkStretches(t, c.name, runSync(t, cfg).results, c.want)
	}
}

// A master that has restarted knows no slave's offset: push2SlaveMaxOffset is 0. With a log of 256 MiB
// or more 4.x answers 11 until the first report, 5 to 6 s after the slave has connected, which it tries
// each 5 s; with a smaller one it answers 11 until the slave has connected, and then waits. broker.md 2.4,
// 10.3. Source: HAService.push2SlaveMaxOffset and isSlaveOK, 4.9.8.
func TestMasterRestarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		log     int64
		seconds sim.Duration
		want    func(connected, reported sim.Duration) []stretch
	}{
		{"long log", 1 << 30, 0, func(connected, reported sim.Duration) []stretch {
			return []stretch{{"until the report", connected - 10*ms, reported - 10*ms, 11, 0, normal}}
		}},
		{"short log", 10 << 20, 0, func(connected, _ sim.Duration) []stretch {
			return []stretch{
				{"connected and silent", connected + 10*ms, connected + 990*ms, 12, 3 * second, 4*second + normal},
			}
		}},
	} {
		for _, delay := range []sim.Duration{0, 2 * second} {
			cfg := syncConfig("4.9.8", 1)
			cfg.Brokers[0].LogSize = c.log
			cfg.Faults = fault30(config.Kill, 3*second+delay, masterOnly)
			probe := New(cfg, nil)
			connected := until(t, probe, 33*second+delay, func() bool { return len(probe.ha[0].conns) > 0 })
			reported := until(t, probe, connected, func() bool { return probe.ha[0].pushed > 0 })
			if wait := connected - 33*second - delay; wait < 0 || wait > 5*second+10*ms {
				t.Errorf("%s: the slave connected %v after the port was open, want 0 to 5 s", c.name, wait)
			}
			if wait := reported - connected; wait < 5*second-10*ms || wait > 6*second+20*ms {
				t.Errorf("%s: the slave reported %v after it connected, want 5 to 6 s", c.name, wait)
			}
			o := runSync(t, cfg)
			checkStretches(t, c.name, o.results, append(c.want(connected, reported),
				stretch{"after the report", reported + 100*ms, 110 * second, 0, 0, normal}))
			if o.unheld > 0 {
				t.Errorf("%s: %d messages were SEND_OK and on no slave", c.name, o.unheld)
			}
		}
	}
}

// until runs a world from a time on until something is so, and returns when it is: 10 ms late at most.
func until(t *testing.T, w *World, from sim.Duration, so func() bool) sim.Duration {
	t.Helper()
	at := from
	for runTo(t, w, at); !so(); runTo(t, w, at) {
		if at += 10 * ms; at > from+100*second {
			t.Fatal("it never was so")
		}
	}
	return at
}

// A 5.x slave reports at once when it reconnects to a master that has restarted, so that inSyncReplicas
// 2 is met again within about 5 s. broker.md 2.4, 10.6, last row.
func TestMasterRestartsIn5x(t *testing.T) {
	t.Parallel()
	cfg := syncConfig("5.3.3", 1)
	cfg.Brokers[0].InSyncReplicas = 2
	cfg.Faults = fault30(config.Kill, 3*second, masterOnly)
	w := New(cfg, nil)
	connected := until(t, w, 33*second, func() bool { return len(w.ha[0].conns) > 0 })
	reported := until(t, w, connected, func() bool { return w.ha[0].pushed > 0 })
	if connected > 38*second+10*ms || reported > connected+10*ms {
		t.Errorf("connected at %v, reported at %v", connected, reported)
	}
	checkStretches(t, "5.3.3", runSync(t, cfg).results, []stretch{
		{"after the report", reported + 10*ms, 110 * second, 0, 0, normal},
	})
}

// An orderly restart of a master, whose store closes the connections to slaves, is followed by what
// follows a kill. 4.x answers 11 from the start to the first report, at most 11 s
// later; 5.x with inSyncReplicas 2 waits until the slave has connected, which it tries each 5 s.
// broker.md 10.6, last row. Source: DefaultMessageStore.shutdown, 4.9.8 and 5.3.3.
func TestMasterRestartsOrderly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		code    int
		most    sim.Duration
	}{{"4.9.8", 0, 11, 11 * second}, {"5.3.3", 2, 12, 5 * second}} {
		cfg := syncConfig(c.release, 1)
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Faults = fault30(config.Shutdown, 15*second, masterOnly)
		o := &syncObserver{need: 1}
		o.w = New(cfg, o)
		up := until(t, o.w, 45*second, func() bool { return o.w.procs[0].running })
		reported := until(t, o.w, up, func() bool { return o.w.ha[0].pushed > 0 })
		if wait := reported - up; wait > c.most+20*ms {
			t.Errorf("%s: the slave reported after %v, want at most %v", c.release, wait, c.most)
		}
		runTo(t, o.w, 110*second)
		for i := range o.results {
			r := &o.results[i]
			switch {
			case r.stored > up && r.stored < reported-3*second && r.answer() != c.code,
				r.stored > reported+100*ms && r.answered > 0 && r.answer() != 0:
				t.Errorf("%s: stored at %v, code %d; up at %v, reported at %v", c.release, r.stored, r.answer(),
					up, reported)
			}
		}
	}
}
