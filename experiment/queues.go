package experiment

import (
	"math"
	"slices"
	"strconv"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
)

// queueFold counts the attempts sent to each queue.
type queueFold struct {
	layout queueLayout
	phases []queueCounts
}

// queueLayout gives each queue of a topic on a broker a place.
type queueLayout struct {
	brokers int
	base    []int // by topic*brokers + broker: the place of its queue 0
	size    []int // and how many queues it has
	places  int
}

// queueCounts are attempts sent, by place. A queue without a place is rare: clients of some releases
// compute negative ids.
type queueCounts struct {
	sent []int64
	odd  []oddQueue
}

// oddQueue counts the attempts sent to a queue that the topic does not have.
type oddQueue struct {
	topic, broker int
	id            int32
	n             int64
}

// mostDefaultQueues is the most queues on a broker that a topic has that the first send makes.
const mostDefaultQueues = 8

func newQueueFold(cfg *config.Config, phases int) queueFold {
	nb := len(cfg.Brokers)
	l := queueLayout{brokers: nb, base: make([]int, len(cfg.Topics)*nb), size: make([]int, len(cfg.Topics)*nb)}
	for t := range cfg.Topics {
		on := brokersWith(cfg, &cfg.Topics[t])
		for b := range nb {
			i := t*nb + b
			l.base[i] = l.places
			if on[b] {
				l.size[i] = cfg.Topics[t].WriteQueueNums
				if cfg.Topics[t].Absent {
					l.size[i] = mostDefaultQueues
				}
			}
			l.places += l.size[i]
		}
	}
	f := queueFold{layout: l, phases: make([]queueCounts, phases)}
	for i := range f.phases {
		f.phases[i] = l.counts()
	}
	return f
}

func (l *queueLayout) counts() queueCounts { return queueCounts{sent: make([]int64, l.places)} }

// add counts an attempt for n messages of a topic that was sent.
func (l *queueLayout) add(c *queueCounts, topic int, a *model.Attempt, n int64) {
	i := topic*l.brokers + int(a.Queue.Broker)
	if id := int(a.Queue.ID); uint(id) < uint(l.size[i]) {
		c.sent[l.base[i]+id] += n
		return
	}
	c.strange(oddQueue{topic, int(a.Queue.Broker), a.Queue.ID, n})
}

// strange counts attempts sent to a queue that the topic does not have.
func (c *queueCounts) strange(q oddQueue) {
	for i := range c.odd {
		if o := &c.odd[i]; o.topic == q.topic && o.broker == q.broker && o.id == q.id {
			o.n += q.n
			return
		}
	}
	c.odd = append(c.odd, q)
}

func (c *queueCounts) merge(other *queueCounts) {
	for i, n := range other.sent {
		c.sent[i] += n
	}
	for _, q := range other.odd {
		c.strange(q)
	}
}

// queuesOf are the counts of a phase, or of all of them in "all".
func (f *fold) queuesOf(phase string) queueCounts {
	sum := f.queues.layout.counts()
	for i := range f.queues.phases {
		if f.cursor.within(i, phase) {
			sum.merge(&f.queues.phases[i])
		}
	}
	return sum
}

// queueResults are the attempts sent to each queue in each phase, and how even they are.
func (f *fold) queueResults() (queues []result.QueueCount, balance []result.Balance) {
	queues, balance = []result.QueueCount{}, []result.Balance{}
	made := f.queuesMade()
	for _, phase := range f.cursor.phases {
		c := f.queuesOf(phase.Name)
		for t := range f.cfg.Topics {
			rows := f.queueRows(&c, t, made)
			for _, of := range []string{result.BalanceBrokers, result.BalanceQueues} {
				if b, ok := balanceOf(rows, of); ok {
					b.Phase, b.Topic = phase.Name, f.cfg.Topics[t].Name
					balance = append(balance, b)
				}
			}
			for i := range rows {
				rows[i].Phase = phase.Name
			}
			queues = append(queues, rows...)
		}
		for _, q := range c.odd {
			queues = append(queues, result.QueueCount{
				Phase: phase.Name, Topic: f.cfg.Topics[q.topic].Name, Broker: f.cfg.Brokers[q.broker].Name,
				Queue: int(q.id), Sent: q.n,
			})
		}
	}
	return queues, balance
}

// queuesMade says by place which queues there are: those of an absent topic only if any attempt was sent
// there.
func (f *fold) queuesMade() []bool {
	made := make([]bool, f.queues.layout.places)
	l := &f.queues.layout
	for i, size := range l.size {
		for p := l.base[i]; p < l.base[i]+size; p++ {
			made[p] = !f.cfg.Topics[i/l.brokers].Absent
			for k := range f.queues.phases {
				made[p] = made[p] || f.queues.phases[k].sent[p] > 0
			}
		}
	}
	return made
}

// queueRows are the queues of a topic, by broker and number.
func (f *fold) queueRows(c *queueCounts, topic int, made []bool) []result.QueueCount {
	var rows []result.QueueCount
	l := &f.queues.layout
	for b := range l.brokers {
		i := topic*l.brokers + b
		for id := range l.size[i] {
			if p := l.base[i] + id; made[p] {
				rows = append(rows, result.QueueCount{
					Topic: f.cfg.Topics[topic].Name, Broker: f.cfg.Brokers[b].Name, Queue: id, Sent: c.sent[p],
				})
			}
		}
	}
	return rows
}

// balanceOf says how even the attempts to the queues of a topic are, by queue or by broker. It is false if
// there are none.
func balanceOf(rows []result.QueueCount, of string) (result.Balance, bool) {
	var names []string
	var sent []int64
	for _, r := range rows {
		name := r.Broker
		if of == result.BalanceQueues {
			name += ":" + strconv.Itoa(r.Queue)
		}
		if n := len(names); n > 0 && names[n-1] == name {
			sent[n-1] += r.Sent
			continue
		}
		names, sent = append(names, name), append(sent, r.Sent)
	}
	even, ok := evenness(sent)
	if !ok {
		return result.Balance{}, false
	}
	largest, smallest := 0, 0
	for i, n := range sent {
		if n > sent[largest] {
			largest = i
		}
		if n < sent[smallest] {
			smallest = i
		}
	}
	return result.Balance{
		Of: of, N: len(sent), MaxOverMean: even.maxOverMean, CV: even.cv,
		Largest: names[largest], Smallest: names[smallest],
	}, true
}

// unevenness is how uneven some counts are.
type unevenness struct{ maxOverMean, cv float64 }

// evenness is false if the counts sum to nothing.
func evenness(counts []int64) (unevenness, bool) {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	if sum == 0 {
		return unevenness{}, false
	}
	mean := float64(sum) / float64(len(counts))
	squares := 0.0
	for _, n := range counts {
		d := float64(n) - mean
		squares += float64(d * d)
	}
	return unevenness{
		maxOverMean: float64(slices.Max(counts)) / mean,
		cv:          math.Sqrt(squares/float64(len(counts))) / mean,
	}, true
}
