package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simrun/strategy"
)

// selectorCase is a line of selector/: operations on one producer's strategy, in order.
type selectorCase struct {
	Version                string            `json:"version"`
	Case                   int               `json:"case"`
	SendLatencyFaultEnable bool              `json:"send_latency_fault_enable"`
	LatencyMax             []strategy.Millis `json:"latency_max_ms"`
	NotAvailableDuration   []strategy.Millis `json:"not_available_duration_ms"`
	Threads                int               `json:"threads"`
	Ops                    []json.RawMessage `json:"ops"`
}

// op is one operation. Which fields it has depends on its name; see selectorReplay.apply.
type op struct {
	At         strategy.Millis `json:"t_ms"` // since the case began
	Op         string          `json:"op"`
	Brokers    []routeBroker   `json:"brokers"`
	Thread     int             `json:"thread"`
	LastBroker *string         `json:"last_broker"`
	ResetIndex bool            `json:"reset_index"`
	Broker     string          `json:"broker"`
	Latency    strategy.Millis `json:"latency_ms"`
	Isolation  bool            `json:"isolation"`
	Reachable  *bool           `json:"reachable"` // nil: the release has no flag
	Resolvable []string        `json:"resolvable"`
	Responding []string        `json:"responding"`
	Want       json.RawMessage `json:"want"`
	draws
}

// state is what an inspect op wants to know about a broker.
type state struct {
	Available bool  `json:"available"`
	Reachable *bool `json:"reachable"` // nil: the release has no flag
}

// selectorReplay is a case under replay.
type selectorReplay struct {
	names   names
	policy  strategy.Policy
	threads []strategy.Thread
	route   *strategy.Route
	src     script
	trace   strategy.Trace
}

// replaySelector replays one case. An error is a case that cannot be replayed.
func replaySelector(line []byte) (verdict, error) {
	var c selectorCase
	wrong := decode(line, &c)
	var v verdict
	ops := make([]op, len(c.Ops))
	var r selectorReplay
	for i := range ops { // to the last, for the number of decisions
		if err := decode(c.Ops[i], &ops[i]); err != nil && wrong == nil {
			wrong = fmt.Errorf("case %d op %d: %w", c.Case, i, err)
		}
		if len(ops[i].Want) > 0 {
			v.decisions++
		}
		r.collect(&ops[i])
	}
	if wrong != nil {
		return v, wrong
	}
	if v.decisions == 0 {
		return v, fmt.Errorf("case %d holds no decision", c.Case)
	}
	if c.Threads < 0 {
		return v, fmt.Errorf("case %d has %d threads", c.Case, c.Threads)
	}
	profile, err := strategy.Lookup(c.Version)
	if err != nil {
		return v, fmt.Errorf("case %d: %w", c.Case, err)
	}
	v.version = profile.Release
	settings := strategy.DefaultSettings(profile)
	settings.SendLatencyFaultEnable = c.SendLatencyFaultEnable
	settings.StartDetectorEnable = true // detect_round runs a round whether the task is on or not
	settings.LatencyMax = c.LatencyMax
	settings.NotAvailableDuration = c.NotAvailableDuration
	r.policy = strategy.NewRocketMQ(profile, settings, r.names.list)
	r.threads = make([]strategy.Thread, c.Threads)
	for i := range ops {
		problem, err := r.apply(&ops[i])
		if err != nil {
			return v, fmt.Errorf("case %d op %d: %w", c.Case, i, err)
		}
		if problem != "" {
			v.problem = fmt.Sprintf("release %s case %d op %d: %s\n\t%s",
				c.Version, c.Case, i, problem, c.Ops[i])
			return v, nil
		}
		if len(ops[i].Want) > 0 {
			v.reproduced++
		}
	}
	return v, nil
}

// collect numbers the brokers that an op names.
func (r *selectorReplay) collect(o *op) {
	for _, b := range o.Brokers {
		r.names.add(b.Broker)
	}
	if o.LastBroker != nil {
		r.names.add(*o.LastBroker)
	}
	if o.Broker != "" {
		r.names.add(o.Broker)
	}
	if o.Op == "inspect" {
		var want map[string]state
		if decode(o.Want, &want) == nil { // else inspect reports it
			for _, name := range sortedKeys(want) {
				r.names.add(name)
			}
		}
	}
}

// apply replays one op: "" if it agrees, an error if it cannot be replayed.
func (r *selectorReplay) apply(o *op) (problem string, err error) {
	now := base + o.At
	switch o.Op {
	case "route":
		r.route = r.names.route(o.Brokers)
		for i := range r.threads {
			r.threads[i].RouteChanged()
		}
		return "", nil
	case "select":
		return r.choose(now, o)
	case "update":
		r.policy.Ended(now, strategy.Ended{
			Broker:    r.names.of(o.Broker),
			Latency:   o.Latency,
			Isolation: o.Isolation,
			Reachable: o.Reachable == nil || *o.Reachable,
		}, nil)
		return "", nil
	case "remove":
		r.policy.(*strategy.RocketMQ).Remove(r.names.of(o.Broker))
		return "", nil
	case "detect_round":
		named := func(list []string) func(strategy.Broker) bool {
			return func(b strategy.Broker) bool {
				return slices.Contains(list, r.names.name(b))
			}
		}
		strategy.DetectRound(now, r.policy, named(o.Resolvable), named(o.Responding), nil)
		return "", nil
	case "inspect":
		return r.inspect(now, o)
	case "queues":
		return r.queues(o)
	default:
		return "", fmt.Errorf("unknown op %q", o.Op)
	}
}

// choose replays a selectOneMessageQueue.
func (r *selectorReplay) choose(now strategy.Millis, o *op) (string, error) {
	var want queue
	if err := decode(o.Want, &want); err != nil {
		return "", fmt.Errorf("want: %w", err)
	}
	if o.Thread < 0 || o.Thread >= len(r.threads) {
		return "", fmt.Errorf("thread %d of %d", o.Thread, len(r.threads))
	}
	if r.route == nil {
		return "", errors.New("select before route")
	}
	r.src.load(o.draws)
	got, ok := r.policy.Select(now, r.route, &r.threads[o.Thread], &r.src, strategy.Request{
		Last: r.names.ofMaybe(o.LastBroker), ResetIndex: o.ResetIndex,
	}, &r.trace)
	switch {
	case !ok:
		return fmt.Sprintf("want %s, got none", want), nil
	case r.names.queue(got) != want:
		return fmt.Sprintf("want %s, got %s (%s)", want, r.names.queue(got), r.why()), nil
	}
	return r.src.problem(), nil
}

// why puts the trace of the last choice into words.
func (r *selectorReplay) why() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rule %s, index %v", r.trace.Rule, r.trace.Index)
	for _, s := range r.trace.Skipped {
		fmt.Fprintf(&b, "; %s: %s", r.names.queue(s.Queue), s.Why)
	}
	return b.String()
}

// inspect compares the table's answers about brokers.
func (r *selectorReplay) inspect(now strategy.Millis, o *op) (string, error) {
	var want map[string]state
	if err := decode(o.Want, &want); err != nil {
		return "", fmt.Errorf("want: %w", err)
	}
	for _, name := range sortedKeys(want) {
		b, w := r.names.of(name), want[name]
		if got := r.policy.Available(now, b); got != w.Available {
			return fmt.Sprintf("%s: want available %t, got %t", name, w.Available, got), nil
		}
		item, ok := r.policy.Item(b)
		reachable := !ok || item.Reachable
		if w.Reachable != nil && reachable != *w.Reachable {
			return fmt.Sprintf("%s: want reachable %t, got %t", name, *w.Reachable, reachable), nil
		}
	}
	return "", nil
}

// queues compares the queue list.
func (r *selectorReplay) queues(o *op) (string, error) {
	var want []queue
	if err := decode(o.Want, &want); err != nil {
		return "", fmt.Errorf("want: %w", err)
	}
	if r.route == nil {
		return "", errors.New("queues before route")
	}
	got := make([]queue, 0, len(r.route.Queues))
	for _, q := range r.route.Queues {
		got = append(got, r.names.queue(q))
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("want the list %v, got %v", want, got), nil
	}
	return "", nil
}

// sortedKeys are a map's keys in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
