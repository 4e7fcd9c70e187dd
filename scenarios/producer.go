package scenarios

import (
	"slices"

	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
	"simrun/strategy"
)

func (a *assembly) producers() {
	for _, t := range a.tables(tableProducer) {
		c, _ := t.client()
		q := get[queue](t, "queue")
		p := config.Producer{
			Name:                    t.name,
			Client:                  c.lib,
			Release:                 c.release,
			Count:                   get[int](t, "count"),
			Threads:                 get[int](t, "threads"),
			Mode:                    config.SendMode(get[int](t, "mode")),
			Choice:                  config.QueueChoice(get[int](t, "queue_choice")),
			Queue:                   config.QueueName{Broker: q.broker, ID: q.id},
			Keys:                    get[int](t, "keys"),
			Arrivals:                config.Arrivals(get[int](t, "arrivals")),
			Rate:                    get[float64](t, "rate"),
			Shape:                   get[rate.Shape](t, "load"),
			Recorded:                get[[]config.Arrival](t, "arrivals_file"),
			Think:                   sampler(t, "think_time"),
			OnFailure:               get[config.OnFailure](t, "on_failure"),
			Topics:                  topics(t),
			MessageSize:             sampler(t, "message_size"),
			Batch:                   get[int](t, "batch"),
			Policy:                  policies[get[int](t, "policy")],
			Behaviours:              clientBehavioursOf(t),
			Settings:                settings(t),
			Remoting:                remoting(t),
			PollNameServerInterval:  get[sim.Duration](t, "poll_name_server_interval"),
			HeartbeatBrokerInterval: get[sim.Duration](t, "heartbeat_broker_interval"),
			TimerWakeup:             sampler(t, "timer_wakeup"),
		}
		a.s.Config.Producers = append(a.s.Config.Producers, p)
		if t.vals["arrivals"].bad {
			a.l.spoil(t.path + ".rate") // who knows whether there should be one
		}
		check := producerCheck{a, t, &p}
		check.topics()
		check.queue()
		check.choice()
		check.peak()
		check.recorded()
	}
	a.threads()
}

// topics are the topics of a producer with their weights.
func topics(t *table) (list []config.TopicShare) {
	weights := get[[]float64](t, "topic_weights")
	for i, name := range get[[]string](t, "topic") {
		share := config.TopicShare{Name: name}
		if i < len(weights) {
			share.Weight = weights[i]
		}
		list = append(list, share)
	}
	if list == nil {
		list = config.OneTopic("") // reported already
	}
	return list
}

// producerCheck reports what the keys of a producer do not mean together.
type producerCheck struct {
	a *assembly
	t *table
	p *config.Producer
}

// written is the node of a key that was given and is no error yet; nil otherwise.
func (c *producerCheck) written(name string) *node {
	if v := c.t.vals[name]; !v.bad {
		return v.node
	}
	return nil
}

// fail reports a problem of a key.
func (c *producerCheck) fail(name, format string, args ...any) *Problem {
	path := c.t.path + "." + name
	c.a.l.spoil(path)
	return c.a.l.failAt(path, path+format, args...)
}

// topics checks the names of the topics and the number of their weights.
func (c *producerCheck) topics() {
	elems, names := c.t.vals["topic"].texts(), c.a.names(tableTopic)
	seen := make(map[int]bool, len(elems))
	for _, e := range elems {
		i := c.a.reference(e, "topic", names)
		if i >= 0 && seen[i] {
			c.a.l.fail(e, "%s: topic %q is named twice", e.path, names[i])
			c.a.l.spoil(e.path)
		}
		seen[i] = true
	}
	w := c.written("topic_weights")
	if w != nil && c.written("topic") != nil && len(w.elems) != len(elems) {
		c.fail("topic_weights", " has %d numbers for %d topics", len(w.elems), len(elems))
	}
}

// queue checks that each topic has the queue that the caller names.
func (c *producerCheck) queue() {
	if c.written("queue") == nil {
		return
	}
	q := get[queue](c.t, "queue")
	if c.a.reference(q.brokerAt, "broker", c.a.names(tableBroker)) < 0 {
		return
	}
	for _, share := range c.p.Topics {
		i := slices.IndexFunc(c.a.s.Config.Topics, func(t config.Topic) bool { return t.Name == share.Name })
		if i < 0 || c.a.l.spoiled("topic."+share.Name) {
			continue
		}
		topic := &c.a.s.Config.Topics[i]
		switch {
		case len(topic.Brokers) > 0 && !slices.Contains(topic.Brokers, q.broker):
			c.a.l.fail(q.brokerAt, "%s: topic %s has no queue on broker %s", q.brokerAt.path, topic.Name, q.broker)
			c.a.l.spoil(q.brokerAt.path)
			return
		case q.id >= topic.WriteQueueNums:
			c.a.l.fail(q.at, "%s: topic %s has no queue %d on a broker, write_queue_nums is %d", q.at.path,
				topic.Name, q.id, topic.WriteQueueNums).Hint = "queues are counted from 0"
			c.a.l.spoil(q.at.path)
			return
		}
	}
}

// choice reports a choice of queues that a client does not have, or that means nothing.
func (c *producerCheck) choice() {
	n := c.written("queue_choice")
	switch {
	case n == nil || c.p.Choice != config.ChooseByMachineRoom:
	case c.t.isGo():
		c.fail("queue_choice", ": the Go client has no selector by machine room")
	case len(c.a.tables(tableZone)) == 0:
		c.fail("queue_choice", ": there are no zones to choose by").Hint = "see [zone.NAME]"
	}
	v := c.t.vals["policy"]
	if v.node != nil && !v.bad && v.text != v.def && c.p.Choice != config.ChooseByPolicy {
		c.a.l.failAt(c.t.path+".policy", "%s.policy changes nothing with queue_choice = %q: who picks the "+
			"queue asks no policy", c.t.path, c.p.Choice).Warning = true
	}
}

// peak checks the highest rate of a shape.
func (c *producerCheck) peak() {
	if c.written("load") == nil || c.written("rate") == nil {
		return
	}
	if most := top(c.p.Shape) * c.p.Rate; most > maxRate {
		c.fail("load", " reaches %s; a rate is at most %s", formatRate(most), formatRate(maxRate))
	}
}

// recorded warns of arrivals that the run does not reach.
func (c *producerCheck) recorded() {
	end := c.a.s.Config.Duration
	i, _ := slices.BinarySearchFunc(c.p.Recorded, end, func(a config.Arrival, end sim.Duration) int {
		if a.At < end {
			return -1
		}
		return 1
	})
	if n := len(c.p.Recorded) - i; n > 0 && !c.a.l.spoiled("duration") {
		path := c.t.path + ".arrivals_file"
		c.a.l.failAt(path, "%s: %d of %d arrivals are not before the end of the run (%s)", path, n,
			len(c.p.Recorded), c.a.l.top.plain("duration")).Warning = true
	}
}

// maxAppThreads bounds the application threads of all producers: each takes memory from the start.
const maxAppThreads = 4_000_000

// threads checks the number of all application threads; the producer with most of them is to blame.
func (a *assembly) threads() {
	all, most := 0, 0
	ps := a.s.Config.Producers
	for i := range ps {
		all += ps[i].Count * ps[i].Threads
		if ps[i].Count*ps[i].Threads > ps[most].Count*ps[most].Threads {
			most = i
		}
	}
	if all > maxAppThreads {
		p := &ps[most]
		a.l.failAt("producer."+p.Name+".count", "producer.%s has %d instances of %d threads; "+
			"all producers together may have %d threads, not %d",
			p.Name, p.Count, p.Threads, maxAppThreads, all)
	}
}

// policies are the rules that pick queues, by the order of the schema.
var policies = strategy.Policies()
