package model

// fewInstances stay in the caches by themselves.
const fewInstances = 64

// lookAhead reads what a group's next sends will need, the n-th and those after it. It changes nothing. Of
// a thousand instances hardly any is in the processor's caches when its turn comes, and one part leads to
// the next: the instance to its policy and to the thread whose turn it is, that to the queue whose turn it
// is, and that to the connection and the place in the fault table. Each part is read one send earlier than
// the one that it leads to, so that what has to come from memory comes side by side, in the time of one read
// and not of many that wait for each other.
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

	x := w.insts[g.coming[3]].group

	in := &w.insts[g.coming[2]]
	x += w.views[in.firstView].topic + w.resting[in.firstThread+in.restFrom] + int32(in.policy.Budget(1, 1, 0))

	in = &w.insts[g.coming[1]]
	if t := w.resting[in.firstThread+in.restFrom]; t != none {
		x += w.threads[t].inst
	}

	in = &w.insts[g.coming[0]]
	t, r := w.resting[in.firstThread+in.restFrom], w.views[in.firstView].route
	if len(r.Queues) > 0 && t != none {
		b := r.Queues[w.threads[t].ids0.Turn(&g.profile, len(r.Queues))].Broker
		x += int32(w.chans[w.channelOf(g.coming[0], int32(b))].state)
		if in.policy.Available(0, b) {
			x++
		}
	}
	w.ahead = x
}
