package model

import (
	"fmt"
	"slices"

	"simrun/model/config"
	"simrun/model/internal/place"
	"simrun/model/internal/timetable"
	"simrun/sim"
	"simrun/strategy"
)

// World is one simulated run. It is not safe for concurrent use; worlds share nothing.
type World struct {
	// What most events need comes first: the nearer a field is to the beginning, the shorter is the code that
	// reads it, and that of one message hardly fits into the processor's first cache.

	eng *sim.Engine
	// traces are the messages that somebody looks at, nil if nobody does.
	traces  []*trace
	insts   []instance
	groups  []group
	threads []thread
	// chans has the channels of each instance: see channelOf and nameServerChannel.
	chans []channel

	cfg config.Config
	// self is the world's handler id in eng.
	self sim.HandlerID
	obs  Observer
	// unit is 1, but in the test of what becomes of a world in which everything takes so many times as long.
	unit sim.Duration

	names  []string // broker names, by index into cfg.Brokers
	topics []topic

	// resting has, for each instance, the threads without a message: a ring as long as it has threads.
	resting []int32
	loops   slab[sendLoop] // of the threads that are in a send
	// goClients are the instances of the Go client, goLoops the send loops of their threads.
	goClients []goClient
	goLoops   []strategy.GoLoop
	goSends   slab[goSend]
	calls     slab[call]
	// sends are the asynchronous sends under way.
	sends slab[asyncSend]
	// silenced counts those that ended without a word to the caller.
	silenced int64
	// selectorDraw is what a selector draws from.
	selectorDraw selectorDraw
	// views are what instances know of their topics, ids the indexes of their threads into the lists of all
	// topics but the first.
	views []view
	ids   []strategy.Thread
	// routes are by view and broker, see routeEntry; masters by instance and broker, as chans is: see
	// instance.
	routes  []routeEntry
	masters []bool

	// procs are the broker processes, and behind the first brokerProcs of them the name servers.
	procs       []process
	brokerProcs int32
	logs        []masterLog // by broker
	ha          []haService // by broker
	// haConns are the connections between slaves and masters.
	haConns slab[haConnection]
	// firstProc[b] is the index of broker b's master; its slaves follow it.
	firstProc []int32

	nameServers []nameServer
	// places says on which host every endpoint is, and in which zone; hosts are the machines, addresses are
	// by endpoint, zoneLinks has the latencies of Config.ZoneLinks.
	places    *place.Map
	hosts     []host
	addresses []address
	zoneLinks []dist
	// links are the faults of the network that last; delaying counts those that delay packets, delays
	// are the distributions of that, by fault.
	links    []link
	delaying int
	delays   []dist
	// pipes are the directions of connections on which something is missed.
	pipes slab[pipe]
	// segments are the control packets on the wire, arriving is the one that is being delivered.
	segments slab[segment]
	arriving arrival

	// held and queues are the topics of brokers and what name servers know of them: see holds and
	// queuesAt.
	held   []bool
	queues []queueData
	// listed is, beside queues, a number that grows with each that came to the name server; comers is the
	// last one.
	listed []uint32
	comers uint32
	absent bool // some topic is absent at first
	// regs[nameServer*brokerProcs+process] is what a name server knows of a broker process.
	regs []brokerEntry
	// brokerLinks has the same from the broker's side: its connection to the name server.
	brokerLinks []nameServerLink

	// rolls are the rolling restarts that have begun.
	rolls []roll
	// topicVersions counts the versions of topic tables that were ever made.
	topicVersions uint32
	// strikes are the times at which faults strike, by fault.
	strikes []timetable.Strike

	msgs     slab[message]
	requests slab[request]
	ledger   ledger
	// resending are the messages to be sent again.
	resending resending
	// parked counts the records that are in a log's list of copies, see park.
	parked int64

	// responseTimeouts holds the waits for an answer: nearly equal delays, nearly all stopped.
	responseTimeouts *sim.Lane
	// latency is that of the network, but see way; dists are the brokers' own.
	latency dist
	dists   []brokerDists
	// draw is the draw being made: a local one would be allocated for the call of the sampler.
	draw sim.Draw
	// failing holds the requests whose channel was closed under them in the current event. They fail
	// after whatever closed it has gone on: first the cause, then what it drags along.
	failing fifo[int32]
	// striking is the fault that strikes in the current event, none if none does.
	striking int32

	// Arguments of observer calls live here, so that none of them is allocated.
	said struct {
		message Message
		attempt Attempt
		answer  Answer
		copy    Copy
		fate    FateChange
		table   TableChange
		probe   ProbeEnd
		route   RouteChange
		process ProcessEvent
		brokers []bool
	}
}

// New builds a world in the middle of its life at time 0: every periodic task has a phase of its own,
// channels are open, brokers registered, routes known, slaves connected; but Config.Start may let the
// producers start then. It panics on a configuration
// that cfg.Validate refuses. obs may be nil.
func New(cfg config.Config, obs Observer) *World { return newWorld(cfg, obs, 1) }

// newWorld is New with another unit of time: see World.unit.
func newWorld(cfg config.Config, obs Observer, unit sim.Duration) *World {
	for _, p := range cfg.Validate() {
		if !p.Warning {
			panic(fmt.Sprintf("model: invalid configuration: %s: %s", p.Path, p.Message))
		}
	}
	if obs == nil {
		obs = NopObserver{}
	}
	w := &World{
		cfg: cfg, eng: sim.New(), obs: obs, unit: unit, latency: distOf(cfg.Network.Latency), striking: none,
	}
	w.ledger.weights = newWeights(&cfg)
	w.self = w.eng.Register(w)
	w.responseTimeouts = w.eng.NewLane()
	w.said.brokers = make([]bool, len(cfg.Brokers))
	w.buildBrokers()
	w.buildTopics()
	w.buildNameServers()
	w.buildHosts()
	w.buildReplication()
	w.buildProducers()
	w.planFaults()
	return w
}

// RunUntil simulates up to and including t. Its error is a *sim.Runaway: a bug.
func (w *World) RunUntil(t sim.Time) error { return w.eng.RunUntil(t) }

// Now is the current simulation time.
func (w *World) Now() sim.Time { return w.eng.Now() }

// Events is the number of events executed so far.
func (w *World) Events() uint64 { return w.eng.Executed() }

// Avoiding is the number of instances of a group whose fault table refuses a broker now. It is 0 for
// a group that has avoidance off.
func (w *World) Avoiding(group, broker int) int {
	g := &w.groups[group]
	n := 0
	for i := g.first; i < g.first+int32(g.cfg.Count); i++ {
		if !w.insts[i].policy.Available(w.clock(i), strategy.Broker(broker)) {
			n++
		}
	}
	return n
}

// Routed is the number of instances of a group whose publish list has a queue on a broker now.
func (w *World) Routed(group, broker int) int {
	g := &w.groups[group]
	n := 0
	for i := g.first; i < g.first+int32(g.cfg.Count); i++ {
		if w.publishes(i, int32(broker)) {
			n++
		}
	}
	return n
}

// Backlog is the number of messages of a group that wait for a free thread now.
func (w *World) Backlog(group int) int {
	g := &w.groups[group]
	n := 0
	for i := g.first; i < g.first+int32(g.cfg.Count); i++ {
		n += w.insts[i].waiting.len()
	}
	return n
}

// Oldest is for how long the oldest send that a thread of a group has in hand, or that has a callback
// which is still to run, has been there; 0 if there is none.
func (w *World) Oldest(group int) sim.Duration {
	g := &w.groups[group]
	oldest := w.eng.Now()
	for i := g.first; i < g.first+int32(g.cfg.Count); i++ {
		in := &w.insts[i]
		for t := in.firstThread; t < in.firstThread+in.threads; t++ {
			if w.threads[t].msg != none {
				oldest = min(oldest, w.threads[t].began)
			}
		}
	}
	for s := range w.sends.items { // those that are over have been told
		if sd := &w.sends.items[s]; !sd.told && w.insts[sd.inst].group == g.index {
			oldest = min(oldest, sd.began)
		}
	}
	return w.eng.Now().Sub(oldest)
}

// Ledger is the account of all messages so far.
func (w *World) Ledger() Ledger { return w.ledger.snapshot() }

// buildTopics sorts each topic's brokers by name, as clients list them, and fills the brokers' tables.
func (w *World) buildTopics() {
	w.held = make([]bool, len(w.names)*(len(w.cfg.Topics)+1))
	for b := range w.names {
		*w.holds(int32(b), w.defaultTopic()) = w.cfg.Brokers[b].AutoCreateTopic
	}
	for _, t := range w.cfg.Topics {
		tp := topic{queues: int32(t.WriteQueueNums), on: make([]bool, len(w.names)), absent: t.Absent}
		if t.Absent {
			w.absent = true
			tp.made = make([]int32, len(w.names))
		}
		for b, name := range w.names {
			if t.Absent && w.cfg.Brokers[b].AutoCreateTopic ||
				!t.Absent && (len(t.Brokers) == 0 || slices.Contains(t.Brokers, name)) {
				tp.on[b] = true
				tp.brokers = append(tp.brokers, int32(b))
			}
		}
		if t.Ordered {
			tp.ordered = w.orderOf(&t, tp.brokers)
		}
		slices.SortFunc(tp.brokers, func(a, b int32) int {
			return compareNames(w.names[a], w.names[b])
		})
		for b, on := range tp.on {
			*w.holds(int32(b), int32(len(w.topics))) = on && !tp.absent
		}
		w.topics = append(w.topics, tp)
	}
}

// orderOf are the brokers of an ordered topic in the order in which it names them.
func (w *World) orderOf(t *config.Topic, on []int32) []int32 {
	order := slices.Clone(on)
	if len(t.Brokers) > 0 {
		slices.SortFunc(order, func(a, b int32) int {
			return slices.Index(t.Brokers, w.names[a]) - slices.Index(t.Brokers, w.names[b])
		})
	}
	return order
}

// brokerDists are the distributions of a broker's times.
type brokerDists struct{ service, fsync, append dist }

// topic is where a topic's queues are, or can be, if it is absent at first.
type topic struct {
	queues  int32
	brokers []int32 // in name order
	on      []bool  // by broker
	absent  bool
	made    []int32 // the queues that a broker has made, if it was absent at first
	// ordered are its brokers in the order of ORDER_TOPIC_CONFIG, nil if there is none.
	ordered []int32
	// shared is the publish list that was made last, sharedFrom what it was made of.
	shared     *strategy.Route
	sharedFrom []routeEntry
}

// compareNames orders names as Java's String.compareTo does, by UTF-16 code unit. Broker names are
// ASCII (Validate), for which bytes give the same order.
func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
