package strategy

// Walk is the first rule of a choice, one queue at a time: the queues that Select would look at
// before any last resort, in that order, those on a forbidden last broker left out. The caller says
// whether a queue's broker is available, and so can keep the fault table where it likes; package
// concurrent keeps it in atomic variables.
//
//	var w strategy.Walk
//	w.Begin(policy, route, thread, source, request)
//	for q, more := w.Next(); more; q, more = w.Next() {
//		if available(q.Broker) {
//			w.Take()
//			return q
//		}
//	}
//	// Nothing passed: ask Select, which then has the same index to begin with.
//
// If the walk ends without Take, the thread's index is where it was, but begun: a new random start
// that the request asked for has been drawn and must not be asked for again.
type Walk struct {
	route   *Route
	thread  *Thread
	profile *Profile
	last    Broker
	index   threadIndex // as Take leaves it
	v       int32       // value of the index at the next queue, under SelectionScan
	pos     int32       // of the queue that Next returned
	left    int32       // queues not yet looked at
}

// Begin begins a walk, for a producer with avoidance on. The route must not be empty.
func (w *Walk) Begin(m *RocketMQ, r *Route, th *Thread, src Source, req Request) {
	p := &m.profile
	th.beginChoice(req.Attempt)
	if req.ResetIndex && p.Selection == SelectionFilters && p.ResetIndex == ResetIndexOnRetry {
		th.sendWhichQueue.reset(src)
	}
	th.sendWhichQueue.begin(p.Index, src)
	// Field by field: a composite literal would be built aside and copied.
	w.route, w.thread, w.profile = r, th, p
	w.last, w.index, w.left = req.Last, th.sendWhichQueue, int32(len(r.Queues))
	if p.Selection == SelectionScan {
		w.v = w.index.step(p.Index)
	}
}

// Next is the next queue, false at the end of the walk.
func (w *Walk) Next() (Queue, bool) {
	n := int32(len(w.route.Queues))
	for w.left > 0 {
		w.left--
		if w.profile.Selection == SelectionFilters {
			w.pos = abs32(w.index.step(w.profile.Index) % n)
		} else {
			if w.v < 0 && w.profile.ScanOverflow == ScanOverflowThrows && w.v%n != 0 {
				return Queue{}, false
			}
			w.pos = position(w.v, n)
			w.v++
		}
		if q := w.route.Queues[w.pos]; w.profile.LastBroker.allows(q.Broker, w.last) {
			return q, true
		}
	}
	return Queue{}, false
}

// Take chooses the queue that Next returned last.
func (w *Walk) Take() {
	w.thread.sendWhichQueue = w.index
	w.thread.entry = w.pos + 1
}
