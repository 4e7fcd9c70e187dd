package lint

import (
	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
)

// rated makes a load of n messages a second by an instance with so many threads.
func rated(rate float64, threads int) func(*config.Config) {
	return func(c *config.Config) { c.Producers[0].Rate, c.Producers[0].Threads = rate, threads }
}

// thinking makes a closed loop whose threads pause for so long.
func thinking(d sim.Duration) func(*config.Config) {
	return func(c *config.Config) {
		p := &c.Producers[0]
		p.Arrivals, p.Rate, p.Think = config.ClosedLoop, 0, must(sim.Constant(d))
	}
}

var loadLints = []lintCase{
	{
		// A quarter of 100/s hangs for 3 s: 75 sends.
		"threads", "5.3.3", 4, threadKey,
		"74 < 75 = 100/s of an instance x 0.25 to broker b00 x 3s, the sends that hang in fault.cut",
		with(rated(100, 74), faulty(cut(0))), with(rated(100, 75), faulty(cut(0))),
	},
	{
		"pace of one-way sends", "5.3.3", 2, "producer.p.think_time", `0s in mode "oneway"`,
		with(mode(config.OneWay), thinking(0)), with(mode(config.OneWay), thinking(sim.Millisecond)),
	},
	{
		"pace of synchronous sends", "5.3.3", 2, "producer.p.think_time", `0s in mode "oneway"`,
		with(mode(config.OneWay), thinking(0)), thinking(0),
	},
	{
		"pace of an open load", "5.3.3", 2, "producer.p.think_time", `0s in mode "oneway"`,
		with(mode(config.OneWay), thinking(0)), mode(config.OneWay),
	},
	{
		"threads of two instances", "5.3.3", 4, threadKey,
		"74 < 75 = 100/s of an instance",
		with(rated(200, 74), faulty(cut(0)), func(c *config.Config) { c.Producers[0].Count = 2 }),
		with(rated(200, 74), faulty(cut(0)), func(c *config.Config) { c.Producers[0].Count = 3 }),
	},
	{
		"threads of batches", "5.3.3", 4, threadKey, "74 < 75",
		with(rated(300, 74), faulty(cut(0)), func(c *config.Config) { c.Producers[0].Batch = 3 }),
		with(rated(300, 74), faulty(cut(0)), func(c *config.Config) { c.Producers[0].Batch = 4 }),
	},
	{
		"threads of topics by weight", "5.3.3", 4, threadKey, "74 < 75 = 300/s of an instance x 0.0833 to",
		with(rated(300, 74), faulty(cut(0)), weighted), with(rated(297, 75), faulty(cut(0)), weighted),
	},
	{
		"threads of a short pause", "5.3.3", 4, threadKey, "24 < 25",
		with(rated(100, 24), faulty(config.Fault{
			Name: "p", Kind: config.Pause, Targets: []config.Target{{}},
			Duration: sim.Second,
		})),
		with(rated(100, 25), faulty(config.Fault{
			Name: "p", Kind: config.Pause, Targets: []config.Target{{}},
			Duration: sim.Second,
		})),
	},
	{
		"threads of capped attempts", "5.3.3", 4, threadKey, "24 < 25",
		with(rated(100, 24), capOf(1000), faulty(cut(0))), with(rated(100, 25), capOf(1000), faulty(cut(0))),
	},
	{
		"threads of asynchronous sends", "5.3.3", 4, threadKey, "1 < 75",
		with(rated(100, 1), faulty(cut(0))), with(rated(100, 1), faulty(cut(0)), mode(config.Async)),
	},
	{
		"threads of one queue", "5.3.3", 4, threadKey, "soon all threads do, and messages wait for one",
		with(rated(100, 299), faulty(cut(0)), queueOn("b00")),
		with(rated(100, 300), faulty(cut(0)), queueOn("b00")),
	},
	{
		"threads of one queue elsewhere", "5.3.3", 4, threadKey, "1 < 300",
		with(rated(100, 1), faulty(cut(0)), queueOn("b00")),
		with(rated(100, 1), faulty(cut(0)), queueOn("b01")),
	},
	{
		"threads of keys", "5.3.3", 4, threadKey, "74 < 75 = 100/s of an instance x 0.25",
		with(rated(100, 74), faulty(cut(0)), choiceOf(config.ChooseByHash)),
		with(rated(100, 75), faulty(cut(0)), choiceOf(config.ChooseByHash)),
	},
	{
		"threads of random queues", "5.3.3", 4, threadKey, "74 < 75 = 100/s of an instance x 0.25",
		with(rated(100, 74), faulty(cut(0)), choiceOf(config.ChooseByRandom)),
		with(rated(100, 75), faulty(cut(0)), choiceOf(config.ChooseByRandom)),
	},
	{
		// The hash code of "0" is 48, and 48 % 16 is queue 0 of the first broker.
		"threads of one key", "5.3.3", 4, threadKey, "299 < 300 = 100/s of an instance to broker b00 x 3s",
		with(rated(100, 299), faulty(cut(0)), choiceOf(config.ChooseByHash), keysOf(1)),
		with(rated(100, 1), choiceOf(config.ChooseByHash), keysOf(1), faulty(config.Fault{
			Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{Index: 1}}, At: sim.Second,
		})),
	},
	{
		"threads of a room", "5.3.3", 4, threadKey, "149 < 150 = 100/s of an instance x 0.5 to broker b00",
		with(rated(100, 149), faulty(cut(0)), choiceOf(config.ChooseByMachineRoom), roomOf(0, 1)),
		with(rated(100, 1), faulty(cut(0)), choiceOf(config.ChooseByMachineRoom), roomOf(1, 2)),
	},
	{
		"threads at the peak", "5.3.3", 4, threadKey,
		"224 < 225 = 300/s of an instance x 0.25 to broker b00 x 3s",
		with(rated(100, 224), faulty(during(3, 6)), burst(5, 7, 0)),
		with(rated(100, 75), faulty(during(2, 5)), burst(5, 7, 0)),
	},
	{
		"threads at the peak of another period", "5.3.3", 4, threadKey, "74 < 225",
		with(rated(100, 74), faulty(during(13, 16)), burst(5, 7, 10)),
		with(rated(100, 75), faulty(during(17, 24)), burst(5, 7, 10)),
	},
	{
		"threads of recorded arrivals", "5.3.3", 4, threadKey,
		"1 < 2 = 2/s of an instance x 0.25 to broker b00 x 3s",
		with(recordedAt(1, 1, 2, 2, 3, 3, 8), faulty(cut(0))), with(recordedAt(1, 5, 9), faulty(cut(0))),
	},
	{
		"threads of a slow broker", "5.3.3", 4, threadKey,
		"74 < 75 = 100/s of an instance x 0.25 to broker b00 x 3s",
		with(rated(100, 74), faulty(slowBy(3*sim.Second))),
		with(rated(100, 74), faulty(slowBy(3*sim.Second-1))),
	},
	{
		// 25/s wait in the queue for 200 ms, 5 requests, and the send thread has another one.
		"threads of a slow broker that refuses", "5.3.3", 4, threadKey,
		"1 < 6 = 1 in send threads + 100/s of an instance x 0.25 to broker b00 x 200ms in the queue",
		with(rated(100, 1), faulty(slowBy(3*sim.Second)), firstBroker(refusing)),
		with(rated(100, 6), faulty(slowBy(3*sim.Second)), firstBroker(refusing)),
	},
	{
		"threads of a disk that stalls", "5.3.3", 4, threadKey, "74 < 75",
		with(rated(100, 74), faulty(config.Fault{
			Name: "d", Kind: config.DiskStall, Targets: []config.Target{{}},
			At: 1,
		})),
		with(rated(100, 75), faulty(config.Fault{
			Name: "d", Kind: config.DiskStall, Targets: []config.Target{{}},
			At: 1,
		})),
	},
}

func queueOn(broker string) func(*config.Config) {
	return func(c *config.Config) {
		c.Producers[0].Choice, c.Producers[0].Queue = config.ChooseQueue, config.QueueName{Broker: broker}
	}
}

func keysOf(n int) func(*config.Config) { return func(c *config.Config) { c.Producers[0].Keys = n } }

// roomOf puts the producer and two brokers into one zone.
func roomOf(a, b int) func(*config.Config) {
	return func(c *config.Config) {
		c.Zones = []config.Zone{{Name: "z", Runs: []config.Target{
			{Kind: config.ProducerTarget}, {Kind: config.BrokerTarget, Index: a}, {
				Kind:  config.BrokerTarget,
				Index: b,
			},
		}}}
	}
}

// during is a cut of the first broker from one second until another.
func during(from, to sim.Duration) config.Fault {
	f := cut((to - from) * sim.Second)
	f.At = from * sim.Second
	return f
}

// burst is three times the rate from one second to another, in each period.
func burst(from, to, period sim.Duration) func(*config.Config) {
	return func(c *config.Config) {
		c.Duration = sim.Minute
		c.Producers[0].Shape = rate.Shape{Period: period * sim.Second, Points: []rate.Point{
			{At: 0, Factor: 1},
			{At: from * sim.Second, Factor: 1},
			{At: from * sim.Second, Factor: 3},
			{At: to * sim.Second, Factor: 3},
			{At: to * sim.Second, Factor: 1},
		}}
	}
}

// recordedAt is an instance with one thread and a message at each of some seconds.
func recordedAt(seconds ...sim.Duration) func(*config.Config) {
	return func(c *config.Config) {
		p := &c.Producers[0]
		p.Rate, p.Threads, p.Arrivals, c.Duration = 0, 1, config.RecordedArrivals, 20*sim.Second
		for _, s := range seconds {
			p.Recorded = append(p.Recorded, config.Arrival{At: s * sim.Second})
		}
	}
}

func slowBy(d sim.Duration) config.Fault {
	return config.Fault{
		Name: "s", Kind: config.Slow, Targets: []config.Target{{}}, At: sim.Second, Factor: 1,
		Delay: d,
	}
}

func refusing(b *config.Broker) {
	b.FastFailure, b.WaitTimeInQueue, b.SendThreads = true, 200*sim.Millisecond, 1
}

var idleLints = []lintCase{
	{
		"retries of one-way sends", "5.3.3", 2, retryKey, `changes nothing in mode "oneway"`,
		with(retriesOf(1), mode(config.OneWay)), mode(config.OneWay),
	},
	{
		"retries of asynchronous sends", "5.3.3", 2, retryKey, `changes nothing in mode "async"`,
		with(retriesOf(1), mode(config.Async)), retriesOf(1),
	},
	{
		"retries of a selector", "5.3.3", 2, retryKey, `changes nothing with queue_choice = "random"`,
		with(retriesOf(1), choiceOf(config.ChooseByRandom)), choiceOf(config.ChooseByRandom),
	},
	{
		"asynchronous retries of synchronous sends", "5.3.3", 2, asyncKey, `changes nothing in mode "sync"`,
		asyncRetriesOf(1), with(asyncRetriesOf(1), mode(config.Async), choiceOf(config.ChooseByHash)),
	},
	{
		"another broker in mode async", "5.3.3", 2, "producer.p.retry_another_broker_when_not_store_ok",
		`changes nothing in mode "async"`,
		with(anotherBroker, mode(config.Async)), anotherBroker,
	},
	{
		"another broker of a queue", "5.3.3", 2, "producer.p.retry_another_broker_when_not_store_ok",
		`changes nothing with queue_choice = "queue"`,
		with(anotherBroker, queueOn("b00")), anotherBroker,
	},
	{
		"codes in mode oneway", "5.3.3", 2, "producer.p.retry_response_codes", `changes nothing in mode "oneway"`,
		with(retryCodes, mode(config.OneWay)), retryCodes,
	},
	{
		"codes of a selector", "5.3.3", 2, "producer.p.retry_response_codes", `queue_choice = "hash"`,
		with(retryCodes, choiceOf(config.ChooseByHash)), retryCodes,
	},
	{
		"cap in mode async", "5.3.3", 2, capKey, `changes nothing in mode "async"`,
		with(capOf(1000), mode(config.Async)), capOf(1000),
	},
	{
		"cap without retries", "5.3.3", 2, capKey, "changes nothing without retries",
		with(capOf(1000), retriesOf(0)), with(capOf(1000), retriesOf(1)),
	},
}

func anotherBroker(c *config.Config) { c.Producers[0].Settings.RetryAnotherBrokerWhenNotStoreOK = true }

func retryCodes(c *config.Config) { c.Producers[0].Settings.RetryResponseCodes = []int{1} }

// weighted: a third of the messages goes to a topic on all four brokers, the others to one elsewhere.
func weighted(c *config.Config) {
	c.Topics = append(c.Topics, config.Topic{Name: "u", WriteQueueNums: 4, Brokers: []string{"b02", "b03"}})
	c.Producers[0].Topics = []config.TopicShare{{Name: "t", Weight: 1}, {Name: "u", Weight: 2}}
}
