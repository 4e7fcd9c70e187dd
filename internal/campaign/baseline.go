package main

import (
	"fmt"
	"math"
	"slices"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// A cluster whose faults are all over returns to what it was: sends succeed, and each broker has its
// share of them. Where it does not, the reason is one of a few known ones, and a run with that reason
// taken away returns; else something is wrong.

const (
	// judgedSends is how many sends of each group a verdict needs.
	judgedSends = 200
	// lastSends is the time before the end whose sends may have no answer yet.
	lastSends = 15 * sim.Second
	// atMostFailed is the share of sends that may fail, or succeed with a weaker status, in health.
	atMostFailed = 0.01
)

// settling is how long after the last fault a cluster may take to be as before, by the sum of what can
// follow each other.
func settling(cfg *config.Config) sim.Duration {
	var startup, register, house, isolation, poll sim.Duration
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		startup = max(startup, b.Startup+b.ColdFor)
		register = max(register, b.RegisterPeriod)
		house = max(house, b.HAHousekeepingInterval+b.HAHeartbeatInterval)
	}
	for i := range cfg.NameServers {
		startup = max(startup, cfg.NameServers[i].Startup)
	}
	for i := range cfg.Producers {
		p := &cfg.Producers[i]
		poll = max(poll, p.PollNameServerInterval+p.HeartbeatBrokerInterval)
		if p.Settings.SendLatencyFaultEnable && len(p.Settings.NotAvailableDuration) > 0 {
			longest := slices.Max(p.Settings.NotAvailableDuration)
			isolation = max(isolation, sim.Duration(longest)*sim.Millisecond)
		}
	}
	heartbeats := 6 * sim.Second * sim.Duration(len(cfg.Brokers)) // to masters that do not answer
	return startup + register + poll + heartbeats + isolation + house + 45*sim.Second
}

// allPlain says that every group sends as most do, at a rate of its own.
func allPlain(cfg *config.Config) bool {
	for i := range cfg.Producers {
		p := &cfg.Producers[i]
		if !plain(p) || p.Choice != config.ChooseByPolicy || len(p.Topics) > 1 ||
			p.Arrivals == config.ClosedLoop ||
			p.Remoting.MaxMessageSize > 0 && p.Remoting.MaxMessageSize < 1<<20 {
			return false
		}
	}
	return !cfg.Start.Cold
}

// window is how long the run goes on after that, for a verdict.
func window(cfg *config.Config) sim.Duration {
	rate := math.Inf(1)
	for i := range cfg.Producers {
		if r := cfg.Producers[i].Rate; r > 0 {
			rate = min(rate, r)
		}
	}
	if math.IsInf(rate, 1) {
		rate = 1
	}
	return sim.Duration(1.5*judgedSends/rate*float64(sim.Second)) + 5*sim.Second + lastSends
}

// tally is what became of the sends of one group in the window.
type tally struct {
	sends, failed, weak int
	// before and during are the mean latencies before the first fault and in the window; before is 0
	// if there were too few.
	before, during sim.Duration
	// broker counts the good ones by broker.
	broker []int
}

// measure counts the sends scheduled from one time to another.
func measure(w *watcher, from, to sim.Time) []tally {
	all := make([]tally, len(w.groups))
	first := sim.Time(w.cfg.Duration)
	for i := range w.cfg.Faults {
		first = min(first, sim.Time(w.cfg.Faults[i].At))
	}
	for g := range w.groups {
		t := &all[g]
		t.broker = make([]int, len(w.cfg.Brokers))
		t.before, t.during = w.mean(g, 0, first), w.mean(g, from, to)
		for i := range w.groups[g] {
			switch r := &w.groups[g][i]; {
			case r.scheduled < from || r.scheduled >= to:
			case !r.ok:
				t.sends++
				t.failed++
			default:
				t.sends++
				t.broker[r.broker]++
				if r.status != strategy.StatusSendOK {
					t.weak++
				}
			}
		}
	}
	return all
}

// mean is the mean latency of the sends of a group that were scheduled and answered from one time to
// another, 0 if there are few.
func (w *watcher) mean(g int, from, to sim.Time) sim.Duration {
	n, total := 0, sim.Duration(0)
	for i := range w.groups[g] {
		if r := &w.groups[g][i]; r.scheduled >= from && r.answered && r.answeredAt < to {
			n, total = n+1, total+r.answeredAt.Sub(r.scheduled)
		}
	}
	if n < judgedSends/2 {
		return 0
	}
	return total / sim.Duration(n)
}

// unhealthy says what is not as it should be, "" if all is.
func unhealthy(cfg *config.Config, all []tally) string {
	for g := range all {
		t := &all[g]
		p := &cfg.Producers[g]
		limit := max(2, int(atMostFailed*float64(t.sends)))
		switch {
		case t.failed > limit:
			return fmt.Sprintf("group %s: %d of %d sends fail", p.Name, t.failed, t.sends)
		case t.weak > limit:
			return fmt.Sprintf("group %s: %d of %d sends have a weaker status", p.Name, t.weak, t.sends)
		case t.before > 0 && t.during > 3*t.before+5*sim.Millisecond:
			return fmt.Sprintf("group %s: the mean latency is %v, before the faults it was %v", p.Name,
				t.during, t.before)
		case p.Policy == "rocketmq":
			if bad := unequal(cfg, p, t); bad != "" {
				return fmt.Sprintf("group %s: %s", p.Name, bad)
			}
		}
	}
	return ""
}

// unequal says which broker's share is not near its fair one. A thread sends to all queues of a broker
// one after the other, and each begins anywhere: shares scatter as if so many sends were one.
func unequal(cfg *config.Config, p *config.Producer, t *tally) string {
	topic := &cfg.Topics[slices.IndexFunc(cfg.Topics, func(x config.Topic) bool {
		return x.Name == p.Topics[0].Name
	})]
	brokers := len(topic.Brokers)
	if brokers == 0 {
		brokers = len(cfg.Brokers)
	}
	good := float64(t.sends - t.failed)
	fair := 1 / float64(brokers)
	scatter := math.Sqrt(fair * (1 - fair) * float64(topic.WriteQueueNums) / good)
	for b, n := range t.broker {
		name := cfg.Brokers[b].Name
		if len(topic.Brokers) > 0 && !slices.Contains(topic.Brokers, name) {
			continue
		}
		if share := float64(n) / good; math.Abs(share-fair) > 5*scatter+0.03 {
			return fmt.Sprintf("%.1f %% of the sends go to %s, fair is %.1f %%", 100*share, name, 100*fair)
		}
	}
	return ""
}

// reason is a known reason for not returning to baseline: where it can apply, and the configuration
// without it.
type reason struct {
	name string
	// without takes the reason away. It is false where it does not apply.
	without func(cfg *config.Config) bool
}

// reasons in the order in which they are tried.
var reasons = []reason{
	{"list mutation (clients to 5.1.3, but for 4.9.8)", eachProducer("fallback=copies",
		func(p strategy.Profile) bool { return p.Fallback == strategy.FallbackMutates })},
	{"unreachable flag (client 5.1.4)", eachProducer("is_available=by-time",
		func(p strategy.Profile) bool { return p.Available == strategy.AvailableIfReachable })},
	{"master shorter than its slave", withoutSlaves},
	{"topic created by the first send to a broker", withTopics},
	{"permission wiped on a name server before 4.9.2, which cannot restore it", withAddWritePerm},
	{"permission wiped before the restart of a broker that was down or cut off", withoutWipes},
	{"load above capacity", withoutLoad},
	{"latency_max below the latency of a healthy broker", withoutEagerness},
	{"time limits below the latency of a healthy broker", withoutHaste},
}

// eachProducer gives a behaviour to the clients that have another one.
func eachProducer(behaviour string, has func(strategy.Profile) bool) func(*config.Config) bool {
	return func(cfg *config.Config) bool {
		applies := false
		cfg.Producers = slices.Clone(cfg.Producers)
		for i := range cfg.Producers {
			p := &cfg.Producers[i]
			profile, err := p.Profile()
			if err != nil || !p.Settings.SendLatencyFaultEnable || !has(profile) {
				continue
			}
			applies = true
			p.Behaviours = append(slices.Clone(p.Behaviours), behaviour)
		}
		return applies
	}
}

// withoutSlaves makes every master one that waits for no slave.
func withoutSlaves(cfg *config.Config) bool {
	applies := false
	cfg.Brokers = slices.Clone(cfg.Brokers)
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		applies = applies || b.Slaves > 0 && b.Role == config.SyncMaster
		b.Role = config.AsyncMaster
	}
	return applies
}

// withoutLoad gives brokers more than ten times the threads, and callers as many as they want. It applies
// where the callers could be too few, or the brokers that are left when the others are avoided too slow.
func withoutLoad(cfg *config.Config) bool {
	applies := false
	rate, longest := 0.0, 0.0
	cfg.Brokers = slices.Clone(cfg.Brokers)
	cfg.Producers = slices.Clone(cfg.Producers)
	for i := range cfg.Producers {
		p := &cfg.Producers[i]
		rate += p.Rate * float64(p.Settings.RetryTimesWhenSendFailed+1)
	}
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		each := b.Service.Mean() + b.Fsync.Mean() // the disk serves one at a time, in batches
		if b.Append != nil {
			each += b.Append.Mean()
		}
		longest = max(longest, each)
		applies = applies || rate*each/float64(sim.Second) > 0.5*float64(b.SendThreads)
		enough := 10*b.SendThreads + int(3*rate*each/float64(sim.Second))
		b.SendThreads = min(enough, 4096)
		b.QueueCapacity = 0
	}
	each := longest + 4*cfg.Network.Latency.Mean() // and some for a slave
	for i := range cfg.Producers {
		p := &cfg.Producers[i]
		applies = applies || p.Rate*each/float64(sim.Second) > 0.3*float64(p.Count*p.Threads)
		p.Threads = min(100*p.Threads, 4096)
	}
	return applies
}

// withoutEagerness makes latency isolate nobody: health can be slower than latency_max.
func withoutEagerness(cfg *config.Config) bool {
	applies := false
	cfg.Producers = slices.Clone(cfg.Producers)
	for i := range cfg.Producers {
		s := &cfg.Producers[i].Settings
		if !s.SendLatencyFaultEnable {
			continue
		}
		for k, d := range s.NotAvailableDuration {
			applies = applies || d > 0 && s.LatencyMax[k] < 1000
		}
		s.LatencyMax = []strategy.Millis{10_000}
		s.NotAvailableDuration = []strategy.Millis{slices.Max(s.NotAvailableDuration)}
	}
	return applies
}

// withoutHaste makes brokers wait for disks and slaves, and callers for brokers, as long as it takes.
func withoutHaste(cfg *config.Config) bool {
	applies, longest := false, sim.Duration(0)
	cfg.Brokers = slices.Clone(cfg.Brokers)
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		few := sim.Duration(20 * (b.Fsync.Mean() + b.Service.Mean()))
		for _, limit := range []*sim.Duration{&b.SyncFlushTimeout, &b.SlaveTimeout, &b.WaitTimeInQueue} {
			if *limit > 0 {
				applies = applies || *limit < few
				*limit = sim.Hour
			}
		}
		longest = max(longest, few)
	}
	cfg.Producers = slices.Clone(cfg.Producers)
	for i := range cfg.Producers {
		limit := &cfg.Producers[i].Settings.SendMsgTimeout
		applies = applies || sim.Duration(*limit)*sim.Millisecond < longest
		*limit = 60_000
	}
	return applies
}

// withTopics has somebody create every topic on all its brokers.
func withTopics(cfg *config.Config) bool {
	applies := false
	cfg.Topics = slices.Clone(cfg.Topics)
	for i := range cfg.Topics {
		applies = applies || cfg.Topics[i].Absent
		cfg.Topics[i].Absent = false
	}
	return applies
}

// withAddWritePerm lets every name server give permissions back.
func withAddWritePerm(cfg *config.Config) bool {
	applies := false
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		applies = applies || f.Kind == config.WipeWritePerm || f.Kind == config.RollingRestart && f.Wipe
	}
	cfg.NameServers = slices.Clone(cfg.NameServers)
	for i := range cfg.NameServers {
		n := &cfg.NameServers[i]
		n.Behaviours = append(slices.Clone(n.Behaviours), "add_write_perm=known")
	}
	return applies
}

// withoutWipes makes rolling restarts without wipeWritePerm. A broker that restarts gets its permission
// back with its first registration; where the name server has not seen it go, because another fault had
// it already, there is none.
func withoutWipes(cfg *config.Config) bool {
	applies := false
	cfg.Faults = slices.Clone(cfg.Faults)
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		applies = applies || f.Wipe && len(cfg.Faults) > 1
		f.Wipe = false
	}
	return applies
}
