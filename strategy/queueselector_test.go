package strategy_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"simrun/strategy"
)

// fourQueues are two on each of two brokers.
var fourQueues = []strategy.Queue{{Broker: 0}, {Broker: 0, ID: 1}, {Broker: 1}, {Broker: 1, ID: 1}}

// TestJavaHash: values of String.hashCode, printed by Java.
func TestJavaHash(t *testing.T) {
	for s, want := range map[string]int32{
		"": 0, "a": 97, "broker-a": 372697965, "é世": 27213, "\U0001F600": 1772899,
		"polygenelubricants": math.MinInt32, "Aa": 2112, "BB": 2112,
	} {
		if got := strategy.JavaHash(s); got != want {
			t.Errorf("JavaHash(%q) = %d, want %d", s, got, want)
		}
	}
}

// TestSelectByHash: to 4.7.1 the smallest int has no absolute value, and a list whose length does
// not divide it gets a negative position. From 4.8.0 on there always is one.
func TestSelectByHash(t *testing.T) {
	three := fourQueues[:3]
	for _, c := range []struct {
		release string
		queues  []strategy.Queue
		key     int32
		want    int // position, -1 for none
	}{
		{"4.7.1", three, 7, 1},
		{"4.7.1", three, -7, 1},
		{"4.7.1", three, math.MinInt32, -1},
		{"4.7.1", fourQueues, math.MinInt32, 0},
		{"4.8.0", three, 7, 1},
		{"4.8.0", three, -7, 1},
		{"4.8.0", three, math.MinInt32, 2},
		{"5.3.3", fourQueues, math.MinInt32, 0},
		{"5.3.3", fourQueues, math.MaxInt32, 3},
		{"4.7.1", nil, 1, -1},
	} {
		p, err := strategy.Lookup(c.release)
		if err != nil {
			t.Fatal(err)
		}
		var s strategy.QueueSelector = strategy.SelectByHash{Rule: p.SelectByHash}
		q, ok := s.SelectQueue(c.queues, c.key, strategy.NoBroker, nil)
		switch {
		case !ok && c.want >= 0, ok && c.want < 0, ok && q != c.queues[c.want]:
			t.Errorf("%s: key %d of %d queues: got %v %t, want position %d",
				c.release, c.key, len(c.queues), q, ok, c.want)
		}
	}
}

// TestSelectByRandom: every queue comes up about as often as another.
func TestSelectByRandom(t *testing.T) {
	src := newPCG(3)
	counts := map[strategy.Queue]int{}
	for range 4000 {
		q, ok := strategy.SelectByRandom{}.SelectQueue(fourQueues, 0, strategy.NoBroker, src)
		if !ok {
			t.Fatal("no choice")
		}
		counts[q]++
	}
	for _, q := range fourQueues {
		if n := counts[q]; n < 900 || n > 1100 { // 1000 +- 3.6 standard deviations
			t.Errorf("queue %v came up %d times of 4000", q, n)
		}
	}
	if _, ok := (strategy.SelectByRandom{}).SelectQueue(nil, 0, strategy.NoBroker, src); ok {
		t.Error("a choice of nothing")
	}
}

// sequence makes choices and writes them down as broker and queue id, "-" for none.
func sequence(s strategy.QueueSelector, queues []strategy.Queue, lasts ...strategy.Broker) string {
	var words []string
	for _, last := range lasts {
		q, ok := s.SelectQueue(queues, 0, last, nil)
		if !ok {
			words = append(words, "-")
			continue
		}
		words = append(words, fmt.Sprintf("%c%d", 'a'+rune(q.Broker), q.ID))
	}
	return strings.Join(words, ",")
}

// none is n first attempts.
func none(n int) []strategy.Broker { return slices.Repeat([]strategy.Broker{strategy.NoBroker}, n) }

// TestSelectByMachineRoom: the producer's own room as long as it has a queue, then the next in
// order of preference, then any; never the last broker if its room has another.
func TestSelectByMachineRoom(t *testing.T) {
	queues := []strategy.Queue{{Broker: 0}, {Broker: 1}, {Broker: 1, ID: 1}, {Broker: 2}, {Broker: 3}}
	rooms := []string{"east", "west", "east"} // broker 3 is nowhere
	for _, c := range []struct {
		name   string
		prefer []string
		queues []strategy.Queue
		lasts  []strategy.Broker
		want   string
	}{
		{"own room", []string{"east", "west"}, queues, none(4), "c0,a0,c0,a0"},
		{
			"retry in the room",
			[]string{"east", "west"},
			queues,
			[]strategy.Broker{-1, 2, 2, 0, 1},
			"c0,a0,a0,c0,c0",
		},
		{
			"only the last broker there",
			[]string{"west"},
			queues,
			[]strategy.Broker{-1, 1, 1},
			"b1,b0,b1",
		},
		{"next room", []string{"north", "west"}, queues, none(3), "b1,b0,b1"},
		{"any", []string{"north"}, queues, none(5), "b0,b1,c0,d0,a0"},
		{"no preference", nil, queues, none(2), "b0,b1"},
		{"no queue", []string{"east"}, nil, none(1), "-"},
	} {
		s := &strategy.SelectByMachineRoom{Rooms: rooms, Prefer: c.prefer}
		if got := sequence(s, c.queues, c.lasts...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSelectFixed: always the same, in the list or not.
func TestSelectFixed(t *testing.T) {
	s := strategy.SelectFixed{Queue: strategy.Queue{Broker: 2, ID: 7}}
	if got := sequence(s, fourQueues, none(3)...); got != "c7,c7,c7" {
		t.Errorf("got %q", got)
	}
}

// TestSelectGoRoundRobin: the first choice is the second queue; a retry steps over the last broker;
// with no other broker it takes one more step, so that a queue is left out.
func TestSelectGoRoundRobin(t *testing.T) {
	for _, c := range []struct {
		name   string
		queues []strategy.Queue
		lasts  []strategy.Broker
		want   string
	}{
		{"round", fourQueues, none(5), "a1,b0,b1,a0,a1"},
		{"retry", fourQueues, []strategy.Broker{-1, 0, 0, 1}, "a1,b0,b1,a0"},
		{"steps over", fourQueues, []strategy.Broker{0, 0, 0, -1}, "b0,b1,b0,b1"},
		{"one broker", fourQueues[:2], []strategy.Broker{-1, 0, 0}, "a1,a0,a1"},
		{"no queue", nil, []strategy.Broker{-1, 0}, "-,-"},
	} {
		s := &strategy.SelectGoRoundRobin{}
		if got := sequence(s, c.queues, c.lasts...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPolicies: every policy of the list can be made, described and used for a send.
func TestPolicies(t *testing.T) {
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	for _, name := range strategy.Policies() {
		r, names := eight()
		pol, err := strategy.NewPolicy(name, p, s, names)
		if err != nil {
			t.Fatal(err)
		}
		if strategy.DescribePolicy(name) == "" {
			t.Errorf("%s is not described", name)
		}
		var th strategy.Thread
		var l strategy.Loop
		l.Begin(0, pol, &p, &s, r, &th, newPCG(1), nil)
		for _, more := l.Next(0); more; _, more = l.Next(0) {
			l.Done(0, strategy.Outcome{Kind: strategy.OutcomeConnectFailed})
		}
		if got := l.Result(); got.Attempts != 3 || got.Code != strategy.CodeConnectBroker {
			t.Errorf("%s: %+v", name, got)
		}
	}
	const want = `strategy: no policy "fastest"; there are rocketmq, reserve, start-time-first, ` +
		`half-open, go-round-robin, random`
	if _, err := strategy.NewPolicy("fastest", p, s, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if strategy.DescribePolicy("fastest") != "" {
		t.Error("an unknown policy is described")
	}
}
