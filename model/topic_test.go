package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// Topics that nobody has made, and who brings a topic to a name server.

// absentConfig has two brokers that make topics, and a topic that nobody has made.
func absentConfig(release string, instances int) config.Config {
	cfg := nsConfig(release, 2, 2, instances)
	cfg.Topics[0].Absent = true
	for b := range cfg.Brokers {
		cfg.Brokers[b].AutoCreateTopic = true
	}
	p := &cfg.Producers[0]
	p.Threads, p.Rate = 8, 50
	return cfg
}

// The first send for a topic that nobody has made goes by the route of the default topic, to queues on
// every broker; the broker that gets it makes the topic and tells the name servers. From the next poll on
// the topic is on the brokers that were hit (client.md §5).
//
// Source: DefaultMQProducerImpl.tryToFindTopicPublishInfo and
// TopicConfigManager.createTopicInSendMessageMethod, 4.2.0, 4.9.8 and 5.3.3.
func TestAbsentTopicIsMadeByTheFirstSends(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.1.3", "5.3.3"} {
		cfg := absentConfig(release, 20)
		obs := &sendsTo{to: sim.Time(cfg.Duration)}
		w := New(cfg, obs)
		if n := w.Routed(0, 0) + w.Routed(0, 1); n != 0 {
			t.Errorf("%s: %d clients list brokers before anybody has sent", release, n)
		}
		runTo(t, w, cfg.Duration)
		if obs.failed > 0 || obs.count[0] == 0 || obs.count[1] == 0 {
			t.Errorf("%s: %d sends failed, %v by broker", release, obs.failed, obs.count)
		}
		for b := range int32(2) {
			for n := range int32(2) {
				if !w.entry(n, b, 0).publishes() {
					t.Errorf("%s: name server %d does not list the topic on broker %d", release, n+1, b)
				}
			}
			if n := w.Routed(0, int(b)); n != 20 {
				t.Errorf("%s: %d clients list broker %d in the end", release, n, b)
			}
		}
		if q := len(w.views[0].route.Queues); q != 8 {
			t.Errorf("%s: %d queues on two brokers", release, q)
		}
	}
}

// The client says how many queues a topic has that nobody has made, up to the 8 of TBW102 (client.md §5:
// "min(defaultTopicQueueNums 4, its readQueueNums) queues"), and the broker makes as many for the client that
// sends to it first. Whoever comes later gets those.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer and
// TopicConfigManager.createTopicInSendMessageMethod, 4.2.0, 4.9.8 and 5.3.3.
func TestFirstSenderDecidesTheQueues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ nums, want int }{{2, 2}, {4, 4}, {8, 8}, {9, 8}, {16, 8}} {
		cfg := absentConfig("5.3.3", 2)
		cfg.Producers[0].Remoting.DefaultTopicQueueNums = c.nums
		late := cfg.Producers[0]
		late.Name, late.Rate, late.Arrivals = "late", 0, config.RecordedArrivals
		late.Recorded = []config.Arrival{{At: 100 * sim.Second}, {At: 100 * sim.Second}}
		late.Remoting.DefaultTopicQueueNums = 5
		cfg.Producers = append(cfg.Producers, late)
		w := New(cfg, nil)
		runTo(t, w, sim.Second)
		if q := len(w.views[0].route.Queues); q != c.want && q != 2*c.want { // before the poll that finds one
			t.Errorf("%d: %d queues by the default route", c.nums, q)
		}
		runTo(t, w, cfg.Duration)
		for _, v := range w.views[:3] {
			if q := len(v.route.Queues); q != 2*c.want && v.hasRoute {
				t.Errorf("%d: %d queues on two brokers in the end", c.nums, q)
			}
		}
		if q := len(w.views[2].route.Queues) + len(w.views[3].route.Queues); q != 2*c.want && q != 4*c.want {
			t.Errorf("%d: %d queues for those that came late", c.nums, q)
		}
	}
}

// A topic that is made while one of two brokers is down is on the other only, for good: there is no
// alternative when that one dies (apache/rocketmq issue 286).
func TestTopicOnlyOnTheBrokerThatWasUp(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg := absentConfig(release, 20)
		cfg.Faults = []config.Fault{
			{Name: "down", Kind: config.Kill, Duration: 40 * sim.Second, Targets: []config.Target{{}}},
			{Name: "death", Kind: config.Kill, At: 120 * sim.Second, Targets: []config.Target{{Index: 1}}},
		}
		obs := &outcomes{from: sim.Time(40 * sim.Second), cut: sim.Time(120 * sim.Second)}
		w := New(cfg, obs)
		runTo(t, w, 110*sim.Second)
		if a, b := w.Routed(0, 0), w.Routed(0, 1); a != 0 || b != 20 {
			t.Errorf("%s: %d clients list the broker that was down, %d the other", release, a, b)
		}
		runTo(t, w, cfg.Duration)
		if obs.failedBefore > 0 || obs.okAfter > 0 || obs.failedAfter == 0 {
			t.Errorf("%s: %d failed before the death, %d succeeded and %d failed after it", release,
				obs.failedBefore, obs.okAfter, obs.failedAfter)
		}
	}
}

// outcomes counts how the sends before and after an instant ended.
type outcomes struct {
	NopObserver
	from, cut              sim.Time
	okBefore, failedBefore int
	okAfter, failedAfter   int
}

func (o *outcomes) Answered(a *Answer) {
	ok := a.Result.Exception == 0
	switch {
	case a.Scheduled < o.from:
	case a.Scheduled < o.cut && ok:
		o.okBefore++
	case a.Scheduled < o.cut:
		o.failedBefore++
	case ok:
		o.okAfter++
	default:
		o.failedAfter++
	}
}

// Pods that start together before any broker is there find no route until the first lookup that does
// (apache/rocketmq issue 5252).
func TestFirstSendsFailUntilTheRouteIsKnown(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.6.0", "5.3.3"} {
		cfg := absentConfig(release, 20)
		cfg.Faults = []config.Fault{{
			Name: "down", Kind: config.Kill, Duration: 60 * sim.Second, Targets: []config.Target{{}, {Index: 1}},
		}}
		obs := &outcomes{cut: sim.Time(60 * sim.Second)}
		runTo(t, New(cfg, obs), cfg.Duration)
		if obs.okBefore > 0 || obs.failedBefore == 0 || obs.failedAfter > 0 || obs.okAfter == 0 {
			t.Errorf("%s: %d succeeded and %d failed before the brokers came, %d and %d after", release,
				obs.okBefore, obs.failedBefore, obs.okAfter, obs.failedAfter)
		}
	}
}

// A topic that is made brings the write permission of all topics of that broker back, up to 5.1.3: the
// whole table goes out with a new DataVersion. From 5.1.4 the one topic does (broker.md §9 and the source).
//
// Source: RouteInfoManager.registerBroker, 4.9.8; TopicConfigManager.registerBrokerData, 5.1.4.
func TestNewTopicUndoesAWipe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		undone  bool
	}{{"4.2.0", true}, {"4.9.8", true}, {"5.1.3", true}, {"5.1.4", false}, {"5.3.3", false}} {
		cfg := absentConfig(c.release, 1)
		cfg.Topics = append(cfg.Topics, config.Topic{Name: "old", WriteQueueNums: 4})
		second := cfg.Producers[0]
		second.Name, second.Topics, second.Rate = "q", config.OneTopic("old"), 0.001
		cfg.Producers = append(cfg.Producers, second)
		cfg.Producers[0].Arrivals, cfg.Producers[0].Rate = config.Constant, 10
		w := New(cfg, nil)
		made := func(b int32) bool { return *w.holds(b, 0) }
		at := sim.Duration(0)
		step := func() {
			if at += sim.Millisecond; at > 20*sim.Second {
				t.Fatalf("%s: the topic is on %v and %v", c.release, made(0), made(1))
			}
			runTo(t, w, at)
		}
		for !made(0) && !made(1) {
			step()
		}
		last := int32(0) // the broker that has yet to make it
		if made(0) {
			last = 1
		}
		w.wipeWritePerm(&config.Fault{}, last)
		for !made(last) {
			step()
			if !made(last) && w.entry(0, last, 1).publishes() {
				t.Fatalf("%s: the wipe has no effect", c.release)
			}
		}
		runTo(t, w, at+sim.Second)
		if !w.entry(0, last, 0).publishes() {
			t.Errorf("%s: the new topic is not writable", c.release)
		}
		if got := w.entry(0, last, 1).publishes(); got != c.undone {
			t.Errorf("%s: the other topic is writable again: %v", c.release, got)
		}
	}
}

// A name server that starts again while a broker name has only its slave left learns its topics from
// that from 5.0.0 on; before, the topic is unknown (the source; broker.md §5 does not say).
//
// Source: RouteInfoManager.registerBroker, 4.9.8 and 5.0.0.
func TestSlaveBringsTopics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		known   bool
	}{{"4.9.8", false}, {"5.0.0", true}, {"5.3.3", true}} {
		cfg := nsConfig(c.release, 1, 1, 1)
		cfg.Brokers[0].Slaves = 1
		cfg.Faults = []config.Fault{
			{Name: "kill", Kind: config.Kill, At: 30 * sim.Second, Targets: []config.Target{{}}},
			nsFault(config.Kill, 40*sim.Second, 5*sim.Second, 0),
		}
		w := New(cfg, nil)
		runTo(t, w, 35*sim.Second)
		if e := w.entry(0, 0, 0); e == 0 || e.publishes() {
			t.Errorf("%s: with the slave alone the entry is %x", c.release, e)
		}
		runTo(t, w, 80*sim.Second)
		if got := w.entry(0, 0, 0) != 0; got != c.known {
			t.Errorf("%s: the topic is known after the restart: %v", c.release, got)
		}
	}
}
