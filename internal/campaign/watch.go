package main

import (
	"fmt"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// watcher is an Observer that keeps an account of its own and holds what it is told against it.
type watcher struct {
	cfg   *config.Config
	world *model.World
	// problem is the first rule that was broken, "" if none was.
	problem string
	now     sim.Time
	// sum is a hash of all that was told, in order.
	sum    uint64
	groups [][]record // by group and number
	// stored counts the copies, extra those beyond the first of a message.
	stored, extra int64
	struck        []struckBroker
	loads         loads
	// open counts the strikes that last, by fault and target. lastEnd is when the last one let go, or
	// the last process started again.
	open    map[[2]string]int
	lastEnd sim.Time
}

// record is what the watcher knows of a message.
type record struct {
	// there: it has come into being; ok: its caller was told that it is stored.
	there                 bool
	scheduled, answeredAt sim.Time
	answered, ok          bool
	status                strategy.Status
	tries, copies         int32
	fate                  model.Fate
	// broker is where the last attempt went, stored whether it said so.
	broker int32
}

// struckBroker is what has happened to the disks of a broker name so far.
type struckBroker struct {
	// power: page caches were lost; memory: what was not in the page cache either; disk: what was on
	// the disk or said to be there.
	power, memory, disk bool
}

func newWatcher(cfg *config.Config) *watcher {
	return &watcher{
		cfg: cfg, groups: make([][]record, len(cfg.Producers)), sum: 14695981039346656037,
		struck: make([]struckBroker, len(cfg.Brokers)), open: map[[2]string]int{},
	}
}

// fail notes a broken rule. The part before the colon names the rule.
func (w *watcher) fail(rule, format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf("%s: %s at %v", rule, fmt.Sprintf(format, args...), w.now)
	}
}

// tick is told the time of each call.
func (w *watcher) tick(at sim.Time) {
	if at < w.now {
		w.fail("time runs backwards", "told of %v after %v", at, w.now)
	}
	if w.world != nil && at != w.world.Now() {
		w.fail("time of a call", "told of %v while it is %v", at, w.world.Now())
	}
	w.now = at
	w.hash(uint64(at))
}

// hash folds words into the sum (FNV-1a by words).
func (w *watcher) hash(words ...uint64) {
	for _, x := range words {
		w.sum = (w.sum ^ x) * 1099511628211
		w.sum ^= w.sum >> 29
	}
}

// of is the record of a message.
func (w *watcher) of(m *model.Message) *record {
	g := w.groups[m.Group]
	if m.Number >= uint64(len(g)) {
		w.fail("unknown message", "message %d of group %d was not scheduled", m.Number, m.Group)
		return &record{}
	}
	r := &g[m.Number]
	if m.Scheduled != r.scheduled || m.AnsweredAt != r.answeredAt {
		w.fail("identity of a message", "message %d of group %d is %+v, known as %+v",
			m.Number, m.Group, *m, *r)
	}
	return r
}

// Scheduled implements model.Observer.
func (w *watcher) Scheduled(m *model.Message) {
	w.tick(m.Scheduled)
	w.hash(1, uint64(m.Group), m.Number, uint64(m.Instance))
	closed := w.cfg.Producers[m.Group].Arrivals == config.ClosedLoop // each thread has numbers of its own
	if n := uint64(len(w.groups[m.Group])); m.Number != n && !closed {
		w.fail("numbers of messages", "number %d after %d messages of group %d", m.Number, n, m.Group)
	}
	if m.Instance < 0 || int(m.Instance) >= w.cfg.Producers[m.Group].Count {
		w.fail("instance", "message %d of group %d is sent by instance %d", m.Number, m.Group, m.Instance)
	}
	g := &w.groups[m.Group]
	for uint64(len(*g)) <= m.Number {
		*g = append(*g, record{})
	}
	r := &(*g)[m.Number]
	if r.there {
		w.fail("numbers of messages", "number %d of group %d twice", m.Number, m.Group)
	}
	*r = record{there: true, scheduled: m.Scheduled, broker: -1}
}

// AttemptEnded implements model.Observer.
func (w *watcher) AttemptEnded(a *model.Attempt) {
	w.tick(a.Ended)
	w.hash(2, uint64(a.Group), a.Number, uint64(a.Try), uint64(a.Queue.Broker), uint64(a.Queue.ID),
		uint64(a.Began), uint64(a.Outcome.Kind), uint64(a.Outcome.Code))
	r := w.of(&a.Message)
	p := &w.cfg.Producers[a.Group]
	r.tries++
	switch {
	case r.answered && p.Mode != config.Async: // some releases call back, and try again
		w.fail("attempt after the answer", "attempt %d of message %d", a.Try, a.Number)
	case a.Try != r.tries || int(a.Try) > mostAttempts(p):
		w.fail("attempts", "attempt %d is the %d. of message %d, of at most %d", a.Try, r.tries, a.Number,
			mostAttempts(p))
	case a.Began > a.Ended || a.Began < a.Scheduled:
		w.fail("times of an attempt", "attempt of message %d scheduled at %v from %v to %v", a.Number,
			a.Scheduled, a.Began, a.Ended)
	case int(a.Queue.Broker) < 0 || int(a.Queue.Broker) >= len(w.cfg.Brokers):
		w.fail("queue", "message %d went to broker %d", a.Number, a.Queue.Broker)
	}
	r.broker = int32(a.Queue.Broker)
}

// Answered implements model.Observer.
func (w *watcher) Answered(a *model.Answer) {
	w.tick(a.At)
	w.hash(3, uint64(a.Group), a.Number, uint64(a.Attempts), uint64(a.Began), uint64(a.Result.Status),
		uint64(a.Result.Exception), uint64(a.Result.Cause), uint64(a.Result.Code))
	if a.Number >= uint64(len(w.groups[a.Group])) {
		w.fail("unknown message", "message %d of group %d was not scheduled", a.Number, a.Group)
		return
	}
	r := &w.groups[a.Group][a.Number]
	status, exception := a.Result.Status, a.Result.Exception
	switch {
	case r.answered:
		w.fail("second answer", "message %d of group %d", a.Number, a.Group)
	case a.Began < a.Scheduled || a.Began > a.At:
		w.fail("times of an answer", "message %d scheduled at %v, begun at %v, answered at %v",
			a.Number, a.Scheduled, a.Began, a.At)
	case (status == 0) == (exception == 0):
		w.fail("answer", "message %d has status %v and exception %v", a.Number, status, exception)
	case a.Fate != r.fate || a.Copies != r.copies:
		w.fail("fate of an answer", "message %d is %v with %d copies, was told %v with %d", a.Number,
			r.fate, r.copies, a.Fate, a.Copies)
	case status != 0 && status != strategy.StatusHanded && r.copies == 0:
		w.fail("acknowledged but not stored", "message %d: %v", a.Number, status)
	case a.Attempts != r.tries && plain(&w.cfg.Producers[a.Group]):
		w.fail("attempts of an answer", "message %d: %d, told of %d", a.Number, a.Attempts, r.tries)
	case plain(&w.cfg.Producers[a.Group]) && a.At.Sub(a.Began) > w.longest(a.Group):
		w.fail("time of a send", "message %d took %v after %d attempts", a.Number, a.At.Sub(a.Began),
			a.Attempts)
	}
	r.answered, r.answeredAt, r.status = true, a.At, status
	r.ok = status != 0 && status != strategy.StatusHanded
	w.syncFlushHolds(a, r)
}

// plain says that a group sends as most do: synchronously, with the Java client, and once.
func plain(p *config.Producer) bool {
	return p.Client == config.JavaClient && p.Mode == config.Sync && p.OnFailure.Resends == 0
}

// mostAttempts is how many attempts all sends of a message may make together.
func mostAttempts(p *config.Producer) int {
	s := &p.Settings
	retries := max(s.RetryTimesWhenSendFailed, s.RetryTimesWhenSendAsyncFailed)
	return (1 + retries) * (1 + p.OnFailure.Resends)
}

// longest is a bound for how long a send may take once a thread has it: each attempt its connect and
// its budget, with time to wake up in, and twice a name server's timeout for the route.
func (w *watcher) longest(g int32) sim.Duration {
	s := &w.cfg.Producers[g].Settings
	budget := sim.Duration(s.SendMsgTimeout) * sim.Millisecond
	return sim.Duration(s.RetryTimesWhenSendFailed+1)*(budget+4*sim.Second) + 10*sim.Second
}

// hanging finds sends that take longer than they may: somebody waits for what does not come.
func (w *watcher) hanging() {
	for g := range w.groups {
		if age := w.world.Oldest(g); plain(&w.cfg.Producers[g]) && age > w.longest(int32(g)) {
			w.fail("hanging send", "a thread of group %s is in one since %v", w.cfg.Producers[g].Name,
				w.world.Now().Add(-age))
		}
	}
}

// syncFlushHolds: a SEND_OK of a SYNC_FLUSH master means that the message is on its disk, unless a
// disk lied or died.
func (w *watcher) syncFlushHolds(a *model.Answer, r *record) {
	if !plain(&w.cfg.Producers[a.Group]) || r.broker < 0 ||
		a.Result.Status != strategy.StatusSendOK || w.struck[r.broker].disk ||
		w.cfg.Brokers[r.broker].Flush != config.SyncFlush {
		return
	}
	if r.fate != model.Durable {
		w.fail("SYNC_FLUSH", "message %d is acknowledged by %s and %v", a.Number,
			w.cfg.Brokers[r.broker].Name, r.fate)
	}
}

// CopyStored implements model.Observer.
func (w *watcher) CopyStored(c *model.Copy) {
	w.tick(c.At)
	w.hash(4, uint64(c.Group), c.Message.Number, uint64(c.Broker), uint64(c.Number), uint64(c.Try))
	r := w.of(&c.Message)
	r.copies++
	if c.Number != r.copies {
		w.fail("copies", "copy %d is the %d. of message %d", c.Number, r.copies, c.Message.Number)
	}
	w.stored++
	if c.Number > 1 {
		w.extra++
	}
	if c.Try < 1 || int(c.Try) > mostAttempts(&w.cfg.Producers[c.Group]) {
		w.fail("copies", "copy %d of message %d is of attempt %d", c.Number, c.Message.Number, c.Try)
	}
	if c.Unsynced < 1 || c.UnsyncedBytes < c.Unsynced {
		w.fail("copies", "%d copies of %d bytes wait for an fsync", c.Unsynced, c.UnsyncedBytes)
	}
}

// FateChanged implements model.Observer.
func (w *watcher) FateChanged(f *model.FateChange) {
	w.tick(f.At)
	w.hash(5, uint64(f.Group), f.Number, uint64(f.Broker), uint64(f.From), uint64(f.To))
	r := w.of(&f.Message)
	if f.From != r.fate || f.From == f.To {
		w.fail("fate", "message %d moves from %v to %v, was %v", f.Number, f.From, f.To, r.fate)
	}
	if f.Answered != r.answered || f.Answered && f.OK != r.ok {
		w.fail("answer of a fate", "message %d: answered %v, ok %v", f.Number, f.Answered, f.OK)
	}
	r.fate = f.To
	w.explained(f)
	w.caused(f)
}

// caused holds the cause of a loss against the faults there are.
func (w *watcher) caused(f *model.FateChange) {
	gone := f.To == model.Lost || f.To == model.Stranded
	if gone != (f.Loss.Cause != model.NotLost) {
		w.fail("cause of a loss", "message %d is %v: %v", f.Number, f.To, f.Loss.Cause)
	}
	if !gone {
		return
	}
	if b := f.Loss.Broker; b < 0 || int(b) >= len(w.cfg.Brokers) {
		w.fail("cause of a loss", "message %d by broker %d", f.Number, b)
	}
	if i := f.Loss.Fault; i < 0 || int(i) >= len(w.cfg.Faults) {
		w.fail("cause of a loss", "message %d is %v by fault %d", f.Number, f.To, i)
	}
}

// explained holds a loss against what has happened to the broker's disks: nothing vanishes from a
// disk without a fault of the disk, nothing from a page cache without a loss of power.
func (w *watcher) explained(f *model.FateChange) {
	s := w.struck[f.Broker]
	name := w.cfg.Brokers[f.Broker].Name
	pool := w.cfg.Brokers[f.Broker].TransientStorePool && s.memory
	switch {
	case f.To == model.NeverStored:
		w.fail("unstored", "message %d moves from %v to %v", f.Number, f.From, f.To)
	case f.From == model.Durable && f.To == model.Stranded && !s.power && !s.disk && !pool:
		w.fail("durable message stranded", "message %d on %s", f.Number, name)
	case f.From == model.Durable && f.To != model.Stranded && !s.disk:
		w.fail("durable message vanished", "message %d on %s is %v", f.Number, name, f.To)
	case f.To != model.Lost && f.To != model.Stranded:
	case !s.power && !s.disk && !pool:
		w.fail("message vanished", "message %d on %s moves from %v to %v", f.Number, name, f.From, f.To)
	}
}

// TableChanged implements model.Observer.
func (w *watcher) TableChanged(c *model.TableChange) {
	w.tick(c.At)
	w.hash(6, uint64(c.Group), uint64(c.Instance), uint64(c.Broker), uint64(c.Until))
	if !w.cfg.Producers[c.Group].Settings.SendLatencyFaultEnable {
		w.fail("fault table", "of group %d, which has none", c.Group)
	}
}

// Probed implements model.Observer.
func (w *watcher) Probed(p *model.ProbeEnd) {
	w.tick(p.At)
	if p.Began < 0 || p.Began > p.At {
		w.fail("probe", "began at %v and ended at %v", p.Began, p.At)
	}
}

// RouteChanged implements model.Observer.
func (w *watcher) RouteChanged(r *model.RouteChange) {
	w.tick(r.At)
	w.hash(7, uint64(r.Group), uint64(r.Instance))
	if len(r.Brokers) != len(w.cfg.Brokers) {
		w.fail("route", "names %d brokers", len(r.Brokers))
	}
	for _, b := range r.Brokers {
		w.hash(map[bool]uint64{false: 8, true: 9}[b])
	}
}

// Process implements model.Observer.
func (w *watcher) Process(p *model.ProcessEvent) {
	w.tick(p.At)
	w.hash(10, uint64(p.Target.Kind), uint64(p.Target.Index), uint64(p.Target.ID), uint64(p.What),
		uint64(p.Bytes), uint64(p.NameServer), uint64(p.Fault))
	switch p.What {
	case model.FaultBegan, model.FaultEnded:
		w.faultEvent(p)
	case model.Started:
		w.lastEnd = p.At
	case model.BytesLost:
		if p.Bytes < 0 {
			w.fail("bytes lost", "%d", p.Bytes)
		}
	}
}

func (w *watcher) faultEvent(p *model.ProcessEvent) {
	if p.Fault < 0 || int(p.Fault) >= len(w.cfg.Faults) {
		w.fail("fault", "%d began or ended", p.Fault)
		return
	}
	f := &w.cfg.Faults[p.Fault]
	key := [2]string{f.Name, fmt.Sprint(p.Target)}
	if p.What == model.FaultEnded {
		w.lastEnd = p.At
		if w.open[key]--; w.open[key] < 0 {
			w.fail("fault ends", "%s of %v, which had not begun", f.Name, p.Target)
		}
		return
	}
	w.open[key]++
	if p.Target.Kind == config.BrokerTarget {
		w.struck[p.Target.Index].strike(f.Kind)
	}
}

// strike notes what a fault of a broker's processes may do to what they store.
func (s *struckBroker) strike(k config.FaultKind) {
	switch k {
	case config.PowerLoss:
		s.power, s.memory = true, true
	case config.Kill, config.Vanish, config.Shutdown, config.RollingRestart:
		s.memory = true
	case config.DiskLoss, config.FsyncLie, config.ReadOnlyDisk:
		s.power, s.memory, s.disk = true, true, true
	case config.DiskFull, config.DiskStall, config.FsyncStall:
		// They delay; nothing is lost that is there.
	}
}

// healed says that every fault that began has ended.
func (w *watcher) healed() bool {
	for _, n := range w.open {
		if n > 0 {
			return false
		}
	}
	return true
}

// holds compares the account with the world's ledger.
func (w *watcher) holds(l *model.Ledger) {
	byFate := make([]int64, len(model.LedgerRow{}.ByFate))
	var sent, flying int64
	for _, g := range w.groups {
		for i := range g {
			if !g[i].there {
				continue
			}
			sent++
			byFate[g[i].fate]++
			if !g[i].answered {
				flying++
			}
		}
	}
	if sent != l.Sent || w.extra != l.ExtraCopies {
		w.fail("ledger", "sent %d and %d extra copies, told of %d and %d", l.Sent, l.ExtraCopies, sent,
			w.extra)
	}
	for f := range byFate {
		var n int64
		for _, row := range l.Rows {
			n += row.ByFate[f]
		}
		if n != byFate[f] {
			w.fail("ledger", "%d messages are %v, told of %d", n, model.Fate(f), byFate[f])
		}
	}
	var inFlight int64
	for _, n := range l.Rows[0].ByFate {
		inFlight += n
	}
	if inFlight != flying {
		w.fail("ledger", "%d messages in flight, told of %d", inFlight, flying)
	}
}
