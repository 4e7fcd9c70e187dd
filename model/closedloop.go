package model

import (
	"simrun/model/config"
	"simrun/sim"
)

const (
	// closedSpread is over what time the threads of a closed loop send first, at least: about that of a
	// send. Those that think are spread over their first time of doing so.
	closedSpread = sim.Millisecond
	// failsAtOnce is how soon a thread sends again whose send took no simulated time: an exception, its
	// log entry and the loop around it take a while.
	failsAtOnce = 100 * sim.Microsecond
)

// startThreads plans the first message of each thread of instance i, from its start on.
func (w *World) startThreads(g *group, i int32) {
	in := &w.insts[i]
	from := sim.Duration(0)
	if w.cfg.Start.Cold {
		from = w.startOf(i)
	}
	for t := in.firstThread; t < in.firstThread+in.threads; t++ {
		n := w.closedNumber(g, t)
		spread := max(w.scaled(closedSpread), w.thinks(g, n, 1))
		d := sim.Key(w.cfg.Seed, drawGap, uint64(g.index), n, 0)
		w.after(from+sim.Duration(float64(d.Float64()*float64(spread))), evThought, t)
	}
}

// closedNumber is the number of the next message of thread t: its k-th has k times the group's threads,
// and its own place among them.
func (w *World) closedNumber(g *group, t int32) uint64 {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	place := uint64(th.inst-g.first)*uint64(in.threads) + uint64(t-in.firstThread)
	return th.sent*uint64(g.cfg.Count)*uint64(in.threads) + place
}

// thinks draws for how long the thread with message n thinks: after it, or before its first one.
func (w *World) thinks(g *group, n, first uint64) sim.Duration {
	return w.sample(&g.think, drawThink, uint64(g.index), n, first)
}

// thinkOn has a thread of a closed loop think about the answer to message n.
func (w *World) thinkOn(t int32, n uint64) {
	th := &w.threads[t]
	d := w.thinks(w.insts[th.inst].g, n, 0)
	if th.began == w.eng.Now() {
		d = max(d, w.scaled(failsAtOnce))
	}
	w.after(d, evThought, t)
}

// thought is a thread of a closed loop that sends its next message.
func (w *World) thought(t int32) {
	th := &w.threads[t]
	g := w.insts[th.inst].g
	n := w.closedNumber(g, t)
	th.sent++
	w.startSend(t, w.newMessage(g, n, th.inst))
}

// threadOf is the thread of a closed loop that message n of a group is of.
func (w *World) threadOf(g *group, n uint64) int32 {
	threads := uint64(g.cfg.Threads)
	place := n % (uint64(g.cfg.Count) * threads)
	return w.insts[g.first+int32(place/threads)].firstThread + int32(place%threads)
}

// isThere says whether message n of a group has come into being.
func (w *World) isThere(g *group, n uint64) bool {
	if g.cfg.Arrivals != config.ClosedLoop {
		return n < g.next
	}
	return n/(uint64(g.cfg.Count)*uint64(g.cfg.Threads)) < w.threads[w.threadOf(g, n)].sent
}
