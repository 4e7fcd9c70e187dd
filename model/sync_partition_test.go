package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// partition30 cuts the master off from its slaves at 30 s.
func partition30(lasts sim.Duration) []config.Fault {
	return []config.Fault{{
		Name: "f", Kind: config.Partition, At: 30 * second, Duration: lasts, Targets: []config.Target{masterOnly},
		To: []config.Target{firstSlave},
	}}
}

// A partition between master and slave that clients do not feel is a power loss of the slave to the
// master: 20 to 21 s of FLUSH_SLAVE_TIMEOUT, then SLAVE_NOT_AVAILABLE in 4.x. broker.md §10.5, first
// sentence.
func TestPartitionFromTheSlave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		want    []stretch
	}{
		{"4.9.8", 0, []stretch{
			{"silent", 30 * second, 50 * second, 12, 3 * second, 4*second + normal},
			{"removed", 51*second + 100*ms, 80 * second, 11, 0, normal},
		}},
		{"5.3.3", 0, []stretch{{"silent", 30 * second, 80 * second, 0, 0, normal}}},
		{"5.3.3", 2, []stretch{
			{"silent", 30 * second, 80 * second, 12, 3 * second, 3*second + normal},
		}},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 90 * second
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Faults = partition30(0)
		checkStretches(t, c.release, runSync(t, cfg).results, c.want)
	}
}

// Healed before the master gives the slave up, TCP goes on at its next retransmission: 0.2, 0.6, 1.4,
// 3.0, 6.2 or 12.6 s after the cut. Waits shorter than 3 s succeed. broker.md §10.5.
func TestPartitionHealsBeforeHousekeeping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cut, resumes sim.Duration }{
		{100 * ms, 200 * ms},
		{500 * ms, 600 * ms},
		{1 * second, 1400 * ms},
		{2 * second, 3 * second},
		{5 * second, 6200 * ms},
		{10 * second, 12600 * ms},
	} {
		for _, release := range []string{"4.9.8", "5.3.3"} {
			cfg := syncConfig(release, 1)
			cfg.Duration = 60 * second
			cfg.Brokers[0].InSyncReplicas = 2
			cfg.Faults = partition30(c.cut)
			o := runSync(t, cfg)
			resumed := 30*second + c.resumes
			for i := range o.results {
				r := &o.results[i]
				switch {
				case r.sent < 30*second || r.sent > 45*second:
				case r.sent > resumed+100*ms:
					if r.answer() != 0 || r.took() > normal {
						t.Errorf("%s, cut for %v: sent at %v: code %d after %v", release, c.cut, r.sent,
							r.answer(), r.took())
					}
				case r.sent > max(30*second, resumed-2900*ms) && r.sent < resumed-50*ms:
					// It was acknowledged when TCP went on: a message interval and a wait in select late at most.
					if r.answer() != 0 || r.answered < resumed-60*ms || r.answered > resumed+60*ms {
						t.Errorf("%s, cut for %v: sent at %v: code %d at %v, want 0 at about %v", release, c.cut,
							r.sent, r.answer(), r.answered, resumed)
					}
				}
			}
		}
	}
}

// Healed after that, a 5.x slave, which has closed its own end after 20 to 21 s without a read, is
// connected again within 10 s (5 s of waiting for an answer, and 5 s of pause), and reports within 5 to
// 6 s more. broker.md §10.5. So do slaves up to 4.5.1, which look at what they have read. Source:
// HAService.HAClient, lastWriteTimestamp, 4.5.1; DefaultHAClient.run, 5.3.3.
func TestPartitionHealsAfterHousekeeping(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.5.1", "5.3.3"} {
		for cut := 25 * second; cut < 35*second; cut += 1700 * ms {
			cfg := syncConfig(release, 1)
			cfg.Faults = partition30(cut)
			w := New(cfg, nil)
			runTo(t, w, 30*second+cut)
			if n := len(w.ha[0].conns); n != 0 {
				t.Fatalf("%s: %d connections when the cut heals after %v", release, n, cut)
			}
			connected := until(t, w, 30*second+cut, func() bool { return len(w.ha[0].conns) > 0 })
			i := w.ha[0].conns[0]
			reported := until(t, w, connected, func() bool { return w.haConns.items[i].requested })
			if wait := connected - 30*second - cut; wait > 10*second+10*ms {
				t.Errorf("%s, cut for %v: connected after %v more", release, cut, wait)
			}
			least, most := 5*second-10*ms, 6*second+20*ms
			if release == "5.3.3" {
				least = 0
			}
			if wait := reported - connected; wait < least || wait > most {
				t.Errorf("%s, cut for %v: reported %v after it connected", release, cut, wait)
			}
		}
	}
}

// A slave of 4.5.2 to 4.9.8 looks at when it has written, and it writes every 5 s whatever becomes of it.
// So it does not notice a cut, and learns from TCP that the master has closed the connection: from the
// next retransmission of either end after the cut has healed, up to as late again as the cut was long.
// (broker.md §10.5 has a slave close after 20 s in all versions; the source has not.) Source:
// HAService.HAClient.run and reportSlaveMaxOffset, 4.9.8.
func TestPartitionUnnoticedByASlaveOf4x(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cut, from, to sim.Duration }{
		// The master's bytes have been on their way since the cut, the slave's first report 5 to 6 s less;
		// they go out 25.4, 51.0 and 102.2 s after that.
		{22 * second, 25*second + 400*ms, 25*second + 500*ms},
		{30 * second, 30*second + 400*ms - 100*ms, 31*second + 500*ms},
		{50 * second, 51 * second, 51*second + 100*ms},
		{60 * second, 102*second - 100*ms, 102*second + 300*ms},
	} {
		cfg := syncConfig("4.9.8", 1)
		cfg.Faults = partition30(c.cut)
		w := New(cfg, nil)
		runTo(t, w, 30*second+c.cut)
		if w.procs[1].slave.conn == none || len(w.ha[0].conns) > 0 {
			t.Fatalf("cut for %v: the slave has noticed, or the master has not", c.cut)
		}
		at := until(t, w, 30*second+c.cut, func() bool { return len(w.ha[0].conns) > 0 }) - 30*second
		if at < c.from || at > c.to {
			t.Errorf("cut for %v: connected again %v after the cut, want %v to %v", c.cut, at, c.from, c.to)
		}
	}
}

// What callers are told of such a cut, and for how long (broker.md §10.5): waits for 20 to 21 s, then
// SLAVE_NOT_AVAILABLE in 4.x and waits on in 5.x with inSyncReplicas 2. After the heal SEND_OK is back
// within 10 s and a report, 6 s, in 4.5.1 and 5.3.3; in 4.9.8, as above, not before a retransmission meets
// the master's RST, up to twice the cut after it began. Name servers and routes do not notice.
func TestStatusesOfACutFromTheSlave(t *testing.T) {
	t.Parallel()
	const cut, heals = 45 * second, 75 * second
	for _, c := range []struct {
		release      string
		weaker       int // the status once the master has noticed
		first, last  sim.Duration
		tellsTCPOnly bool
	}{
		{"4.5.1", 11, 0, 16*second + 200*ms, false},
		{"4.9.8", 11, 5 * second, cut + 6*second + 200*ms, true},
		{"5.3.3", 12, 0, 16*second + 200*ms, false},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 160 * second
		cfg.Brokers[0].InSyncReplicas, cfg.Brokers[0].SendThreads = 2, 256
		cfg.Faults = partition30(cut)
		o := &routedSync{syncObserver: syncObserver{need: 1}}
		o.w = New(cfg, o)
		runTo(t, o.w, cfg.Duration)
		checkStretches(t, c.release, o.results, []stretch{
			{"before", 0, 29 * second, 0, 0, normal},
			{"noticed", 51*second + 100*ms, 70 * second, c.weaker, 0, 3*second + normal},
		})
		for i := range o.results {
			if r := &o.results[i]; r.sent > 30*second && r.sent < 49*second && (r.answer() != 12 ||
				r.took() < 3*second || r.took() > 5*second+normal) {
				t.Errorf("%s: sent at %v: code %d after %v", c.release, r.sent, r.answer(), r.took())
			}
		}
		back := firstOK(o.results, heals).answered - heals
		if back < c.first || back > c.last {
			t.Errorf("%s: SEND_OK %v after the heal, want %v to %v", c.release, back, c.first, c.last)
		}
		t.Logf("%s: SEND_OK %v after the heal", c.release, back)
		if c.tellsTCPOnly && back < 10*second {
			t.Errorf("%s: the slave has noticed the cut", c.release)
		}
		if o.changes > 0 {
			t.Errorf("%s: %d route changes", c.release, o.changes)
		}
	}
}

// routedSync counts changes of routes, too.
type routedSync struct {
	syncObserver
	changes int
}

func (o *routedSync) RouteChanged(*RouteChange) { o.changes++ }
