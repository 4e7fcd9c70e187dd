package concurrent

import (
	"sync"
	"sync/atomic"

	"simrun/strategy"
)

// cacheLine is the size that keeps two values from sharing a cache line, on the processors at hand.
const cacheLine = 64

// item is a fault item. A choice reads the first line, the end of an attempt writes the second.
type item struct {
	start       atomic.Int64 // strategy.Millis
	unreachable atomic.Bool
	_           [cacheLine - 16]byte
	latency     atomic.Int64 // strategy.Millis
	_           [cacheLine - 8]byte
}

// broker is a broker's place in the table: nil as long as there is no item.
type broker struct {
	item atomic.Pointer[item]
}

// Policy is RocketMQ's policy of one producer, shared by goroutines. It implements strategy.Policy.
type Policy struct {
	enable      bool
	ifReachable bool
	overwrites  bool
	noFlag      bool                      // the release has no reachable flag
	brokers     atomic.Pointer[[]*broker] // copied when a name is added

	mu sync.Mutex
	// inner decides what the first rule does not. It is called under mu, but for methods that only
	// read its settings. Its table holds the same brokers as ours, always, and their state, while
	// mu is held for a choice.
	inner *strategy.RocketMQ
	names map[string]strategy.Broker
}

var _ strategy.Policy = (*Policy)(nil)

// NewPolicy returns the policy of one producer of a release. names[b] is the name of broker b; more
// can be added later. The settings are taken as they are, see strategy.Settings.Validate.
func NewPolicy(p strategy.Profile, s strategy.Settings, names []string) *Policy {
	p.Fallback = strategy.FallbackCopies
	pol := &Policy{
		enable:      s.SendLatencyFaultEnable,
		ifReachable: p.Available == strategy.AvailableIfReachable,
		overwrites:  p.Update == strategy.UpdateOverwrites,
		noFlag:      p.Flags == strategy.FlagsIsolate,
		inner:       strategy.NewRocketMQ(p, s, nil).(*strategy.RocketMQ),
		names:       map[string]strategy.Broker{},
	}
	pol.brokers.Store(&[]*broker{})
	for _, name := range names {
		pol.Broker(name)
	}
	return pol
}

// Broker is the number of a broker name, which is added if it is new.
func (p *Policy) Broker(name string) strategy.Broker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.names[name]; ok {
		return b
	}
	b := p.inner.AddBroker(name)
	p.names[name] = b
	old := *p.brokers.Load()
	all := append(old[:len(old):len(old)], &broker{})
	p.brokers.Store(&all)
	return b
}

// of is a broker's place.
func (p *Policy) of(b strategy.Broker) *broker { return (*p.brokers.Load())[b] }

// available is strategy's rule on atomic values.
func (p *Policy) available(now strategy.Millis, it *item) bool {
	return it == nil || (int64(now) >= it.start.Load() &&
		(!p.ifReachable || !it.unreachable.Load()))
}

// Select implements strategy.Policy.
func (p *Policy) Select(
	now strategy.Millis, r *strategy.Route, th *strategy.Thread, src strategy.Source,
	req strategy.Request, tr *strategy.Trace,
) (strategy.Queue, bool) {
	if !p.enable || len(r.Queues) == 0 {
		// Round robin reads the thread, the route and the settings, and writes the thread.
		return p.inner.Select(now, r, th, src, req, tr)
	}
	if tr == nil {
		brokers := *p.brokers.Load()
		var w strategy.Walk
		w.Begin(p.inner, r, th, src, req)
		for q, more := w.Next(); more; q, more = w.Next() {
			if p.available(now, brokers[q.Broker].item.Load()) {
				w.Take()
				return q, true
			}
		}
		req.ResetIndex = false // done by the walk
	}
	return p.selectLocked(now, r, th, src, req, tr)
}

// selectLocked shows the inner policy the table as it stands, and asks it.
func (p *Policy) selectLocked(
	now strategy.Millis, r *strategy.Route, th *strategy.Thread, src strategy.Source,
	req strategy.Request, tr *strategy.Trace,
) (strategy.Queue, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	brokers := *p.brokers.Load()
	for b := range brokers {
		if it := brokers[b].item.Load(); it != nil {
			p.inner.SetItem(strategy.Broker(b), it.load())
		}
	}
	q, ok := p.inner.Select(now, r, th, src, req, tr)
	for b := range brokers {
		if brokers[b].item.Load() == nil {
			continue
		}
		if _, kept := p.inner.Item(strategy.Broker(b)); !kept {
			brokers[b].item.Store(nil)
		}
	}
	return q, ok
}

// load reads an item.
func (it *item) load() strategy.Item {
	return strategy.Item{
		Latency:   strategy.Millis(it.latency.Load()),
		Start:     strategy.Millis(it.start.Load()),
		Reachable: !it.unreachable.Load(),
	}
}

// Sent implements strategy.Policy: RocketMQ keeps no count of what is in flight.
func (p *Policy) Sent(strategy.Millis, strategy.Broker) {}

// Ended implements strategy.Policy.
func (p *Policy) Ended(now strategy.Millis, e strategy.Ended, tr *strategy.Trace) {
	if tr != nil {
		tr.Update = strategy.Update{}
	}
	if !p.enable || e.Untold {
		return
	}
	used, bucket, duration := p.inner.NotAvailable(e.Latency, e.Isolation)
	place := p.of(e.Broker)
	it := place.item.Load()
	if tr != nil {
		u := &tr.Update
		u.Happened, u.Broker, u.Known = true, e.Broker, it != nil
		u.Bucket, u.Used, u.Duration = bucket, used, duration
		if it != nil {
			u.Before = it.load()
		}
	}
	if it == nil {
		it = p.meet(e.Broker, place, now)
	}
	it.setLatency(e.Latency)
	if p.overwrites {
		it.setStart(now + duration)
	} else if duration > 0 {
		it.extend(now + duration)
	}
	it.setReachable(e.Reachable || p.noFlag)
	if tr != nil {
		tr.Update.After = it.load()
	}
}

// meet makes the item of a broker that has none, unless another goroutine just did.
func (p *Policy) meet(b strategy.Broker, place *broker, now strategy.Millis) *item {
	p.mu.Lock()
	defer p.mu.Unlock()
	if it := place.item.Load(); it != nil {
		return it
	}
	it := &item{}
	if p.overwrites {
		it.start.Store(int64(now)) // available, until Ended says otherwise
	}
	p.inner.SetItem(b, it.load())
	place.item.Store(it)
	return it
}

// The setters write only what changes, so that the cache line it is in stays shared.

func (it *item) setLatency(v strategy.Millis) {
	if it.latency.Load() != int64(v) {
		it.latency.Store(int64(v))
	}
}

func (it *item) setStart(v strategy.Millis) {
	if it.start.Load() != int64(v) {
		it.start.Store(int64(v))
	}
}

// extend moves the start later, never earlier.
func (it *item) extend(v strategy.Millis) {
	for old := it.start.Load(); int64(v) > old; old = it.start.Load() {
		if it.start.CompareAndSwap(old, int64(v)) {
			return
		}
	}
}

func (it *item) setReachable(v bool) {
	if it.unreachable.Load() == v {
		it.unreachable.Store(!v)
	}
}

// Budget implements strategy.Policy.
func (p *Policy) Budget(attempt, attempts int, remaining strategy.Millis) strategy.Millis {
	return p.inner.Budget(attempt, attempts, remaining)
}

// Item implements strategy.Policy.
func (p *Policy) Item(b strategy.Broker) (strategy.Item, bool) {
	it := p.of(b).item.Load()
	if it == nil {
		return strategy.Item{}, false
	}
	return it.load(), true
}

// Available implements strategy.Policy.
func (p *Policy) Available(now strategy.Millis, b strategy.Broker) bool {
	return p.available(now, p.of(b).item.Load())
}

// NextProbe implements strategy.Policy.
func (p *Policy) NextProbe(now strategy.Millis, after strategy.Broker) (strategy.Broker, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inner.NextProbe(now, after)
}

// Probed implements strategy.Policy.
func (p *Policy) Probed(
	now strategy.Millis, b strategy.Broker, result strategy.Probe, tr *strategy.Trace,
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	place := p.of(b)
	it := place.item.Load()
	if it != nil {
		p.inner.SetItem(b, it.load())
	}
	p.inner.Probed(now, b, result, tr)
	after, kept := p.inner.Item(b)
	switch {
	case it == nil:
	case !kept:
		place.item.Store(nil)
	default:
		it.setReachable(after.Reachable)
	}
}

// Remove drops the item of a broker.
func (p *Policy) Remove(b strategy.Broker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inner.Remove(b)
	p.of(b).item.Store(nil)
}

// locked is a policy under a mutex.
type locked struct {
	mu    sync.Mutex
	inner strategy.Policy
}

// NewLocked makes any policy safe to share, under one mutex: for policies that are no bottleneck,
// or that keep state that no atomic variable holds. It does not scale as [Policy] does. It must not
// be used with a policy that rewrites queue lists, which are not its own: RocketMQ's and those around
// it do under a release with strategy.FallbackMutates; override that with strategy.FallbackCopies.
func NewLocked(inner strategy.Policy) strategy.Policy { return &locked{inner: inner} }

func (l *locked) Select(
	now strategy.Millis, r *strategy.Route, th *strategy.Thread, src strategy.Source,
	req strategy.Request, tr *strategy.Trace,
) (strategy.Queue, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner.Select(now, r, th, src, req, tr)
}

func (l *locked) Sent(now strategy.Millis, b strategy.Broker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inner.Sent(now, b)
}

func (l *locked) Ended(now strategy.Millis, e strategy.Ended, tr *strategy.Trace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inner.Ended(now, e, tr)
}

func (l *locked) Budget(attempt, attempts int, remaining strategy.Millis) strategy.Millis {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner.Budget(attempt, attempts, remaining)
}

func (l *locked) Item(b strategy.Broker) (strategy.Item, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner.Item(b)
}

func (l *locked) Available(now strategy.Millis, b strategy.Broker) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner.Available(now, b)
}

func (l *locked) NextProbe(now strategy.Millis, after strategy.Broker) (strategy.Broker, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inner.NextProbe(now, after)
}

func (l *locked) Probed(
	now strategy.Millis, b strategy.Broker, result strategy.Probe, tr *strategy.Trace,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inner.Probed(now, b, result, tr)
}
