package model

// Exposure is how much of what a broker has stored in this run stands on one leg now.
type Exposure struct {
	// UnsyncedBytes are in the memory of the master: what a power loss would take.
	UnsyncedBytes int64
	// SingleBytes are in the log of the master and of no slave. It is 0 for a broker without slaves,
	// where that is so of all.
	SingleBytes int64
	// Unreadable are the messages, UnreadableBytes the bytes, that no replica serves: the master does
	// not run, and no slave that runs has them. What is lost does not count, nor what is stranded.
	// (Messages are counted by the mean size of those in the log.)
	Unreadable, UnreadableBytes int64
}

// Exposure looks at one broker.
func (w *World) Exposure(broker int) Exposure {
	b := int32(broker)
	p := w.firstProc[b]
	log, ml := &w.procs[p].log, &w.logs[b]
	furthest, readable := int64(-1), int64(-1) // of any slave, and of one that serves
	serving := uint16(0)
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		s := p + id + 1
		end := w.procs[s].log.end
		furthest = max(furthest, end)
		if w.serves(s) {
			readable = max(readable, end)
			serving |= 1 << (id + 1)
		}
	}
	e := Exposure{UnsyncedBytes: log.end - log.disk}
	if furthest >= 0 {
		e.SingleBytes = max(0, log.end-furthest)
	}
	if w.serves(p) {
		return e
	}
	live := log.end - ml.old
	e.UnreadableBytes = min(live, max(0, log.end-readable))
	e.Unreadable = ml.messagesIn(e.UnreadableBytes)
	for i := range ml.orphans {
		if o := &ml.orphans[i]; o.state != copyStranded && o.on&serving == 0 {
			e.Unreadable += w.ledger.weight(w.msgs.items[o.msg].Group)
			e.UnreadableBytes += int64(w.msgs.items[o.msg].size)
		}
	}
	return e
}

// serves says whether a process answers those who read from it: consumers stand where the producers do.
func (w *World) serves(p int32) bool {
	pr := &w.procs[p]
	if !pr.listening() || pr.stopped() || !w.poweredAt(w.endpointOfProcess(p)) {
		return false
	}
	if len(w.links) == 0 {
		return true
	}
	e := w.endpointOfProcess(p)
	for i := range w.insts {
		if c := w.endpointOfInstance(int32(i)); w.reaches(c, e) && w.reaches(e, c) {
			return true
		}
	}
	return false
}

// messagesIn is how many messages of the mean size a number of bytes is.
func (ml *masterLog) messagesIn(bytes int64) int64 {
	if ml.messages == 0 {
		return 0
	}
	return int64(float64(float64(bytes)/float64(ml.appended)*float64(ml.messages)) + 0.5)
}
