package model

import (
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// chosenQueues counts first attempts by queue, and keeps what callers were told.
type chosenQueues struct {
	NopObserver
	first map[strategy.Queue]int
	told  map[string]int
}

func newChosenQueues() *chosenQueues {
	return &chosenQueues{first: map[strategy.Queue]int{}, told: map[string]int{}}
}

func (o *chosenQueues) AttemptEnded(a *Attempt) {
	if a.Try == 1 {
		o.first[a.Queue]++
	}
}

func (o *chosenQueues) Answered(a *Answer) {
	what := a.Result.Status.String()
	if a.Result.Status == strategy.StatusNone {
		what = a.Result.Exception.String()
	}
	o.told[what]++
}

func (o *chosenQueues) on(b strategy.Broker) int {
	n := 0
	for q, k := range o.first {
		if q.Broker == b {
			n += k
		}
	}
	return n
}

// choiceConfig has three brokers with four queues each, and a dead one among them from 20 s on, with
// avoidance on.
func choiceConfig(mode config.SendMode, choice config.QueueChoice) config.Config {
	cfg := configtest.Small("5.3.3", 3)
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Kill, Targets: []config.Target{{Index: 1}},
		At: 20 * sim.Second,
	}}
	p := &cfg.Producers[0]
	p.Mode, p.Choice = mode, choice
	p.Settings.SendLatencyFaultEnable = true
	p.PollNameServerInterval = 10_000 * sim.Hour
	return cfg
}

// Report A19: "selector/ordered sends never change broker and never consult the fault table (async ones
// still feed it)": in every mode, every message of the share of the dead broker goes on being sent there,
// and fails; one-way callers are told nothing of that in this release.
func TestSelectorSendsStayOnTheirBroker(t *testing.T) {
	t.Parallel()
	for _, mode := range []config.SendMode{config.Sync, config.Async, config.OneWay} {
		cfg := choiceConfig(mode, config.ChooseByRandom)
		o := newChosenQueues()
		w := runWorld(t, cfg, o)
		if share := float64(o.on(1)) / float64(o.on(0)+o.on(1)+o.on(2)); share < 0.31 || share > 0.36 {
			t.Errorf("%v: the dead broker's share is %.3f", mode, share)
		}
		_, fed := w.insts[0].policy.Item(1)
		if fed != (mode == config.Async) {
			t.Errorf("%v: the table knows the dead broker: %v", mode, fed)
		}
		failed := o.told["RemotingConnectException"] + o.told["MQClientException"]
		if mode == config.OneWay {
			if failed > 0 || o.told["HANDED_OVER"] == 0 {
				t.Errorf("one-way callers were told %v", o.told)
			}
		} else if failed < 6000 { // a third of 500/s for 40 s
			t.Errorf("%v: %v", mode, o.told)
		}
	}
}

// A selector by hash spreads many keys over the queues and keeps one key on one queue (global order).
func TestHashSelectorByKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, queues int }{{1, 1}, {0, 12}, {3, 3}} {
		cfg := configtest.Small("5.3.3", 3)
		p := &cfg.Producers[0]
		p.Choice, p.Keys = config.ChooseByHash, c.keys
		o := newChosenQueues()
		runWorld(t, cfg, o)
		if len(o.first) != c.queues {
			t.Errorf("%d keys: %d queues, want %d: %v", c.keys, len(o.first), c.queues, o.first)
		}
	}
}

// Keys are hashed as Java hashes their decimal strings.
func TestHashOfDecimal(t *testing.T) {
	t.Parallel()
	for v, s := range map[uint64]string{0: "0", 7: "7", 10: "10", 4294967295: "4294967295"} {
		if got, want := hashOfDecimal(v), strategy.JavaHash(s); got != want {
			t.Errorf("%s: %d, want %d", s, got, want)
		}
	}
}

// attemptWatcher calls a function for each attempt.
type attemptWatcher struct {
	NopObserver
	see func(*Attempt)
}

func newAttempts(see func(*Attempt)) *attemptWatcher { return &attemptWatcher{see: see} }

func (o *attemptWatcher) AttemptEnded(a *Attempt) { o.see(a) }

// client.md §5: "orderTopicConf set -> \"broker:num;...\" order as given, no perm/master check": an
// ordered topic's publish list keeps its order, and a broker that is gone stays in it; an unordered one's
// is by name, and loses it.
func TestOrderedTopicKeepsItsList(t *testing.T) {
	t.Parallel()
	for _, ordered := range []bool{false, true} {
		cfg := configtest.Small("5.3.3", 3)
		cfg.Topics[0].Brokers, cfg.Topics[0].Ordered = []string{"b02", "b00", "b01"}, ordered
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Kill, Targets: []config.Target{{}},
			At: 5 * sim.Second,
		}}
		cfg.Producers[0].PollNameServerInterval = sim.Second
		w := runWorld(t, cfg, nil)
		var order []strategy.Broker
		for _, q := range w.views[0].route.Queues {
			if q.ID == 0 {
				order = append(order, q.Broker)
			}
		}
		want := []strategy.Broker{1, 2}
		if ordered {
			want = []strategy.Broker{2, 0, 1}
		}
		if !slices.Equal(order, want) {
			t.Errorf("ordered = %v: the list has %v, want %v", ordered, order, want)
		}
		if got := w.Routed(0, 0) == 1; got != ordered {
			t.Errorf("ordered = %v: Routed says %v of the broker that is gone", ordered, got)
		}
	}
}

// client.md §7: one send to a queue of the caller's choice, "no retry, no updateFaultItem, no availability
// check": all go to that queue, whatever becomes of them.
func TestQueueOfTheCallersChoice(t *testing.T) {
	t.Parallel()
	for _, mode := range []config.SendMode{config.Sync, config.Async, config.OneWay} {
		cfg := choiceConfig(mode, config.ChooseQueue)
		cfg.Producers[0].Queue = config.QueueName{Broker: "b01", ID: 2}
		o := newChosenQueues()
		runWorld(t, cfg, o)
		if len(o.first) != 1 || o.first[strategy.Queue{Broker: 1, ID: 2}] < 25_000 {
			t.Errorf("%v: first attempts %v", mode, o.first)
		}
	}
}
