package model

import "simrun/strategy"

// fewInstances stay in the caches by themselves.
const fewInstances = 64

// lookAhead reads what a group's next sends will need, the n-th and those after it. It changes nothing. Of
// a thousand instances hardly any is in the processor's caches when its turn comes, and one part leads to
// the next: the instance to its policy and to the thread whose turn it is, those to the fault table and to
// the connections. Each part is read one send earlier than the one that it leads to, so that what has to
// come from memory comes side by side, in the time of one read and not of many that wait for each other.
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

	in := &w.insts[g.coming[2]]
	x := int(in.group) + in.waiting.count

	in = &w.insts[g.coming[1]]
	x += len(w.views[in.firstView].route.Queues) + int(in.policy.Budget(1, 1, 0))
	if in.idle.count > 0 {
		x += int(*in.idle.head())
	}

	in = &w.insts[g.coming[0]]
	if in.idle.count > 0 {
		t := *in.idle.head()
		x += int(w.threads[t].inst)
	}
	last := min(int32(len(w.names)), 8) - 1
	if in.policy.Available(0, 0) != in.policy.Available(0, strategy.Broker(last)) {
		x++
	}
	for b := range last + 1 {
		x += int(w.chans[w.channelOf(g.coming[0], b)].state)
	}
	w.ahead = x
}
