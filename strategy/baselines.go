package strategy

// The policies of this file, and of halfopen.go, are baselines to compare RocketMQ with. They are
// not what RocketMQ does, in any release.

// reserve keeps part of the budget for the attempts that may come.
type reserve struct {
	Policy
	each Millis
}

// NewReserve wraps a policy so that every attempt leaves some time for each attempt that may follow
// it: of 3000 ms and three attempts, with 100 ms each, the first gets 2800, the second what is left
// but 100, the third all that is left. If less than that is left, it is shared out evenly. So a
// silent broker no longer takes the whole budget of a send.
//
// It is the proposal of RocketMQ's issue 7295, which was not adopted; 5.3.3 bounds each attempt
// instead (sendMsgMaxTimeoutPerRequest).
func NewReserve(p Policy, each Millis) Policy { return &reserve{Policy: p, each: each} }

// Budget implements [Policy].
func (r *reserve) Budget(attempt, attempts int, remaining Millis) Millis {
	left := Millis(max(attempts-attempt, 0))
	kept := min(r.each*left, remaining*left/(left+1))
	return min(r.Policy.Budget(attempt, attempts, remaining), remaining-kept)
}

// NewStartTimeFirst is RocketMQ's policy of a release, but if no broker is available, a queue of
// the one whose isolation ends first is taken, by latency only among equals, and no list entry is
// rewritten. Like RocketMQ's own pickOneAtLeast, it alternates within the better half.
//
// It is the proposal of RocketMQ's issue 5197. A release that selects by filters, and so does not
// ask the table for a broker, selects by scan here. The scan passes over the last broker in every
// release; the last resort, as RocketMQ's, does not look at it.
func NewStartTimeFirst(p Profile, s Settings, names []string) Policy {
	p.Selection = SelectionScan
	p.ScanOverflow = ScanOverflowFolds
	p.LastBroker = LastBrokerMustDiffer
	p.PickOneAtLeast = PickSortHalf
	p.Fallback = FallbackCopies
	p.WriteQueues = WriteQueuesWritable
	m := NewRocketMQ(p, s, names).(*RocketMQ)
	m.table.startFirst = true
	return m
}

// selectorPolicy is a QueueSelector as a Policy.
type selectorPolicy struct{ selector QueueSelector }

// NewSelectorPolicy makes a policy of a selector that needs no key: it learns nothing, and every
// broker is always available.
func NewSelectorPolicy(s QueueSelector) Policy { return selectorPolicy{s} }

// Select implements [Policy].
func (p selectorPolicy) Select(
	_ Millis, r *Route, _ *Thread, src Source, req Request, tr *Trace,
) (Queue, bool) {
	tr.beginChoice()
	q, ok := p.selector.SelectQueue(r.Queues, 0, req.Last, src)
	if ok {
		tr.chose(RuleRoundRobin)
	}
	return q, ok
}

// Sent implements [Policy].
func (selectorPolicy) Sent(Millis, Broker) {}

// Ended implements [Policy].
func (selectorPolicy) Ended(_ Millis, _ Ended, tr *Trace) { tr.beginUpdate() }

// Budget implements [Policy]: all that is left.
func (selectorPolicy) Budget(_, _ int, remaining Millis) Millis { return remaining }

// Item implements [Policy]: there is none.
func (selectorPolicy) Item(Broker) (Item, bool) { return Item{}, false }

// Available implements [Policy].
func (selectorPolicy) Available(Millis, Broker) bool { return true }

// NextProbe implements [Policy].
func (selectorPolicy) NextProbe(Millis, Broker) (Broker, bool) { return NoBroker, false }

// Probed implements [Policy].
func (selectorPolicy) Probed(Millis, Broker, Probe, *Trace) {}
