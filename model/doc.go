// Package model is the simulated world: broker processes with their send threads, commit logs and
// slaves, name servers, the wire between them and the clients, and producers whose queue choices are
// made by the real rules of package strategy. It keeps the ledger of every message.
//
// Faults are physics. A fault cuts power, ends a process, stops it or slows it down; that a send
// fails, and how, follows from bytes in a page cache, from FIN, RST or silence on a wire, and from
// timers. Nothing here knows a metric: a World tells an [Observer] what happens and lets others count.
//
// A world is built from a config.Config (package model/config): [New] runs what that describes. What
// RocketMQ's releases do differently comes from package model/releases.
//
// # The life of a message
//
// A producer group draws the intended send times of its messages. The instance a message belongs to
// gives it to a free application thread, or keeps it waiting for one. The thread runs the synchronous
// send loop ([strategy.Loop]): each attempt is one call on the one channel that the instance has to
// the master, connecting first if there is none. The request crosses the wire, waits for a send
// thread of the broker, is served, appended to the commit log, and answered at once (ASYNC_FLUSH) or
// after the fsync that covers it (SYNC_FLUSH). Bytes flow on to the slaves.
//
// # Events
//
// One World is one sim.Engine. Events carry an index into one of the World's tables, never a pointer;
// event.go lists them. At one instant faults come first, then arrivals at a host, then timers.
//
// # Draws
//
// Every random value is keyed by what it belongs to (keys.go): the group, the message number and the
// attempt, or the process and a count. So two variants of a scenario give the same message the same
// luck, wherever it is sent. Only the client's own random index is a stream, one for each thread.
package model
