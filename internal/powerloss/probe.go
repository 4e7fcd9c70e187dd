package main

import (
	"slices"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// send is what a probe keeps of one message.
type send struct {
	scheduled, at sim.Time
	answered, ok  bool
	status        strategy.Status
	failure       string
	attempts      int32
	first         int32 // broker of the first attempt, -1: none
	firstTook     sim.Duration
	copies        int32
	fate          model.Fate
}

// probe watches one run, of one producer group and one fault.
type probe struct {
	model.NopObserver
	cfg      *config.Config
	world    *model.World
	sends    []send
	struckAt sim.Time
	// struck are the groups that lose a process, masters those that lose their master.
	struck, masters []bool
	// routed[instance]: its route has a queue on a dead master; empty: it has none at all.
	routed, empty []bool
	// registered are the dead masters that a name server still has.
	registered map[[2]int32]bool
	// unrouted is when the last client let go of the dead masters, unregistered when the last name
	// server did, unslaved when the last master has closed its connection to a dead slave.
	unrouted, unregistered, unslaved sim.Time
	stored                           int64 // copies on struck groups
}

func newProbe(cfg *config.Config) *probe {
	p := &probe{
		cfg: cfg, struck: make([]bool, len(cfg.Brokers)), masters: make([]bool, len(cfg.Brokers)),
		routed: make([]bool, cfg.Producers[0].Count), empty: make([]bool, cfg.Producers[0].Count),
		registered: map[[2]int32]bool{}, struckAt: sim.Time(cfg.Faults[0].At),
	}
	for _, t := range cfg.Faults[0].Targets {
		p.struck[t.Index] = true
		if t.ID > 0 {
			continue
		}
		p.masters[t.Index] = true
		for n := range cfg.NameServers {
			p.registered[[2]int32{int32(n), int32(t.Index)}] = true
		}
	}
	for i := range p.routed {
		p.routed[i] = p.losesMaster()
	}
	return p
}

func (p *probe) losesMaster() bool { return slices.Contains(p.masters, true) }

func (p *probe) Scheduled(m *model.Message) {
	p.sends = append(p.sends, send{scheduled: m.Scheduled, first: -1})
}

func (p *probe) AttemptEnded(a *model.Attempt) {
	if a.Try == 1 {
		s := &p.sends[a.Number]
		s.first, s.firstTook = int32(a.Queue.Broker), a.Ended.Sub(a.Began)
	}
}

func (p *probe) Answered(a *model.Answer) {
	s := &p.sends[a.Number]
	s.answered, s.at, s.attempts = true, a.At, a.Attempts
	s.status, s.ok = a.Result.Status, a.Result.Status != strategy.StatusNone
	if !s.ok {
		s.failure = failureName(&a.Result)
	}
}

// failureName is what the caller catches.
func failureName(r *strategy.Result) string {
	switch {
	case r.Exception == strategy.MQClientException && r.Code == strategy.CodeNotFoundTopic:
		return "No route info"
	case r.Exception == strategy.MQClientException && r.Cause != strategy.ExceptionNone:
		return r.Exception.String() + " of a " + r.Cause.String()
	default:
		return r.Exception.String()
	}
}

func (p *probe) CopyStored(c *model.Copy) {
	p.sends[c.Message.Number].copies = c.Number
	if p.struck[c.Broker] {
		p.stored++
	}
}

func (p *probe) FateChanged(f *model.FateChange) { p.sends[f.Message.Number].fate = f.To }

// RouteChanged notes when the last client has let go of the dead masters.
func (p *probe) RouteChanged(r *model.RouteChange) {
	i := r.Instance
	p.routed[i], p.empty[i] = false, true
	for b, has := range r.Brokers {
		p.routed[i] = p.routed[i] || has && p.masters[b]
		p.empty[i] = p.empty[i] && !has
	}
	if p.unrouted == 0 && r.At > p.struckAt && !slices.Contains(p.routed, true) {
		p.unrouted = r.At
	}
}

// Process notes when the last name server has removed the dead masters.
func (p *probe) Process(e *model.ProcessEvent) {
	if e.Target.Kind != config.BrokerTarget || e.At < p.struckAt || e.What != model.Unregistered {
		return
	}
	delete(p.registered, [2]int32{e.NameServer, int32(e.Target.Index)})
	if len(p.registered) == 0 && p.unregistered == 0 && p.losesMaster() {
		p.unregistered = e.At
	}
}

// look notes when the last master has closed its connection to a dead slave.
func (p *probe) look(at sim.Time) {
	if p.unslaved > 0 {
		return
	}
	for _, t := range p.cfg.Faults[0].Targets {
		if t.ID > 0 && p.world.Replicas(t.Index) > 0 {
			return
		}
	}
	p.unslaved = at
}

func (p *probe) unreadable() (n int64) {
	for b := range p.cfg.Brokers {
		n += p.world.Exposure(b).Unreadable
	}
	return n
}

// noticedAt is when the fault counts as noticed: with a master dead, when the last client has it in its
// route no more, or, where clients keep their route, a poll after the last name server has removed it;
// with slaves dead only, when the last master has closed its connection to one. 0: not yet.
func (p *probe) noticedAt() sim.Time {
	switch {
	case !p.losesMaster():
		return p.unslaved
	case p.unrouted > 0:
		return p.unrouted
	case p.unregistered > 0:
		return p.unregistered.Add(p.cfg.Producers[0].PollNameServerInterval)
	}
	return 0
}
