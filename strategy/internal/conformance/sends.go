package conformance

import (
	"encoding/json"
	"fmt"

	"simrun/strategy"
)

// sendCase is a line of send-loop/: sends of one thread to one topic, in order.
type sendCase struct {
	Version                  string            `json:"version"`
	Case                     int               `json:"case"`
	SendLatencyFaultEnable   bool              `json:"send_latency_fault_enable"`
	StartDetectorEnable      bool              `json:"start_detector_enable"`
	LatencyMax               []strategy.Millis `json:"latency_max_ms"`
	NotAvailableDuration     []strategy.Millis `json:"not_available_duration_ms"`
	SendMsgTimeout           strategy.Millis   `json:"send_msg_timeout_ms"`
	RetryTimesWhenSendFailed int               `json:"retry_times_when_send_failed"`
	RetryAnotherBroker       bool              `json:"retry_another_broker_when_not_store_ok"`
	MaxTimeoutPerRequest     *strategy.Millis  `json:"send_msg_max_timeout_per_request_ms"`
	Brokers                  []routeBroker     `json:"brokers"`
	Sends                    []json.RawMessage `json:"sends"`
}

// send is one recorded send. Its own draws belong to a queue chosen and not used.
type send struct {
	At       strategy.Millis     `json:"t_ms"`
	Attempts []attempt           `json:"attempts"`
	Want     outcome             `json:"want"`
	End      strategy.Millis     `json:"end_ms"`
	Table    map[string]tableRow `json:"table"`
	draws
}

// attempt is one recorded attempt: what it must be, and how it then ends.
type attempt struct {
	Want struct {
		queue
		Timeout strategy.Millis `json:"timeout_ms"`
	} `json:"want"`
	Elapsed strategy.Millis `json:"elapsed_ms"`
	Outcome string          `json:"outcome"`
	Code    int             `json:"code"`
	draws
}

// outcome is what the caller gets.
type outcome struct {
	Status    string `json:"status"`
	Broker    string `json:"broker"`
	Exception string `json:"exception"`
	Code      int    `json:"code"`
	Cause     string `json:"cause"`
}

// tableRow is a recorded fault item.
type tableRow struct {
	Latency   strategy.Millis  `json:"latency_ms"`
	Start     *strategy.Millis `json:"start_ms"`  // nil: never isolated
	Reachable *bool            `json:"reachable"` // nil: the release has no flag
}

// sendReplay is a case under replay.
type sendReplay struct {
	names    names
	profile  strategy.Profile
	settings strategy.Settings
	policy   strategy.Policy
	route    *strategy.Route
	thread   strategy.Thread
	src      script
	loop     strategy.Loop
}

// decisions is the number of comparisons in a send: every attempt, the result, the table.
func (s *send) decisions() int { return len(s.Attempts) + 2 }

// replaySends replays one case. An error is a case that cannot be replayed.
func replaySends(line []byte) (verdict, error) {
	var c sendCase
	wrong := decode(line, &c)
	var v verdict
	var r sendReplay
	for _, b := range c.Brokers {
		r.names.add(b.Broker)
	}
	sends := make([]send, len(c.Sends))
	for i := range sends { // to the last, for the number of decisions
		if err := decode(c.Sends[i], &sends[i]); err != nil && wrong == nil {
			wrong = fmt.Errorf("case %d send %d: %w", c.Case, i, err)
		}
		v.decisions += sends[i].decisions()
		for _, name := range sortedKeys(sends[i].Table) {
			r.names.add(name)
		}
	}
	if wrong != nil {
		return v, wrong
	}
	if v.decisions == 0 {
		return v, fmt.Errorf("case %d holds no send", c.Case)
	}
	if err := r.begin(&c); err != nil {
		return v, fmt.Errorf("case %d: %w", c.Case, err)
	}
	v.version = r.profile.Release
	for i := range sends {
		agreed, problem, err := r.send(&sends[i])
		v.reproduced += agreed
		if err != nil {
			return v, fmt.Errorf("case %d send %d: %w", c.Case, i, err)
		}
		if problem != "" {
			v.problem = fmt.Sprintf("release %s case %d send %d: %s\n\t%s",
				c.Version, c.Case, i, problem, c.Sends[i])
			return v, nil
		}
	}
	return v, nil
}

// begin sets the producer up.
func (r *sendReplay) begin(c *sendCase) error {
	profile, err := strategy.Lookup(c.Version)
	if err != nil {
		return err
	}
	s := strategy.DefaultSettings(profile)
	s.SendLatencyFaultEnable = c.SendLatencyFaultEnable
	s.StartDetectorEnable = c.StartDetectorEnable
	s.LatencyMax = c.LatencyMax
	s.NotAvailableDuration = c.NotAvailableDuration
	s.SendMsgTimeout = c.SendMsgTimeout
	s.RetryTimesWhenSendFailed = c.RetryTimesWhenSendFailed
	s.RetryAnotherBrokerWhenNotStoreOK = c.RetryAnotherBroker
	if c.MaxTimeoutPerRequest != nil {
		s.SendMsgMaxTimeoutPerRequest = *c.MaxTimeoutPerRequest
	}
	r.profile, r.settings = profile, s
	r.policy = strategy.NewRocketMQ(profile, s, r.names.list)
	r.route = r.names.route(c.Brokers)
	return nil
}

// send replays one send: the number of decisions that agreed, and the first that did not.
func (r *sendReplay) send(s *send) (agreed int, problem string, err error) {
	now := base + s.At
	r.loop.Begin(now, r.policy, &r.profile, &r.settings, r.route, &r.thread, &r.src, nil)
	for i := range s.Attempts {
		a := &s.Attempts[i]
		o, err := parseOutcome(a)
		if err != nil {
			return agreed, "", fmt.Errorf("attempt %d: %w", i+1, err)
		}
		r.src.load(a.draws)
		got, more := r.loop.Next(now)
		if problem := r.compareAttempt(a, got, more); problem != "" {
			return agreed, fmt.Sprintf("attempt %d: %s", i+1, problem), nil
		}
		agreed++
		now += a.Elapsed
		r.loop.Done(now, o)
	}
	r.src.load(s.draws)
	if got, more := r.loop.Next(now); more {
		return agreed, fmt.Sprintf("want the send to be over after %d attempts, got one more: %s",
			len(s.Attempts), r.names.queue(got.Queue)), nil
	}
	if problem := r.src.problem(); problem != "" {
		return agreed, problem, nil
	}
	if got := r.result(); got != s.Want || now != base+s.End {
		return agreed, fmt.Sprintf("want %+v at %d ms, got %+v at %d ms",
			s.Want, s.End, got, now-base), nil
	}
	agreed++
	if problem := r.compareTable(s.Table); problem != "" {
		return agreed, problem, nil
	}
	return agreed + 1, "", nil
}

// parseOutcome reads how an attempt ends.
func parseOutcome(a *attempt) (strategy.Outcome, error) {
	for k := strategy.OutcomeOK; k <= strategy.OutcomeInterrupted; k++ {
		if k.String() == a.Outcome {
			return strategy.Outcome{Kind: k, Code: a.Code}, nil
		}
	}
	return strategy.Outcome{}, fmt.Errorf("unknown outcome %q", a.Outcome)
}

func (r *sendReplay) compareAttempt(a *attempt, got strategy.Attempt, more bool) string {
	if !more {
		return fmt.Sprintf("want %s within %d ms, got the end of the send: %+v",
			a.Want.queue, a.Want.Timeout, r.result())
	}
	if q := r.names.queue(got.Queue); q != a.Want.queue || got.Timeout != a.Want.Timeout {
		return fmt.Sprintf("want %s within %d ms, got %s within %d ms",
			a.Want.queue, a.Want.Timeout, q, got.Timeout)
	}
	return r.src.problem()
}

// result is what the caller gets, in the words of a recording.
func (r *sendReplay) result() outcome {
	res := r.loop.Result()
	if res.Status != strategy.StatusNone {
		return outcome{Status: res.Status.String(), Broker: r.names.name(res.Broker)}
	}
	o := outcome{Exception: res.Exception.String(), Code: res.Code}
	if res.Cause != strategy.ExceptionNone {
		o.Cause = res.Cause.String()
	}
	return o
}

// compareTable compares the whole fault table: rows that should be there and rows that should not.
func (r *sendReplay) compareTable(want map[string]tableRow) string {
	for b, name := range r.names.list {
		item, ok := r.policy.Item(strategy.Broker(b))
		w, wanted := want[name]
		if ok != wanted {
			return fmt.Sprintf("table: %s: want an item %t, got %t", name, wanted, ok)
		}
		if !ok {
			continue
		}
		var start strategy.Millis // 0: never isolated
		if w.Start != nil {
			start = base + *w.Start
		}
		reachable := w.Reachable == nil || *w.Reachable
		if item != (strategy.Item{Latency: w.Latency, Start: start, Reachable: reachable}) {
			return fmt.Sprintf("table: %s: want latency %d ms, start %d ms, reachable %t; "+
				"got latency %d ms, start %d ms, reachable %t", name, w.Latency, start-base, reachable,
				item.Latency, item.Start-base, item.Reachable)
		}
	}
	return ""
}
