package strategy

// RocketMQ is what a release of RocketMQ's Java client does: MQFaultStrategy with its fault table.
// It is the Policy that NewRocketMQ returns; its other methods are those that only RocketMQ's own
// table has.
type RocketMQ struct {
	*rules
	table faultTable
}

// rules are what producers of one release with the same settings have in common.
type rules struct {
	profile   Profile
	settings  Settings
	limits    []Millis // latencyMax in force
	durations []Millis // notAvailableDuration in force
}

var _ Policy = (*RocketMQ)(nil)

// another is the policy of another producer with the same rules, and a table of its own.
func (m *RocketMQ) another(names []string) *RocketMQ {
	o := &RocketMQ{rules: m.rules, table: newFaultTable(&m.profile, names)}
	o.table.startFirst = m.table.startFirst
	return o
}

// NewRocketMQ returns the policy of one producer of a release. names[b] is the name of Broker b;
// it matters where Java's hash order of names shows (see [PickSortHalf]). The settings are taken
// as they are: see [Settings.Validate].
func NewRocketMQ(p Profile, s Settings, names []string) Policy {
	limits, durations := s.table(p)
	r := &rules{
		profile:   p,
		settings:  s,
		limits:    limits,
		durations: durations[:min(len(limits), len(durations))],
	}
	return &RocketMQ{rules: r, table: newFaultTable(&r.profile, names)}
}

// Select implements [Policy].
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.3.3.
func (m *RocketMQ) Select(
	now Millis, r *Route, th *Thread, src Source, req Request, tr *Trace,
) (Queue, bool) {
	tr.beginChoice()
	if len(r.Queues) == 0 {
		return Queue{}, false
	}
	th.beginChoice(req.Attempt)
	switch {
	case !m.settings.SendLatencyFaultEnable:
		return m.selectPlain(r, th, src, req.Last, tr), true
	case m.profile.Selection == SelectionFilters:
		return m.selectFilters(now, r, th, src, req, tr), true
	default:
		return m.selectScan(now, r, th, src, req.Last, tr), true
	}
}

// selectPlain is round robin; a retry takes the next queue of another broker, if there is one.
//
// Source: TopicPublishInfo.selectOneMessageQueue(String), 4.0.0-5.1.3, and the disabled branch of
// MQFaultStrategy.selectOneMessageQueue with its BrokerFilter, 5.1.4-5.3.3.
func (m *RocketMQ) selectPlain(
	r *Route, th *Thread, src Source, last Broker, tr *Trace,
) Queue {
	if last == NoBroker {
		return m.selectNext(r, th, src, RuleRoundRobin, tr)
	}
	n := int32(len(r.Queues))
	var v int32
	for i := range n {
		if i == 0 || m.profile.PlainScan == PlainScanStepEach {
			v = th.sendWhichQueue.next(m.profile.Index, src)
			tr.index(v)
		} else {
			v++
		}
		pos := position(v, n)
		q := r.Queues[pos]
		if q.Broker != last {
			th.entry = pos + 1
			tr.chose(RuleRoundRobin)
			return q
		}
		tr.skip(q, RuleRoundRobin, ReasonLastBroker)
	}
	return m.selectNext(r, th, src, RuleLastResort, tr)
}

// selectNext takes the next queue whatever it is.
//
// Source: TopicPublishInfo.selectOneMessageQueue(), 4.0.0-5.3.3.
func (m *RocketMQ) selectNext(r *Route, th *Thread, src Source, rule Rule, tr *Trace) Queue {
	v := th.sendWhichQueue.next(m.profile.Index, src)
	tr.index(v)
	tr.chose(rule)
	pos := position(v, int32(len(r.Queues)))
	th.entry = pos + 1
	return r.Queues[pos]
}

// selectScan takes one step of the index and walks from there to the first queue that will do.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.1.3.
func (m *RocketMQ) selectScan(
	now Millis, r *Route, th *Thread, src Source, last Broker, tr *Trace,
) Queue {
	n := int32(len(r.Queues))
	v := th.sendWhichQueue.next(m.profile.Index, src)
	tr.index(v)
	pos := position(v, n)
	for i := range n {
		if i > 0 {
			if v++; v >= 0 {
				if pos++; pos == n {
					pos = 0
				}
			} else if m.profile.ScanOverflow == ScanOverflowThrows && v%n != 0 {
				tr.thrown()
				return m.selectNext(r, th, src, RuleLastResort, tr)
			} else {
				pos = position(v, n)
			}
		}
		q := r.Queues[pos]
		available := m.table.isAvailable(now, q.Broker)
		allowed := m.profile.LastBroker.allows(q.Broker, last)
		if available && allowed {
			th.entry = pos + 1
			tr.chose(RuleAvailable)
			return q
		}
		if tr != nil {
			tr.skip(q, RuleAvailable, m.reasons(now, q.Broker, allowed))
		}
	}
	return m.selectFallback(now, r, th, src, tr)
}

// selectFallback makes a queue of the broker that pickOneAtLeast names. If it has no write queue
// in this topic's route, its item is dropped and the next queue taken whatever it is.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.1.3: the branch after the loop.
func (m *RocketMQ) selectFallback(
	now Millis, r *Route, th *Thread, src Source, tr *Trace,
) Queue {
	b, ok := m.table.pickOneAtLeast(now, th, m.profile.Index, src, tr)
	if !ok {
		tr.thrown()
		return m.selectNext(r, th, src, RuleLastResort, tr)
	}
	if tr != nil {
		tr.Picked = b
	}
	w := r.writeQueueNums(b, m.profile.WriteQueues == WriteQueuesWritable)
	if w <= 0 {
		m.table.remove(b)
		if tr != nil {
			tr.Removed = b
			tr.Thrown = b == NoBroker // remove(null)
		}
		return m.selectNext(r, th, src, RuleLastResort, tr)
	}
	m.selectNext(r, th, src, RulePickOneAtLeast, tr)
	v := th.sendWhichQueue.next(m.profile.Index, src)
	tr.index(v)
	q := Queue{Broker: b, ID: v % w}
	if m.profile.Fallback == FallbackCopies {
		th.entry = 0
		return q
	}
	entry := &r.Queues[th.entry-1]
	if tr != nil {
		tr.Mutated, tr.MutatedBefore = int(th.entry), *entry
	}
	*entry = q
	return q
}

// selectFilters walks over available brokers, then over reachable ones, then takes the next queue
// whatever it is.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 5.1.4-5.3.3.
func (m *RocketMQ) selectFilters(
	now Millis, r *Route, th *Thread, src Source, req Request, tr *Trace,
) Queue {
	if req.ResetIndex && m.profile.ResetIndex == ResetIndexOnRetry {
		th.sendWhichQueue.reset(src)
		if tr != nil {
			tr.ResetIndex = true
		}
	}
	n := int32(len(r.Queues))
	for tier := RuleAvailable; tier <= RuleReachable; tier++ {
		for range n {
			v := th.sendWhichQueue.next(m.profile.Index, src)
			tr.index(v)
			pos := abs32(v % n)
			q := r.Queues[pos]
			passes := m.table.isReachable(q.Broker)
			if tier == RuleAvailable {
				passes = m.table.isAvailable(now, q.Broker)
			}
			allowed := m.profile.LastBroker.allows(q.Broker, req.Last)
			if passes && allowed {
				th.entry = pos + 1
				tr.chose(tier)
				return q
			}
			if tr != nil {
				tr.skip(q, tier, m.reasons(now, q.Broker, allowed))
			}
		}
	}
	return m.selectNext(r, th, src, RuleLastResort, tr)
}

// reasons collects what speaks against a broker.
func (m *RocketMQ) reasons(now Millis, b Broker, allowed bool) Reason {
	var why Reason
	if !allowed {
		why |= ReasonLastBroker
	}
	if now < m.table.items[b].start {
		why |= ReasonIsolated
	}
	if !m.table.items[b].reachable {
		why |= ReasonUnreachable
	}
	return why
}

// Sent implements [Policy]: RocketMQ keeps no count of what is in flight.
func (m *RocketMQ) Sent(Millis, Broker) {}

// Ended implements [Policy].
//
// Source: MQFaultStrategy.updateFaultItem, 4.0.0-5.3.3.
func (m *RocketMQ) Ended(now Millis, e Ended, tr *Trace) {
	tr.beginUpdate()
	if !m.settings.SendLatencyFaultEnable || e.Untold {
		return
	}
	used, bucket, duration := m.NotAvailable(e.Latency, e.Isolation)
	reachable := e.Reachable || m.profile.Flags == FlagsIsolate
	if tr == nil {
		m.table.record(now, e.Broker, e.Latency, duration, reachable)
		return
	}
	u := Update{
		Happened: true, Broker: e.Broker, Bucket: bucket, Used: used, Duration: duration,
	}
	u.Before, u.Known = m.table.item(e.Broker)
	m.table.record(now, e.Broker, e.Latency, duration, reachable)
	u.After, _ = m.table.item(e.Broker)
	tr.Update = u
}

// NotAvailable says for how long an attempt that ended makes its broker unavailable: the latency
// that is looked up, 1 + the index of the entry of latencyMax that it reaches (0 for none), and the
// time.
func (m *RocketMQ) NotAvailable(latency Millis, isolation bool) (
	used Millis, bucket int, duration Millis,
) {
	used = latency
	if isolation {
		used = m.profile.IsolationLatency
	}
	if bucket = bucketOf(m.limits, m.durations, used); bucket > 0 {
		duration = m.durations[bucket-1]
	}
	return used, bucket, duration
}

// bucketOf is 1 + the last entry of latencyMax that the latency reaches, 0 if it reaches none.
//
// Source: MQFaultStrategy.computeNotAvailableDuration, 4.0.0-5.3.3.
func bucketOf(limits, durations []Millis, latency Millis) int {
	i := len(durations)
	for i > 0 && latency < limits[i-1] {
		i--
	}
	return i
}

// Budget implements [Policy]: 5.3.3 bounds every attempt but the last.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 5.3.3.
func (m *RocketMQ) Budget(attempt, attempts int, remaining Millis) Millis {
	return requestCap(&m.profile, &m.settings, attempt, attempts, remaining)
}

// requestCap bounds the timeout of an attempt.
func requestCap(p *Profile, s *Settings, attempt, attempts int, remaining Millis) Millis {
	limit := s.SendMsgMaxTimeoutPerRequest
	if p.RequestCap == RequestCapButLast && limit > -1 && attempt < attempts {
		return min(remaining, limit)
	}
	return remaining
}

// Item implements [Policy].
func (m *RocketMQ) Item(b Broker) (Item, bool) { return m.table.item(b) }

// Available implements [Policy].
func (m *RocketMQ) Available(now Millis, b Broker) bool {
	return m.table.isAvailable(now, b)
}

// Place is where the fault table keeps what it knows about a broker, for who wants to have that in the
// processor's caches before it is needed. It says nothing else.
func (m *RocketMQ) Place(b Broker) *faultItem { return &m.table.items[b] }

// NextProbe implements [Policy]. Every item is probed, healthy ones too, unless it was within the
// last [Settings.DetectInterval].
//
// Source: LatencyFaultToleranceImpl.detectByOneRound, 5.1.4-5.3.3.
func (m *RocketMQ) NextProbe(now Millis, after Broker) (Broker, bool) {
	if m.profile.Detector == DetectorNone || !m.settings.StartDetectorEnable {
		return NoBroker, false
	}
	t := &m.table
	for i := t.order.after(after); i < len(t.order.brokers); i++ {
		b := t.order.brokers[i]
		if it := &t.items[b]; now >= it.checked {
			it.checked = now + m.settings.DetectInterval
			return b, true
		}
	}
	return NoBroker, false
}

// Probed implements [Policy]. An answer sets the reachable flag again and does nothing else: an
// isolation goes on, and a probe that fails never clears the flag. A broker whose name no longer
// resolves loses its item.
//
// Source: LatencyFaultToleranceImpl.detectByOneRound, 5.1.4-5.3.3.
func (m *RocketMQ) Probed(now Millis, b Broker, p Probe, tr *Trace) {
	before, known := m.table.item(b)
	switch {
	case !known:
	case p == ProbeUnresolved:
		m.table.remove(b)
	case p == ProbeAnswered:
		m.table.items[b].reachable = true
	}
	if tr != nil {
		after, left := m.table.item(b)
		tr.Update = Update{
			Happened: known && after != before, Broker: b, Known: known,
			Before: before, After: after, Removed: known && !left,
		}
	}
}

// Remove drops the item of a broker, as a call of LatencyFaultTolerance.remove from outside does.
func (m *RocketMQ) Remove(b Broker) { m.table.remove(b) }

// AddBroker adds a broker name to the policy's table of names and returns its number, for clients
// that learn of brokers as they go. It does not look whether the name is there already.
func (m *RocketMQ) AddBroker(name string) Broker { return m.table.addBroker(name) }

// SetItem puts an item into the table as it is, new or in place of the old one. It is how a caller
// that keeps the table itself, such as package concurrent, shows it to Select.
func (m *RocketMQ) SetItem(b Broker, it Item) { m.table.set(b, it) }

// Profile is the release and its overrides.
func (m *RocketMQ) Profile() Profile { return m.profile }

// Settings are the settings the policy was made with.
func (m *RocketMQ) Settings() Settings { return m.settings }
