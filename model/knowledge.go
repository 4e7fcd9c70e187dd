package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// Knowledge is what a producer instance knows at one instant, and what it is at.
type Knowledge struct {
	// ClockMillis is the instance's own millisecond clock.
	ClockMillis strategy.Millis
	// HasTable: it keeps a fault table, of which Brokers have the items, by index into Config.Brokers.
	HasTable bool
	Brokers  []KnownBroker
	// Topics are those of its group, in their order.
	Topics []KnownTopic
	// NameServer is the one it asks, an index into Config.NameServers.
	NameServer int
	// Sending are its threads that are in a send, Waiting the messages that wait for one.
	Sending, Waiting int
}

// KnownBroker is what an instance knows of a broker.
type KnownBroker struct {
	// Item is its item in the fault table; Known is false if there is none.
	Item  strategy.Item
	Known bool
	// Until is Item.Start on the simulation clock, 0 of one that was never isolated. Available says whether
	// the table lets the broker be chosen now.
	Until     sim.Time
	Available bool
	// Master: it has an address of the master.
	Master bool
	// Connection to the master, and the requests that wait for an answer on it.
	Connection ConnectionState
	InFlight   int
}

// ConnectionState is what a client knows of a connection. What it has not noticed it does not know.
type ConnectionState uint8

// States of a connection.
const (
	ConnectionNone  ConnectionState = iota // there is none: the next request makes one
	ConnectionBegun                        // a handshake is under way
	ConnectionOpen                         // it is open, for all that the client knows
)

// String is the state in a word.
func (s ConnectionState) String() string { return [...]string{"none", "begun", "open"}[s] }

// KnownTopic is what an instance knows of a topic.
type KnownTopic struct {
	// Topic is an index into Config.Topics. HasRoute: a name server has given a route of it.
	Topic    int
	HasRoute bool
	// Queues is the publish list. It must not be changed.
	Queues []strategy.Queue
	// Entries are what the last route says of each broker that may have the topic, in the client's order.
	Entries []RouteSays
}

// RouteSays is what a route says of a broker.
type RouteSays struct {
	Broker int
	What   RouteState
}

// RouteState says why the publish list has a broker's queues, or has not.
type RouteState uint8

// States of a broker in a route.
const (
	RouteLists    RouteState = iota // its queues are in the publish list
	RouteLacks                      // the route does not have it
	RouteNoMaster                   // the route has slaves of it, and no master
	RouteNoWrite                    // it may not be written to
)

// String is the state in words.
func (s RouteState) String() string {
	return [...]string{"listed", "not in the route", "no master in the route", "no write permission"}[s]
}

// Knows is what an instance of a group knows now.
func (w *World) Knows(group, instance int) Knowledge {
	g := &w.groups[group]
	i := g.first + int32(instance)
	in := &w.insts[i]
	now := w.clock(i)
	k := Knowledge{
		ClockMillis: now, NameServer: int(in.lookups.nameServer), Waiting: in.waiting.len(),
		HasTable: g.golang == nil && g.cfg.Settings.SendLatencyFaultEnable,
	}
	for t := in.firstThread; t < in.firstThread+in.threads; t++ {
		if w.threads[t].msg >= 0 {
			k.Sending++
		}
	}
	for b := range int32(len(w.names)) {
		k.Brokers = append(k.Brokers, w.knownBroker(i, b))
	}
	from, to := w.viewsOf(i)
	for v := from; v < to; v++ {
		k.Topics = append(k.Topics, w.knownTopic(v))
	}
	return k
}

func (w *World) knownBroker(i, b int32) KnownBroker {
	in := &w.insts[i]
	ch := &w.chans[w.channelOf(i, b)]
	k := KnownBroker{Available: true, Master: w.masters[w.channelOf(i, b)], Connection: stateNames[ch.state]}
	for r := ch.head; r != none; r = w.requests.items[r].next {
		if w.requests.items[r].msg != none {
			k.InFlight++
		}
	}
	if in.policy == nil {
		return k
	}
	k.Item, k.Known = in.policy.Item(strategy.Broker(b))
	k.Available = in.policy.Available(w.clock(i), strategy.Broker(b))
	if k.Known && k.Item.Start > 0 {
		k.Until = w.unclock(i, k.Item.Start)
	}
	return k
}

var stateNames = [...]ConnectionState{
	channelClosed: ConnectionNone, channelConnecting: ConnectionBegun, channelOpen: ConnectionOpen,
}

func (w *World) knownTopic(v int32) KnownTopic {
	tp := &w.topics[w.views[v].topic]
	k := KnownTopic{
		Topic: int(w.views[v].topic), HasRoute: w.views[v].hasRoute, Queues: w.views[v].route.Queues,
	}
	for _, b := range tp.brokers {
		says := RouteSays{Broker: int(b)}
		switch e := *w.routeEntry(v, b); {
		case w.lists(v, b):
		case e == 0:
			says.What = RouteLacks
		case e&1 == 0:
			says.What = RouteNoMaster
		default:
			says.What = RouteNoWrite
		}
		k.Entries = append(k.Entries, says)
	}
	return k
}
