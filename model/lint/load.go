package lint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// crowd is what a fault makes wait in an instance, by Little's law.
type crowd struct {
	hang
	// need is how many sends wait at once: rate a second of an instance, the highest while the fault lasts,
	// share of them to the fault's brokers, each for held. If inService is above 0, that many more are in
	// the brokers' send threads, and held is the time in their queues.
	need, rate, share float64
	held              sim.Duration
	inService         float64
}

// threads warns of fewer threads than the sends that a broker holds.
func (l *linter) threads() {
	p := l.p
	if p.Mode != config.Sync || p.Arrivals == config.ClosedLoop {
		return
	}
	var worst crowd
	for i := range l.cfg.Faults {
		if c := l.crowdOf(&l.cfg.Faults[i]); c.need > worst.need {
			worst = c
		}
	}
	if worst.need <= float64(p.Threads) {
		return
	}
	then := "sends to brokers that are well wait, too"
	if worst.share >= 1 {
		then = "messages wait for one"
	}
	l.told("threads", "%d < %d = %s, the sends that hang in fault.%s: soon all threads do, and %s", p.Threads,
		int(math.Ceil(worst.need)), worst.sum(l), worst.fault.Name, then)
}

// pace warns of one-way sends that nothing holds back: their threads wait for no answer.
func (l *linter) pace() {
	p := l.p
	if p.Mode == config.OneWay && p.Arrivals == config.ClosedLoop && (p.Think == nil || p.Think.Mean() <= 0) {
		l.told("think_time", `0s in mode "oneway": no answer holds a thread back, so it sends again as soon as `+
			"it has handed one over, and what brokers cannot take is refused, which nobody notices")
	}
}

// sum is the arithmetic of a crowd.
func (c *crowd) sum(l *linter) string {
	threads, to, queued := "", "", ""
	if c.share < 1 {
		to = fmt.Sprintf(" x %.3g", c.share)
	}
	if c.inService > 0 {
		threads, queued = fmt.Sprintf("%.3g in send threads + ", c.inService), " in the queue"
	}
	return fmt.Sprintf("%s%.3g/s of an instance%s to %s x %s%s", threads, c.rate, to, l.names(c.brokers),
		inWords(c.held), queued)
}

// crowdOf is the crowd that a fault makes; it needs nothing if it makes none.
func (l *linter) crowdOf(f *config.Fault) (c crowd) {
	if !silent(f.Kind) && !l.clogs(f) {
		return c
	}
	c.hang = l.hangOf(f)
	if len(c.brokers) == 0 {
		return c
	}
	c.held = l.timeout
	if l.capped() {
		c.held = min(c.held, sim.Duration(l.p.Settings.SendMsgMaxTimeoutPerRequest)*sim.Millisecond)
	}
	if c.lasts > 0 {
		c.held = min(c.held, c.lasts)
	}
	c.share = l.share(c.brokers)
	c.rate = l.peakRate(f, c.held) / float64(max(l.p.Batch, 1)) / float64(l.p.Count)
	flow := float64(c.rate * c.share)
	c.need = float64(flow * c.held.Seconds())
	if !silent(f.Kind) {
		l.refused(&c, flow)
	}
	return c
}

// clogs says whether a fault lets a broker's send threads take as long as its callers wait: they hang with
// a request each, and all others wait for them.
func (l *linter) clogs(f *config.Fault) bool {
	return f.Kind == config.DiskStall || f.Kind == config.LockHold || f.Kind == config.Slow &&
		f.Delay >= l.timeout
}

// refused leaves of a crowd what a broker does not turn away: a request in each of its send threads, and
// what waits for one until brokerFastFailure answers SYSTEM_BUSY.
func (l *linter) refused(c *crowd, flow float64) {
	held, all := sim.Duration(0), 0
	for _, i := range c.brokers {
		b := &l.cfg.Brokers[i]
		if !b.FastFailure {
			return
		}
		held, all = max(held, b.WaitTimeInQueue), all+b.SendThreads
	}
	each := float64(all) / float64(l.p.Count)
	if need := each + float64(flow*held.Seconds()); need < c.need {
		c.need, c.held, c.inService = need, held, each
	}
}

// peakRate is the highest rate of the group while a fault lasts, in messages a second; of recorded
// arrivals that of the fullest stretch as long as a send is held.
func (l *linter) peakRate(f *config.Fault, held sim.Duration) float64 {
	from, to := f.At, l.cfg.Duration
	if f.Duration > 0 {
		to = min(to, f.At+f.Duration)
	}
	if l.p.Arrivals != config.RecordedArrivals {
		return float64(l.p.Rate * l.p.Shape.Peak(from, to))
	}
	most, first := 0, 0
	for i, a := range l.p.Recorded {
		for first < i && (l.p.Recorded[first].At < from || l.p.Recorded[first].At <= a.At-held) {
			first++
		}
		if a.At >= from && a.At < to {
			most = max(most, i-first+1)
		}
	}
	if held <= 0 {
		return 0
	}
	return float64(most) / held.Seconds()
}

// share is the share of the producer's sends that go to some brokers while all are well: that of their
// queues among those that the sends choose from.
func (l *linter) share(brokers []int) (share float64) {
	all := 0.0
	for _, t := range l.p.Topics {
		weight := t.Weight
		if weight == 0 {
			weight = 1
		}
		all += weight
		on := slices.DeleteFunc(slices.Clone(l.brokers), func(i int) bool { return !l.topicOn(t.Name, i) })
		share += float64(weight * l.shareOf(t.Name, on, brokers))
	}
	return share / all
}

// shareOf is the share of some brokers among those of one topic.
func (l *linter) shareOf(topic string, on, brokers []int) float64 {
	few := l.p.Choice == config.ChooseByHash && l.p.Keys > 0 && l.p.Keys <= fewKeys
	switch {
	case len(on) == 0:
		return 0
	case few && l.p.Arrivals != config.RecordedArrivals:
		return l.shareOfKeys(topic, on, brokers)
	case l.p.Choice == config.ChooseByMachineRoom:
		return l.shareOfRooms(on, brokers)
	}
	return among(on, brokers)
}

// among is the share of some brokers among others, which have as many queues each.
func among(on, brokers []int) float64 {
	n := 0
	for _, i := range on {
		if slices.Contains(brokers, i) {
			n++
		}
	}
	return float64(n) / float64(max(len(on), 1))
}

// fewKeys are worth looking up one by one: more of them spread over the queues.
const fewKeys = 1000

// shareOfKeys is the share of some brokers by the keys whose queues are there.
func (l *linter) shareOfKeys(topic string, on, brokers []int) float64 {
	byName := func(a, b int) int { return strings.Compare(l.cfg.Brokers[a].Name, l.cfg.Brokers[b].Name) }
	on = slices.SortedFunc(slices.Values(on), byName)
	i := slices.IndexFunc(l.cfg.Topics, func(t config.Topic) bool { return t.Name == topic })
	var queues []strategy.Queue
	for _, b := range on {
		for id := range l.cfg.Topics[i].WriteQueueNums {
			queues = append(queues, strategy.Queue{Broker: strategy.Broker(b), ID: int32(id)})
		}
	}
	selector, n := strategy.SelectByHash{Rule: l.profile.SelectByHash}, 0
	for k := range l.p.Keys {
		q, ok := selector.SelectQueue(queues, strategy.JavaHash(strconv.Itoa(k)), strategy.NoBroker, nil)
		if ok && slices.Contains(brokers, int(q.Broker)) {
			n++
		}
	}
	return float64(n) / float64(l.p.Keys)
}

// shareOfRooms is the share of some brokers in the sends of the instance that has most to do with them:
// one in a zone sends to the brokers there, if there are any.
func (l *linter) shareOfRooms(on, brokers []int) (share float64) {
	g := slices.IndexFunc(l.cfg.Producers, func(p config.Producer) bool { return p.Name == l.p.Name })
	var zones []string
	for i := range l.p.Count {
		zone := l.cfg.ZoneOf(config.Target{Kind: config.ProducerTarget, Index: g, ID: i})
		if slices.Contains(zones, zone) {
			continue
		}
		zones = append(zones, zone)
		near := slices.DeleteFunc(slices.Clone(on), func(b int) bool {
			return zone == "" || l.cfg.ZoneOf(config.Target{Kind: config.BrokerTarget, Index: b}) != zone
		})
		if len(near) == 0 {
			near = on
		}
		share = max(share, among(near, brokers))
	}
	return share
}
