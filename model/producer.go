package model

import (
	"slices"

	"simrun/model/config"
	"simrun/model/rate"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// group is a producer group: identical instances with one common arrival process.
type group struct {
	cfg     *config.Producer
	index   int32
	first   int32 // its first instance
	topics  []groupTopic
	profile strategy.Profile
	client  releases.Client
	golang  *releases.Go // nil: the Java client
	next    uint64       // number of the message that comes next, but for a closed loop
	// coming are its instance and those of the messages after it.
	coming [5]int32
	// once: its sends make one attempt, strategy.Once; queue is that of ChooseQueue.
	once  bool
	queue strategy.Queue
	// gap is the distribution between Poisson arrivals, think of the time that a thread of a closed loop
	// takes between sends, wakeup of how late a timed wait ends, delay of the time to the next send of a
	// message.
	gap, think, wakeup, delay dist
	gapAhead                  sim.Duration // before the message after the next, see nextGap
	// period and offset give the times of constant arrivals: offset + number * period. shape, if the rate
	// changes, is on whose time that is, and moment where it has come to.
	period, offset float64
	shape          *rate.Curve
	moment         rate.Moment
	// started are the instances that have started in this run, starting is the number of those that will,
	// after a cold start.
	started  []int32
	starting int
	firstUp  int32 // the first of them
	sizes    sizes
}

// instance is one producer: one fault table, one MQClientInstance with its channels and its route.
type instance struct {
	// What every send needs comes first, in one cache line: see lookAhead.

	group int32
	// golang is its place in World.goClients, none for a Java client.
	golang int32
	// firstView is the first of its views, one for each topic of its group. World.masters says, by broker,
	// whether brokerAddrTable has a master.
	firstView            int32
	firstThread, threads int32
	// resting is how many threads are without a message, restFrom where in World.resting, from firstThread
	// on, the one is that has been so for longest.
	restFrom, resting int32
	// clockPhase is how far the client's millisecond clock is ahead of the simulation's.
	clockPhase sim.Duration
	policy     strategy.Policy
	// table is the policy if it is RocketMQ's own, else nil.
	table *strategy.RocketMQ
	g     *group // its group
	// async is what asynchronous sends need, nil if there are none.
	async *asyncClient

	waiting fifo[int32] // messages without a thread: none while a thread is without a message
	// firstWorker is the first of its threads for asynchronous sends, workers their number. selector is what
	// callers choose queues by, nil if they don't.
	firstWorker, workers int32
	selector             strategy.QueueSelector

	origin  origin
	lookups lookups
	// scheduled is the scheduled thread, which runs polls and heartbeats one after the other; busy says
	// that one is on. pollDue and beatDue are when one that waits for that was due, 0 if none does.
	scheduled        int32
	busy             bool
	pollDue, beatDue sim.Time
	// detector is the thread of the detector, if that is switched on; detecting says that a round is
	// on.
	detector  int32
	detecting bool
	started   bool // in this run, if the start is cold
}

// buildProducers creates groups, instances and threads.
func (w *World) buildProducers() {
	w.groups = make([]group, len(w.cfg.Producers))
	for g := range w.cfg.Producers {
		w.buildGroup(int32(g))
	}
	w.buildGoServers()
}

func (w *World) buildGroup(gi int32) {
	cfg := &w.cfg.Producers[gi]
	g := &w.groups[gi]
	*g = group{
		cfg: cfg, index: gi, first: int32(len(w.insts)), topics: w.buildTopicShares(cfg),
		sizes: newSizes(cfg), wakeup: distOf(cfg.TimerWakeup), delay: distOf(cfg.OnFailure.Delay),
	}
	var err error
	if g.client, err = cfg.Wire(); err != nil {
		panic(err) // Validate has looked it up
	}
	g.client.ScanEvery = w.scaled(g.client.ScanEvery)
	if g.profile, err = cfg.Profile(); err != nil {
		panic(err)
	}
	if cfg.Client == config.GoClient {
		p, err := releases.LookupGo(cfg.Release)
		if err != nil {
			panic(err)
		}
		g.golang = &p
	}
	g.once = cfg.Client == config.JavaClient &&
		(cfg.Mode == config.OneWay || cfg.Mode == config.Sync && cfg.Choice != config.ChooseByPolicy)
	g.queue = chosenQueue(&w.cfg, cfg.Queue)
	for _, p := range w.newPolicies(g) {
		w.buildInstance(g, p)
	}
	g.startArrivals(w)
}

func (w *World) buildInstance(g *group, policy strategy.Policy) {
	i := int32(len(w.insts))
	d := sim.Key(w.cfg.Seed, drawClock, uint64(i), 0, 0)
	ns := sim.Key(w.cfg.Seed, drawNameServer, ownerInstance(i), 0, 0)
	in := instance{
		origin:      origin{owner: ownerInstance(i)},
		group:       g.index,
		g:           g,
		golang:      none,
		clockPhase:  sim.Duration(d.Float64() * float64(w.millis(1))),
		policy:      policy,
		firstThread: int32(len(w.threads)),
		threads:     int32(g.cfg.Threads),
		lookups: lookups{
			nameServer: int32(ns.IntN(len(w.nameServers))), asking: none, head: none, tail: none,
			answer: make([]routeEntry, len(w.names)),
		},
	}
	in.table, _ = policy.(*strategy.RocketMQ)
	in.lookups.answerer = in.lookups.nameServer
	in.firstView = int32(len(w.views))
	w.insts = append(w.insts, in)
	w.buildThreads(i)
	w.buildConnections(i)
	if g.golang != nil {
		w.buildGo(i)
	}
	w.buildViews(i)
	if g.golang != nil {
		w.buildGoSelectors(i)
	}
	w.planStart(i)
	w.startPolls(i)
	w.startDetector(i)
	w.buildAsync(i)
	w.buildSelector(i)
}

// buildThreads makes an instance's application threads and its scheduled one.
func (w *World) buildThreads(i int32) {
	in := &w.insts[i]
	for t := range in.threads {
		w.addThread(i, t, sender)
	}
	in.scheduled = w.addThread(i, in.threads, heartbeater)
}

// buildConnections makes a channel to every master and to the name server, open unless the start is cold.
func (w *World) buildConnections(i int32) {
	for b := range int32(len(w.names)) {
		w.openChannel(i, b, w.firstProc[b])
		w.masters = append(w.masters, false)
	}
	w.openChannel(i, none, w.processOfNameServer(w.insts[i].lookups.nameServer))
	w.masters = append(w.masters, false)
}

func (w *World) openChannel(i, b, peer int32) {
	state := channelOpen
	if w.cfg.Start.Cold {
		state = channelClosed
	}
	w.chans = append(w.chans, channel{
		inst: i, broker: b, peer: peer, state: state, head: none, tail: none,
		waitHead: none, waitTail: none, out: none, back: none, epoch: w.procs[peer].epoch,
	})
}

// newPolicies are those of a group's instances.
func (w *World) newPolicies(g *group) []strategy.Policy {
	if g.golang != nil { // it has no table, and nobody asks it for a queue
		return slices.Repeat([]strategy.Policy{strategy.NewSelectorPolicy(nil)}, g.cfg.Count)
	}
	all, err := strategy.NewPolicies(g.cfg.Policy, g.profile, g.cfg.Settings, w.names, g.cfg.Count)
	if err != nil {
		panic(err) // Validate has looked it up
	}
	return all
}

func (w *World) topicIndex(name string) int32 {
	for i := range w.cfg.Topics {
		if w.cfg.Topics[i].Name == name {
			return int32(i)
		}
	}
	panic("model: no topic " + name) // Validate has looked it up
}

// clock is the client's System.currentTimeMillis: whole milliseconds, with a sub-millisecond phase of
// its own against the simulation's clock.
func (w *World) clock(i int32) strategy.Millis {
	m := strategy.Millis((w.eng.Now() + sim.Time(w.insts[i].clockPhase)) / sim.Time(sim.Millisecond))
	if w.unit != 1 {
		m /= strategy.Millis(w.unit)
	}
	return m
}

// unclock is the first instant at which the client's clock shows m.
func (w *World) unclock(i int32, m strategy.Millis) sim.Time {
	return sim.Time(w.millis(m)) - sim.Time(w.insts[i].clockPhase)
}
