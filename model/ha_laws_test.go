package model

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
)

// checkReplication holds the connections between slaves and masters against each other: each end is on
// the list of whoever has it open, a closed connection is not kept, and no end is open in a process that
// does not run.
func checkReplication(rt *rapid.T, w *World) {
	rt.Helper()
	live := w.haConns.used()
	listed := map[int32]bool{}
	for b := range w.ha {
		for _, i := range w.ha[b].conns {
			listed[i] = true
			if !live[i] || w.procs[w.haConns.items[i].slave].broker != int32(b) {
				rt.Fatalf("at %v the master of broker %d lists connection %d", w.Now(), b, i)
			}
		}
		t := &w.ha[b].transfers
		if t.given > t.waits.len() || t.waits.len() > 0 && !w.procs[w.firstProc[b]].running {
			rt.Fatalf("at %v %d of %d waits of broker %d are given up, and it runs: %v", w.Now(), t.given,
				t.waits.len(), b, w.procs[w.firstProc[b]].running)
		}
	}
	for i := range w.haConns.items {
		c := &w.haConns.items[i]
		master, slave := c.ends[masterEnd].open, c.ends[slaveEnd].open
		switch {
		case !live[i] && (master || slave || listed[int32(i)]):
			rt.Fatalf("at %v connection %d is closed and in use", w.Now(), i)
		case live[i] && !master && !slave:
			rt.Fatalf("at %v connection %d is open at no end", w.Now(), i)
		case master != listed[int32(i)], slave != (live[i] && w.procs[c.slave].slave.conn == int32(i)):
			rt.Fatalf("at %v connection %d is open: %v, %v; listed: %v, %d", w.Now(), i, master, slave,
				listed[int32(i)], w.procs[c.slave].slave.conn)
		case slave && !w.procs[c.slave].running,
			master && !w.procs[w.firstProc[w.procs[c.slave].broker]].running:
			rt.Fatalf("at %v connection %d is open in a process that does not run", w.Now(), i)
		case c.ends[masterEnd].pieces.len() > 2*haWindow:
			rt.Fatalf("at %v %d pieces are under way to a slave", w.Now(), c.ends[masterEnd].pieces.len())
		}
	}
}

// Whatever happens, a cluster that has come to rest has replicated: every slave that runs is connected to
// its master, if that runs, and their logs are equally long, unless the master has come back shorter. And
// while no master loses bytes, no slave has more than its master, and what is SEND_OK is on as many
// slaves as the release waits for.
func TestReplicationComesToRest(t *testing.T) {
	t.Parallel()
	acknowledged, compared := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		cfg := drawConfig(rt)
		loses := false // bytes of a master
		for i := range cfg.Faults {
			f := &cfg.Faults[i]
			if f.Duration == 0 {
				f.Duration = sim.Second // all is well in the end
			}
			loses = loses || f.Kind == config.PowerLoss || f.Kind == config.DiskLoss || f.Kind == config.Vanish
		}
		for i := range cfg.Brokers {
			loses = loses || cfg.Brokers[i].TransientStorePool
			cfg.Brokers[i].HAHeartbeatInterval = sim.Second
			cfg.Brokers[i].HAHousekeepingInterval = 4 * sim.Second
			cfg.Brokers[i].ReplicationBandwidth *= 10
		}
		o := &heldObserver{}
		w := New(cfg, o)
		o.w = w
		runTo(t, w, cfg.Duration)
		windDown(w)
		runTo(t, w, cfg.Duration+2*sim.Minute)
		for (w.heldByThreads() > 0 || len(loose(w)) > 0) && w.Now() < sim.Time(sim.Hour) {
			runTo(t, w, sim.Duration(w.Now())+sim.Minute)
		}
		runTo(t, w, sim.Duration(w.Now())+30*sim.Second)
		checkReplication(rt, w)
		for b := range cfg.Brokers {
			p := w.firstProc[b]
			for id := range int32(cfg.Brokers[b].Slaves) {
				m, s := &w.procs[p], &w.procs[p+id+1]
				if !m.running || !s.running || m.stopped() || s.stopped() {
					continue
				}
				compared++
				if s.slave.conn == none && m.profile.ShorterMaster != releases.ShorterDrops {
					rt.Errorf("slave %d of broker %d is not connected", id+1, b)
				}
				if s.log.end == 0 && m.log.end%mappedFileSize == 0 {
					continue // a new disk, and nothing in the master's last file
				}
				if s.log.end != m.log.end && (!loses || s.log.end < m.log.end) {
					rt.Errorf("the log of slave %d of broker %d ends at %d, its master's at %d", id+1, b,
						s.log.end, m.log.end)
				}
			}
		}
		if !loses && o.unheld > 0 {
			rt.Errorf("%d messages were SEND_OK and on too few slaves", o.unheld)
		}
		if !loses {
			acknowledged += o.held
		}
	})
	if acknowledged == 0 || compared == 0 {
		t.Errorf("%d acknowledgements, %d logs compared: the sweep shows nothing", acknowledged, compared)
	}
}

// heldObserver looks at each answer of a SYNC_MASTER whether the slaves have the message.
type heldObserver struct {
	NopObserver
	w            *World
	ends         map[Message]map[int32]int64 // by broker
	held, unheld int
}

func (o *heldObserver) CopyStored(c *Copy) {
	if o.ends == nil {
		o.ends = map[Message]map[int32]int64{}
	}
	m := c.Message
	m.AnsweredAt = 0
	if o.ends[m] == nil {
		o.ends[m] = map[int32]int64{}
	}
	o.ends[m][c.Broker] = o.w.procs[o.w.firstProc[c.Broker]].log.end
}

func (o *heldObserver) AttemptEnded(a *Attempt) {
	b := int32(a.Queue.Broker)
	cfg := &o.w.cfg.Brokers[b]
	if a.Outcome.Kind != 0 || cfg.Role != config.SyncMaster {
		return
	}
	need := 1
	if o.w.procs[o.w.firstProc[b]].profile.ReplicaCheck == releases.CheckNothing {
		need = cfg.InSyncReplicas - 1
	}
	m := a.Message
	m.AnsweredAt = 0
	for id := range int32(cfg.Slaves) {
		if o.w.procs[o.w.firstProc[b]+id+1].log.end >= o.ends[m][b] {
			need--
		}
	}
	if need > 0 {
		o.unheld++
	} else {
		o.held++
	}
}
