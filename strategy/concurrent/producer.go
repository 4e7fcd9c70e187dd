package concurrent

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"simrun/strategy"
)

// Config is what a Producer is made of.
type Config struct {
	// Profile is the release whose rules it follows, Settings its settings.
	Profile  strategy.Profile
	Settings strategy.Settings
	// Policy decides; nil = NewPolicy(Profile, Settings, nil). It must be safe to share.
	Policy strategy.Policy
	// Now is the clock: milliseconds that never go back, since any moment. It is called from many
	// goroutines.
	Now func() strategy.Millis
	// NewSource makes the random source of one worker, as often as a worker is needed. It is called
	// from many goroutines; what it returns is used by one at a time.
	NewSource func() strategy.Source
}

// Producer sends synchronously, from any number of goroutines, as a release's DefaultMQProducer
// does: it chooses the queue of every attempt, gives it its time, tries again, and remembers which
// brokers to avoid. Sending itself, connections and routes are the caller's.
type Producer struct {
	cfg     Config
	policy  strategy.Policy
	route   atomic.Pointer[strategy.Route]
	workers sync.Pool
}

// worker is what one send at a time needs for itself.
type worker struct {
	thread strategy.Thread
	loop   strategy.Loop
	src    strategy.Source
	route  *strategy.Route // that the thread's index belongs to
}

// NewProducer returns a producer without a route. Config's Now and NewSource must be set.
func NewProducer(cfg Config) *Producer {
	if cfg.Now == nil || cfg.NewSource == nil {
		panic("concurrent: NewProducer without Now or NewSource")
	}
	p := &Producer{cfg: cfg, policy: cfg.Policy}
	if p.policy == nil {
		p.policy = NewPolicy(cfg.Profile, cfg.Settings, nil)
	}
	p.workers.New = func() any { return &worker{src: cfg.NewSource()} }
	return p
}

// Policy is the policy that decides.
func (p *Producer) Policy() strategy.Policy { return p.policy }

// SetRoute replaces the route of the topic. Sends in flight keep the one they began with, to their
// last attempt; the route must not be written to any more. To be called when the route changed, not
// each time it was asked for: every new route starts the round robin at a random place.
func (p *Producer) SetRoute(r *strategy.Route) { p.route.Store(r) }

// Send sends one message: call is asked to make each attempt, within its timeout, and to say how
// it ended. It returns what the caller of RocketMQ's send would get. Without a route it fails as a
// topic without one does.
func (p *Producer) Send(call func(strategy.Attempt) strategy.Outcome) strategy.Result {
	now := p.cfg.Now
	w := p.workers.Get().(*worker)
	// Not deferred: a worker whose call panicked is in the middle of a send, and is dropped.
	r := p.route.Load()
	if w.route != r {
		w.thread.RouteChanged()
		w.route = r
	}
	l := &w.loop
	l.Begin(now(), p.policy, &p.cfg.Profile, &p.cfg.Settings, r, &w.thread, w.src, nil)
	for a, more := l.Next(now()); more; a, more = l.Next(now()) {
		outcome := call(a)
		l.Done(now(), outcome)
	}
	result := l.Result()
	p.workers.Put(w)
	return result
}

// splitMix is a strategy.Source over the SplitMix64 generator.
type splitMix struct{ state uint64 }

// NewSource returns a source of random values for one worker. Equal seeds give equal values; any
// two seeds, neighbours too, give streams without a visible relation. Not for secrets.
//
// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
func NewSource(seed uint64) strategy.Source {
	s := &splitMix{state: seed}
	s.state = s.next()
	return s
}

func (s *splitMix) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Int32 implements strategy.Source.
func (s *splitMix) Int32() int32 { return int32(s.next() >> 32) }

// Int31n implements strategy.Source. No value is more likely than another by more than one part in
// 2^32.
func (s *splitMix) Int31n(n int32) int32 {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int32(hi)
}
