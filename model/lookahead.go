package model

import "simrun/sim"

// fewInstances stay in the caches by themselves.
const fewInstances = 64

// lookAhead asks for what a group's next sends will need, the n-th and those after it. It changes nothing. Of
// a thousand instances hardly any is in the processor's caches when its turn comes, and one part leads to the
// next: the instance to its fault table and to the thread whose turn it is, that to the queue whose turn it
// is, and that to the connection and the place in the fault table. Each part is asked for one send before the
// one that it leads to, so that all of them come from memory side by side, while the simulation goes on.
func (w *World) lookAhead(g *group, n uint64) {
	if g.cfg.Count < fewInstances {
		g.coming[0] = w.instanceFor(g, n)
		return
	}
	const far = uint64(len(g.coming)) - 1
	if n == 0 {
		for k := range far {
			g.coming[k+1] = w.instanceFor(g, k)
		}
	}
	copy(g.coming[:], g.coming[1:])
	g.coming[far] = w.instanceFor(g, n+far)

	sim.Prefetch(&w.insts[g.coming[far]])

	in := &w.insts[g.coming[3]]
	sim.Prefetch(&w.views[in.firstView])
	sim.Prefetch(&w.resting[in.firstThread+in.restFrom])
	sim.Prefetch(in.table)

	in = &w.insts[g.coming[2]]
	if t := w.resting[in.firstThread+in.restFrom]; t != none {
		sim.Prefetch(&w.threads[t])
	}

	in = &w.insts[g.coming[1]]
	t, r := w.resting[in.firstThread+in.restFrom], w.views[in.firstView].route
	if len(r.Queues) > 0 && t != none {
		b := r.Queues[w.threads[t].ids0.Turn(&g.profile, len(r.Queues))].Broker
		sim.Prefetch(&w.chans[w.channelOf(g.coming[1], int32(b))])
		if in.table != nil {
			sim.Prefetch(in.table.Place(b))
		}
	}
}
