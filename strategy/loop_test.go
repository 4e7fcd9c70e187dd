package strategy_test

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/strategy"
)

// counting is a policy that counts what a Loop tells it.
type counting struct {
	strategy.Policy
	sent, ended int
	timeouts    []strategy.Millis
}

func (c *counting) Sent(now strategy.Millis, b strategy.Broker) {
	c.sent++
	c.Policy.Sent(now, b)
}

func (c *counting) Ended(now strategy.Millis, e strategy.Ended, tr *strategy.Trace) {
	c.ended++
	c.Policy.Ended(now, e, tr)
}

func (c *counting) Budget(attempt, attempts int, remaining strategy.Millis) strategy.Millis {
	t := c.Policy.Budget(attempt, attempts, remaining)
	c.timeouts = append(c.timeouts, t)
	return t
}

// TestLoopLaws: whatever happens to the attempts of a send, in whatever release and with whatever
// policy, the send ends after at most 1 + retries of them; every attempt is reported as sent and as
// ended; it stays within the budget; and the caller gets either a status or an exception.
func TestLoopLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		w := anyWorld(t, p, rapid.Bool().Draw(t, "enable"))
		s := w.settings
		s.RetryTimesWhenSendFailed = rapid.IntRange(0, 5).Draw(t, "retries")
		s.RetryAnotherBrokerWhenNotStoreOK = rapid.Bool().Draw(t, "not store ok")
		s.SendMsgTimeout = strategy.Millis(rapid.IntRange(1, 3000).Draw(t, "timeout"))
		s.SendMsgMaxTimeoutPerRequest = strategy.Millis(rapid.IntRange(-1, 2000).Draw(t, "cap"))
		pol := &counting{Policy: w.policy}
		if name := rapid.SampledFrom(strategy.Policies()).Draw(t, "policy"); name != "rocketmq" {
			other, err := strategy.NewPolicy(name, p, s, make([]string, w.brokers+1))
			if err != nil {
				t.Fatal(err)
			}
			pol.Policy = other
		}
		var l strategy.Loop
		for range 4 { // the same Loop, again
			pol.sent, pol.ended, pol.timeouts = 0, 0, pol.timeouts[:0]
			began := w.now
			l.Begin(w.now, pol, &p, &s, w.route, &w.threads[0], w.source(), nil)
			n := 0
			ok := false
			for a, more := l.Next(w.now); more; a, more = l.Next(w.now) {
				n++
				left := s.SendMsgTimeout
				if p.Budget == strategy.BudgetShared {
					left -= w.now - began
				}
				switch {
				case ok:
					t.Fatal("an attempt after SEND_OK")
				case a.Number != n || l.Over():
					t.Fatalf("attempt %d: %+v, over %t", n, a, l.Over())
				case a.Timeout != pol.timeouts[n-1] || a.Timeout < 0 || a.Timeout > left:
					t.Fatalf("attempt %d gets %d of %d ms", n, a.Timeout, left)
				}
				w.now += strategy.Millis(rapid.IntRange(0, 3500).Draw(t, "elapsed"))
				o := anyOutcome(t)
				ok = o.Kind == strategy.OutcomeOK
				l.Done(w.now, o)
			}
			r := l.Result()
			switch {
			case !l.Over() || n > 1+s.RetryTimesWhenSendFailed || r.Attempts != n:
				t.Fatalf("%d attempts, %+v", n, r)
			case pol.sent != n || pol.ended != n:
				t.Fatalf("%d attempts, %d sent, %d ended", n, pol.sent, pol.ended)
			case (r.Status == strategy.StatusNone) == (r.Exception == strategy.ExceptionNone):
				t.Fatalf("not either a status or an exception: %+v", r)
			case ok != (r.Status == strategy.StatusSendOK):
				t.Fatalf("ended with OK %t: %+v", ok, r)
			}
		}
	})
}

// anyOutcome draws how an attempt ends.
func anyOutcome(t *rapid.T) strategy.Outcome {
	kind := rapid.IntRange(0, int(strategy.OutcomeInterrupted)).Draw(t, "outcome")
	o := strategy.Outcome{Kind: strategy.OutcomeKind(kind)}
	if o.Kind == strategy.OutcomeBrokerError {
		o.Code = rapid.SampledFrom([]int{1, 2, 13, 14, 215, 1500}).Draw(t, "code")
	}
	return o
}

// lastEnded is a policy that keeps what it was told last.
type lastEnded struct {
	strategy.Policy
	ended strategy.Ended
}

func (l *lastEnded) Ended(now strategy.Millis, e strategy.Ended, tr *strategy.Trace) {
	l.ended = e
	l.Policy.Ended(now, e, tr)
}

// TestLoopTellsAnswers: a policy is told OK for an answer of whatever status, and for nothing else,
// in every release.
func TestLoopTellsAnswers(t *testing.T) {
	answers := map[strategy.OutcomeKind]bool{
		strategy.OutcomeOK: true, strategy.OutcomeFlushDiskTimeout: true,
		strategy.OutcomeFlushSlaveTimeout: true, strategy.OutcomeSlaveNotAvailable: true,
	}
	route := strategy.NewRoute([]strategy.RouteBroker{{WriteQueueNums: 1, Writable: true}})
	for _, release := range strategy.Releases() {
		p, err := strategy.Lookup(release)
		if err != nil {
			t.Fatal(err)
		}
		s := strategy.DefaultSettings(p)
		for k := strategy.OutcomeOK; k <= strategy.OutcomeInterrupted; k++ {
			pol := &lastEnded{Policy: strategy.NewRocketMQ(p, s, []string{"a"})}
			pol.ended.OK = !answers[k]
			var l strategy.Loop
			var th strategy.Thread
			l.Begin(1, pol, &p, &s, route, &th, zeroSource{}, nil)
			l.Next(1)
			l.Done(2, strategy.Outcome{Kind: k})
			if pol.ended.OK != answers[k] {
				t.Errorf("%s: %s is told with OK %t", release, k, pol.ended.OK)
			}
		}
	}
}

// zeroSource draws 0 always.
type zeroSource struct{}

func (zeroSource) Int32() int32       { return 0 }
func (zeroSource) Int31n(int32) int32 { return 0 }

// TestLoopMisuse: asking for an attempt while one is in flight, or ending one that is not, is a
// programming error and says so.
func TestLoopMisuse(t *testing.T) {
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	r, names := eight()
	pol := strategy.NewRocketMQ(p, s, names)
	var th strategy.Thread
	var l strategy.Loop
	l.Begin(0, pol, &p, &s, r, &th, newPCG(1), nil)
	mustPanic(t, "strategy: Loop.Done without an attempt in flight", func() {
		l.Done(0, strategy.Outcome{})
	})
	l.Next(0)
	mustPanic(t, "strategy: Loop.Next with an attempt in flight", func() { l.Next(0) })
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	f()
}

// TestLoopWithoutRoute: a topic without a queue fails at once, as "no route info" does.
func TestLoopWithoutRoute(t *testing.T) {
	p, err := strategy.Lookup("4.9.8")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	pol := strategy.NewRocketMQ(p, s, nil)
	for _, r := range []*strategy.Route{nil, strategy.NewRoute(nil)} {
		var th strategy.Thread
		var l strategy.Loop
		l.Begin(0, pol, &p, &s, r, &th, newPCG(1), nil)
		if _, more := l.Next(0); more || !l.Over() {
			t.Error("an attempt without a queue")
		}
		want := strategy.Result{
			Exception: strategy.MQClientException, Code: strategy.CodeNotFoundTopic,
			Broker: strategy.NoBroker,
		}
		if got := l.Result(); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestNoAllocations: once every broker is known, neither a choice nor an update nor a whole send
// allocates, in any release, with any policy and in any state of the table.
func TestNoAllocations(t *testing.T) {
	for _, release := range strategy.Releases() {
		noAllocations(t, release, "rocketmq")
	}
	for _, policy := range strategy.Policies() {
		noAllocations(t, "5.3.3", policy)
	}
}

func noAllocations(t *testing.T, release, policy string) {
	t.Helper()
	p, err := strategy.Lookup(release)
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	s.StartDetectorEnable = true
	r, names := eight()
	pol, err := strategy.NewPolicy(policy, p, s, names)
	if err != nil {
		t.Fatal(err)
	}
	var th strategy.Thread
	var l strategy.Loop
	src := newPCG(1)
	now := strategy.Millis(0)
	i := 0
	send := func() {
		l.Begin(now, pol, &p, &s, r, &th, src, nil)
		for _, more := l.Next(now); more; _, more = l.Next(now) {
			i++
			now += strategy.Millis(i % 7 * 100)
			l.Done(now, strategy.Outcome{Kind: strategy.OutcomeKind(i * 7 % 10), Code: 1})
		}
		yes := func(strategy.Broker) bool { return true }
		strategy.DetectRound(now, pol, yes, yes, nil)
	}
	for range 100 {
		send()
	}
	if n := testing.AllocsPerRun(200, send); n > 0 {
		t.Errorf("%s, %s: %v allocations a send", release, policy, n)
	}
}

// TestValidate: each setting that cannot be used, and each that hardly means what it seems to.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		release string
		change  func(*strategy.Settings)
		want    string // "key: message", "warning key: message", or nothing
	}{
		{"5.3.3", func(*strategy.Settings) {}, ""},
		{
			"5.3.3", func(s *strategy.Settings) { s.SendMsgTimeout = 0 },
			"send_msg_timeout: is 0 ms, must be at least 1",
		},
		{
			"5.3.3", func(s *strategy.Settings) { s.RetryTimesWhenSendFailed = -1 },
			"retry_times_when_send_failed: is -1, must not be negative",
		},
		{
			"5.3.3", func(s *strategy.Settings) { s.SendMsgMaxTimeoutPerRequest = -2 },
			"send_msg_max_timeout_per_request: is -2 ms, must be -1 (off) or more",
		},
		{
			"5.3.2", func(s *strategy.Settings) { s.SendMsgMaxTimeoutPerRequest = 900 },
			"warning send_msg_max_timeout_per_request: has no effect in 5.3.2",
		},
		{"5.3.3", func(s *strategy.Settings) {
			s.SendMsgMaxTimeoutPerRequest, s.RetryTimesWhenSendFailed = 900, 0
		}, "warning send_msg_max_timeout_per_request: has no effect without retries: it spares " +
			"the last attempt"},
		{
			"4.9.1", func(s *strategy.Settings) { s.RetryResponseCodes = []int{2} },
			"warning retry_response_codes: cannot be set in 4.9.1: the codes are fixed",
		},
		{
			"4.9.8", func(s *strategy.Settings) { s.StartDetectorEnable = true },
			"warning start_detector_enable: has no effect in 4.9.8, which has no detector",
		},
		{
			"5.1.4", func(s *strategy.Settings) { s.StartDetectorEnable = true },
			"warning start_detector_enable: works in 5.1.4 only as the JVM property " +
				"com.rocketmq.startDetectorEnable",
		},
		{
			"5.3.3", func(s *strategy.Settings) { s.DetectInterval = -1 },
			"detect_interval: is -1 ms, must not be negative",
		},
		{
			"5.3.3", func(s *strategy.Settings) { s.DetectTimeout = 0 },
			"detect_timeout: is 0 ms, must be at least 1",
		},
		{
			"5.3.3", func(s *strategy.Settings) { s.LatencyMax = []strategy.Millis{50, 50} },
			"latency_max: entry 2 is 50 ms, must be more than the 50 ms before it; " +
				"not_available_duration: has 7 entries, must have one for each of the 2 of " +
				"latency_max",
		},
		{"5.3.3", func(s *strategy.Settings) {
			s.LatencyMax = []strategy.Millis{-1}
			s.NotAvailableDuration = []strategy.Millis{-5}
		}, "latency_max: entry 1 is -1 ms, must not be negative; " +
			"not_available_duration: entry 1 is -5 ms, must not be negative"},
		{"5.3.3", func(s *strategy.Settings) {
			s.LatencyMax = []strategy.Millis{1, 2}
			s.NotAvailableDuration = []strategy.Millis{9, 8}
		}, "warning not_available_duration: entry 2 is 8 ms, less than the 9 ms before it: " +
			"a slower broker would be avoided for less time"},
		{"5.3.3", func(s *strategy.Settings) {
			s.LatencyMax, s.NotAvailableDuration = []strategy.Millis{}, []strategy.Millis{}
		}, "warning latency_max: is empty: no broker is ever isolated"},
	} {
		p, err := strategy.Lookup(c.release)
		if err != nil {
			t.Fatal(err)
		}
		s := strategy.DefaultSettings(p)
		c.change(&s)
		got := ""
		for _, problem := range s.Validate(p) {
			if got != "" {
				got += "; "
			}
			if problem.Warning {
				got += "warning "
			}
			got += problem.Key + ": " + problem.Message
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.release, got, c.want)
		}
	}
}
