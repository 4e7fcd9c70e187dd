package strategy

// breakerState is where a broker stands in a HalfOpen policy.
type breakerState uint8

const (
	breakerClosed   breakerState = iota // in use
	breakerOpen                         // isolated; once its time has come, it takes one request
	breakerHalfOpen                     // that one request is in flight
)

// breaker is what a HalfOpen policy knows about one broker.
type breaker struct {
	state   breakerState
	known   bool // an attempt ended there
	start   Millis
	latency Millis
	backoff Millis // the isolation that its next failed probation gives
}

// halfOpen is the policy of NewHalfOpen.
type halfOpen struct {
	profile   Profile
	settings  Settings
	limits    []Millis
	durations []Millis
	brokers   []breaker
}

// backoffMost bounds the isolations of a HalfOpen policy.
const backoffMost Millis = 600_000

// NewHalfOpen is probation by a single request, as Finagle's failure accrual and most circuit
// breakers have it. Isolations come from the release's thresholds. When one ends, the broker is
// given a single request while all others keep away; an answer that is fast enough puts it back in
// use, a failure or a slow answer isolates it again for twice the time, up to ten minutes. An
// answer to a request that was in flight when the broker was isolated changes nothing.
//
// To choose, it walks over the queues of brokers in use, or due for their one request, that are not
// the last broker; then over any that are not the last broker; then takes the next. Every queue
// looked at is a step of the thread's index. With avoidance off it is round robin, as in 4.8.0 and
// later.
//
// It needs what Sent tells it: a broker on probation counts as taken from there on.
func NewHalfOpen(p Profile, s Settings, names []string) Policy {
	limits, durations := s.table(p)
	return &halfOpen{
		profile:   p,
		settings:  s,
		limits:    limits,
		durations: durations[:min(len(limits), len(durations))],
		brokers:   make([]breaker, len(names)),
	}
}

// Select implements [Policy].
func (h *halfOpen) Select(
	now Millis, r *Route, th *Thread, src Source, req Request, tr *Trace,
) (Queue, bool) {
	tr.beginChoice()
	n := int32(len(r.Queues))
	if n == 0 {
		return Queue{}, false
	}
	th.beginChoice(req.Attempt)
	first := RuleRoundRobin
	if h.settings.SendLatencyFaultEnable {
		first = RuleAvailable
		if req.ResetIndex {
			th.sendWhichQueue.reset(src)
		}
	}
	for tier := first; ; tier = halfOpenNext(tier) {
		for range n {
			q := h.step(r, th, src, tr)
			var why Reason
			if req.Last != NoBroker && q.Broker == req.Last {
				why = ReasonLastBroker
			}
			if tier == RuleAvailable && !h.Available(now, q.Broker) {
				why |= ReasonIsolated
			}
			if why == 0 || tier == RuleLastResort {
				tr.chose(tier)
				return q, true
			}
			tr.skip(q, tier, why)
		}
	}
}

// halfOpenNext is the rule that is tried after another.
func halfOpenNext(tier Rule) Rule {
	if tier == RuleAvailable {
		return RuleRoundRobin
	}
	return RuleLastResort
}

// step is the next queue of the thread.
func (h *halfOpen) step(r *Route, th *Thread, src Source, tr *Trace) Queue {
	v := th.sendWhichQueue.next(IndexMasked, src)
	tr.index(v)
	return r.Queues[v%int32(len(r.Queues))]
}

// Sent implements [Policy]: a request to a broker whose isolation is over is its probation.
func (h *halfOpen) Sent(now Millis, b Broker) {
	if br := &h.brokers[b]; br.state == breakerOpen && now >= br.start {
		br.state = breakerHalfOpen
	}
}

// Ended implements [Policy].
func (h *halfOpen) Ended(now Millis, e Ended, tr *Trace) {
	tr.beginUpdate()
	if !h.settings.SendLatencyFaultEnable || e.Handed {
		return
	}
	used := e.Latency
	if e.Isolation {
		used = h.profile.IsolationLatency
	}
	bucket := bucketOf(h.limits, h.durations, used)
	var duration Millis
	if bucket > 0 {
		duration = h.durations[bucket-1]
	}
	u := Update{Happened: true, Broker: e.Broker, Bucket: bucket, Used: used, Duration: duration}
	u.Before, u.Known = h.Item(e.Broker)
	br := &h.brokers[e.Broker]
	br.known, br.latency = true, e.Latency
	switch {
	case duration == 0 && br.state == breakerHalfOpen:
		*br = breaker{known: true, latency: e.Latency}
	case duration == 0:
		// A late answer does not end an isolation.
	case br.state == breakerHalfOpen:
		u.Duration = br.backoff
		h.open(br, now, br.backoff)
	case br.state == breakerClosed:
		h.open(br, now, duration)
	default:
		br.start = max(br.start, now+duration)
	}
	if tr != nil {
		u.After, _ = h.Item(e.Broker)
		tr.Update = u
	}
}

// open isolates a broker.
func (h *halfOpen) open(br *breaker, now, duration Millis) {
	br.state = breakerOpen
	br.start = now + duration
	br.backoff = min(2*duration, max(backoffMost, duration))
}

// Budget implements [Policy]: all that is left, or the release's cap.
func (h *halfOpen) Budget(attempt, attempts int, remaining Millis) Millis {
	return requestCap(&h.profile, &h.settings, attempt, attempts, remaining)
}

// Item implements [Policy]. Reachable is false while the broker is on probation.
func (h *halfOpen) Item(b Broker) (Item, bool) {
	br := &h.brokers[b]
	return Item{
		Latency: br.latency, Start: br.start, Reachable: br.state != breakerHalfOpen,
	}, br.known
}

// Available implements [Policy].
func (h *halfOpen) Available(now Millis, b Broker) bool {
	br := &h.brokers[b]
	return br.state == breakerClosed || (br.state == breakerOpen && now >= br.start)
}

// NextProbe implements [Policy]: the probes of this policy are the messages themselves.
func (h *halfOpen) NextProbe(Millis, Broker) (Broker, bool) { return NoBroker, false }

// Probed implements [Policy].
func (h *halfOpen) Probed(Millis, Broker, Probe, *Trace) {}
