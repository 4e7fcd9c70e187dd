package model

import (
	"math"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// topicObserver counts, by topic, the attempts to each broker and the failed sends.
type topicObserver struct {
	NopObserver
	w        *World
	attempts [2][4]int
	failed   [2]int
	routes   [2]int
}

func (o *topicObserver) AttemptEnded(a *Attempt) {
	o.attempts[o.w.TopicOf(&a.Message)][a.Queue.Broker]++
}

func (o *topicObserver) Answered(a *Answer) {
	if a.Result.Status == strategy.StatusNone {
		o.failed[o.w.TopicOf(&a.Message)]++
	}
}

func (o *topicObserver) RouteChanged(r *RouteChange) { o.routes[r.Topic]++ }

// twoTopics is a group that sends three of four messages to a topic on b00 and b01, and the rest to one
// on b02 and b03.
func twoTopics(release string) config.Config {
	cfg := configtest.Small(release, 4)
	cfg.Topics = []config.Topic{
		{Name: "t", WriteQueueNums: 4, Brokers: []string{"b00", "b01"}},
		{Name: "u", WriteQueueNums: 4, Brokers: []string{"b02", "b03"}},
	}
	cfg.Producers[0].Topics = []config.TopicShare{{Name: "t", Weight: 3}, {Name: "u"}}
	return cfg
}

// A group's messages go to its topics by weight, each to that topic's brokers only and evenly, as each
// thread has an index of its own for each topic.
func TestTopicsOfAGroup(t *testing.T) {
	for _, release := range testReleases {
		cfg := twoTopics(release)
		cfg.Producers[0].Threads = 1
		o := &topicObserver{}
		w := New(cfg, o)
		o.w = w
		runTo(t, w, cfg.Duration)
		a := o.attempts
		n := float64(w.ledger.sent)
		if share := float64(a[0][0]+a[0][1]) / n; math.Abs(share-0.75) > 5*math.Sqrt(0.75*0.25/n) {
			t.Errorf("%s: the share of the heavier topic is %.4f", release, share)
		}
		if a[0][2]+a[0][3]+a[1][0]+a[1][1] != 0 {
			t.Errorf("%s: sends went to brokers that do not have their topic: %v", release, a)
		}
		if d := a[0][0] - a[0][1]; d < -4 || d > 4 {
			t.Errorf("%s: %v is not in turns of four", release, a[0])
		}
		if d := a[1][2] - a[1][3]; d < -4 || d > 4 {
			t.Errorf("%s: %v is not in turns of four", release, a[1])
		}
	}
}

// The death of one topic's broker changes that topic's route alone, and the other topic loses nothing.
func TestRoutesOfTopicsAreApart(t *testing.T) {
	for _, release := range testReleases {
		cfg := twoTopics(release)
		cfg.Duration = 100 * sim.Second
		cfg.Producers[0].Rate = 50
		cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Kill, Targets: []config.Target{{Index: 2}},
			At: 20 * sim.Second,
		}}
		o := &topicObserver{}
		w := New(cfg, o)
		o.w = w
		for at := sim.Duration(0); at <= cfg.Duration; at += sim.Second {
			runTo(t, w, at)
			if err := w.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if o.routes[0] != 0 || o.routes[1] != 1 || o.failed[0] != 0 || o.failed[1] == 0 {
			t.Errorf("%s: routes changed %v times, %v sends failed", release, o.routes, o.failed)
		}
		if w.Routed(0, 2) != 0 || w.Routed(0, 3) != 1 {
			t.Errorf("%s: the dead broker is still in a publish list", release)
		}
	}
}

// The fault table is the producer's, not a topic's. To 5.1.3, with no broker of the topic available,
// pickOneAtLeast can therefore name a broker that only another topic has: it is dropped from the table,
// and the choice falls back to the next queue, whatever its broker (client.md section 10, 25).
// Source: MQFaultStrategy.selectOneMessageQueue, 4.9.8.
func TestFaultTableSpansTopics(t *testing.T) {
	cfg := twoTopics("4.9.8")
	p := &cfg.Producers[0]
	p.Threads, p.Settings.SendLatencyFaultEnable = 8, true
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Kill, Targets: []config.Target{{Index: 0}, {Index: 1}}, At: 20 * sim.Second,
	}}
	o := &topicObserver{}
	w := New(cfg, o)
	o.w = w
	runTo(t, w, 30*sim.Second)
	in := &w.insts[0]
	for b := range strategy.Broker(2) {
		if in.policy.Available(w.clock(0), b) {
			t.Errorf("dead broker %d is available", b)
		}
	}
	if _, known := in.policy.Item(2); known {
		if _, both := in.policy.Item(3); both {
			t.Error("no item of the other topic's brokers was dropped")
		}
	}
	if o.failed[1] != 0 || o.failed[0] == 0 {
		t.Errorf("%v sends failed", o.failed)
	}
}
