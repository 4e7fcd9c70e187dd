package strategy

import "math"

// never is a start time before all clocks: the place of a broker without an item, which is
// available and reachable.
const never Millis = math.MinInt64

// faultItem is one broker's place in the table, present or not.
type faultItem struct {
	start   Millis // never if absent
	latency Millis
	checked Millis // not probed again before this time
	present bool
	// reachable is true if absent.
	reachable bool
}

// faultTable is a LatencyFaultToleranceImpl: a slice indexed by broker instead of a hash map, and
// the order in which Java's map would be iterated kept beside it.
type faultTable struct {
	items []faultItem

	update      UpdateRule
	pick        PickOneAtLeast
	ifReachable bool // available == AvailableIfReachable
	startFirst  bool // not RocketMQ: see NewStartTimeFirst

	order hashOrder
}

func newFaultTable(p *Profile, names []string) faultTable {
	t := faultTable{
		items:       make([]faultItem, len(names)),
		order:       newHashOrder(names),
		update:      p.Update,
		pick:        p.PickOneAtLeast,
		ifReachable: p.Available == AvailableIfReachable,
	}
	for b := range t.items {
		t.items[b] = faultItem{start: never, reachable: true}
	}
	return t
}

// isAvailable: a broker is available from the very millisecond of its start time on.
//
// Source: LatencyFaultToleranceImpl.isAvailable and FaultItem.isAvailable, 4.0.0-5.3.3; 5.1.4
// alone also asks for the reachable flag.
func (t *faultTable) isAvailable(now Millis, b Broker) bool {
	it := &t.items[b]
	return now >= it.start && (it.reachable || !t.ifReachable)
}

// isReachable. Source: LatencyFaultToleranceImpl.isReachable, 5.1.4-5.3.3.
func (t *faultTable) isReachable(b Broker) bool { return t.items[b].reachable }

// item is what the table holds about a broker.
func (t *faultTable) item(b Broker) (Item, bool) {
	it := &t.items[b]
	if !it.present {
		return Item{}, false
	}
	return Item{Latency: it.latency, Start: it.start, Reachable: it.reachable}, true
}

// record creates or changes the item of a broker.
//
// Source: LatencyFaultToleranceImpl.updateFaultItem, 4.0.0-5.1.3 ([UpdateOverwrites]) and
// 5.1.4-5.3.3 with FaultItem.updateNotAvailableDuration ([UpdateExtends]). A new item of the
// latter starts at 0, that is: never isolated.
func (t *faultTable) record(now Millis, b Broker, latency, duration Millis, reachable bool) {
	it := &t.items[b]
	if !it.present {
		*it = faultItem{present: true}
		t.order.add(b)
	}
	it.latency = latency
	switch {
	case t.update == UpdateOverwrites:
		it.start = now + duration
	case duration > 0 && now+duration > it.start:
		it.start = now + duration
	}
	it.reachable = reachable
}

// addBroker appends a name.
func (t *faultTable) addBroker(name string) Broker {
	t.items = append(t.items, faultItem{start: never, reachable: true})
	t.order.hashes = append(t.order.hashes, spread(javaHash(name)))
	return Broker(len(t.items) - 1)
}

// set puts an item in, as it is.
func (t *faultTable) set(b Broker, item Item) {
	it := &t.items[b]
	if !it.present {
		*it = faultItem{present: true}
		t.order.add(b)
	}
	it.latency, it.start, it.reachable = item.Latency, item.Start, item.Reachable
}

// remove drops the item of a broker; of one without an item, or of NoBroker, it drops nothing.
//
// Source: LatencyFaultToleranceImpl.remove, 4.0.0-5.3.3.
func (t *faultTable) remove(b Broker) {
	if b == NoBroker || !t.items[b].present {
		return
	}
	t.items[b] = faultItem{start: never, reachable: true}
	t.order.remove(b)
}

// pickOneAtLeast names a broker when none is available: one of the better half of the table, in
// turn. The table holds every broker the producer ever reached, of whatever topic. It names none
// if the table is empty; it fails if the index into the better half is negative, where Java throws.
//
// Source: LatencyFaultToleranceImpl.pickOneAtLeast. To 4.9.3, and in the previews of 5.0.0, the
// items are shuffled first, so that ties fall by chance; 4.9.4-4.9.8 and 5.0.0-5.1.3 leave ties in
// the order of the hash map. From 5.1.4 on it returns the first reachable one of a shuffle, and
// the producer does not call it.
func (t *faultTable) pickOneAtLeast(
	now Millis, th *Thread, rule IndexRule, src Source, tr *Trace,
) (Broker, bool) {
	list := append(t.order.scratch[:0], t.order.brokers...)
	t.order.scratch = list
	if len(list) == 0 {
		return NoBroker, true
	}
	if t.pick != PickSortHalf {
		shuffle(list, src)
	}
	if t.pick == PickFirstReachable {
		for _, b := range list {
			if t.items[b].reachable {
				return b, true
			}
		}
		return NoBroker, true
	}
	t.sort(now, list)
	half := int32(len(list) / 2)
	if half == 0 {
		return list[0], true
	}
	v := th.whichItemWorst.next(rule, src)
	tr.itemIndex(v)
	i := v % half
	if i < 0 {
		return NoBroker, false
	}
	return list[i], true
}

// shuffle is java.util.Collections.shuffle.
func shuffle(list []Broker, src Source) {
	for n := len(list); n > 1; n-- {
		j := src.Int31n(int32(n))
		list[n-1], list[j] = list[j], list[n-1]
	}
}

// sort orders brokers by FaultItem.compareTo, leaving ties as they are.
func (t *faultTable) sort(now Millis, list []Broker) {
	for i := 1; i < len(list); i++ {
		b := list[i]
		j := i
		for ; j > 0 && t.less(now, b, list[j-1]); j-- {
			list[j] = list[j-1]
		}
		list[j] = b
	}
}

// less: available ones first, then by latency, then by start.
//
// Source: LatencyFaultToleranceImpl.FaultItem.compareTo, 4.0.0-5.3.3.
func (t *faultTable) less(now Millis, a, b Broker) bool {
	x, y := &t.items[a], &t.items[b]
	xa, ya := t.isAvailable(now, a), t.isAvailable(now, b)
	if xa != ya {
		return xa
	}
	if t.startFirst && x.start != y.start {
		return x.start < y.start
	}
	if x.latency != y.latency {
		return x.latency < y.latency
	}
	return x.start < y.start
}
