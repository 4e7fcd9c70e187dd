package strategy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestStories runs the scripts of testdata/stories: one for each quirk of the releases. Every
// command of a story runs in each of its releases, on producers of their own; the output is printed
// once for all releases that agree, under their names if they do not. So a story pins its range:
// the releases in its title behave as told, and the others beside them do not.
//
// The commands are the cases of fleet.command.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		f := &fleet{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return f.command(t, d)
		})
	})
}

// TestBaselines runs the scripts of testdata/baselines, which tell of the policies that are not
// RocketMQ's, in the same way.
func TestBaselines(t *testing.T) {
	datadriven.Walk(t, "testdata/baselines", func(t *testing.T, path string) {
		f := &fleet{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return f.command(t, d)
		})
	})
}

// fleet is one producer of each release of a story.
type fleet struct {
	releases []string
	ships    []*ship
}

// command runs one command in every release.
func (f *fleet) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "producers":
		// producers in=(4.0.0 - 4.7.1, 5.1.4) [key=value …]
		//
		// Starts a producer of every release of the spans ("all" for all of them), with avoidance
		// on and RocketMQ's policy. For the other arguments see ship.set. Prints the releases.
		return f.start(t, d)
	case "compare":
		// Runs the commands of the input one after the other, in each release, and prints their
		// outputs together.
		return f.each(func(s *ship) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				words := strings.Fields(line)
				out.WriteString(s.command(t, d, words[0], words[1:], ""))
			}
			return out.String()
		})
	default:
		words := make([]string, 0, len(d.CmdArgs))
		for _, a := range d.CmdArgs {
			words = append(words, a.String())
		}
		return f.each(func(s *ship) string { return s.command(t, d, d.Cmd, words, d.Input) })
	}
}

func (f *fleet) start(t *testing.T, d *datadriven.TestData) string {
	f.releases, f.ships = nil, nil
	known := Releases()
	var settings []datadriven.CmdArg
	for _, a := range d.CmdArgs {
		if a.Key != "in" {
			settings = append(settings, a)
			continue
		}
		for _, span := range a.Vals {
			first, last, isSpan := strings.Cut(span, "..")
			switch {
			case span == "all":
				first, last = known[0], known[len(known)-1]
			case !isSpan:
				last = first
			}
			i, j := slices.Index(known, first), slices.Index(known, last)
			if i < 0 || j < i {
				d.Fatalf(t, "no span of releases %q", span)
			}
			f.releases = append(f.releases, known[i:j+1]...)
		}
	}
	for _, release := range f.releases {
		f.ships = append(f.ships, newShip(t, d, release, settings))
	}
	return spans(known, f.releases) + "\n"
}

// each runs a command in every release and groups the releases by what they said.
func (f *fleet) each(run func(*ship) string) string {
	var answers []string
	groups := map[string][]string{}
	for i, s := range f.ships {
		a := run(s)
		if !slices.Contains(answers, a) {
			answers = append(answers, a)
		}
		groups[a] = append(groups[a], f.releases[i])
	}
	if len(answers) == 1 {
		return orOK(answers[0])
	}
	var out strings.Builder
	for _, a := range answers {
		fmt.Fprintf(&out, "%s:\n", spans(Releases(), groups[a]))
		for line := range strings.Lines(orOK(a)) {
			out.WriteString("  " + line)
		}
	}
	return out.String()
}

func orOK(s string) string {
	if s == "" {
		return "ok\n"
	}
	return s
}

// ship is one release's producer, its route and its threads. Brokers are named by single words.
type ship struct {
	profile  Profile
	settings Settings
	names    []string
	policy   Policy
	kind     string // of policy
	route    *Route
	threads  [4]Thread
	loops    [4]Loop
	async    Async
	once     Once
	now      Millis
	draws    []int32 // handed out first
	trace    Trace
}

// storyBrokers are the names that a story may use.
var storyBrokers = []string{"a", "b", "c", "d", "e", "other"}

func newShip(t *testing.T, d *datadriven.TestData, release string, args []datadriven.CmdArg) *ship {
	p, err := Lookup(release)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	s := &ship{
		profile: p, settings: DefaultSettings(p), names: storyBrokers, now: 1_000_000,
		kind: "rocketmq",
	}
	s.settings.SendLatencyFaultEnable = true
	for _, a := range args {
		if err := s.set(a.Key, strings.Join(a.Vals, ",")); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	if s.policy, err = NewPolicy(s.kind, s.profile, s.settings, s.names); err != nil {
		d.Fatalf(t, "%v", err)
	}
	return s
}

// set is an argument of producers: the policy, a setting in snake_case, or a behaviour to override.
func (s *ship) set(key, value string) (err error) {
	switch key {
	case "policy":
		s.kind = value
	case "send_latency_fault_enable":
		s.settings.SendLatencyFaultEnable = value == "true"
	case "start_detector_enable":
		s.settings.StartDetectorEnable = value == "true"
	case "retry_another_broker_when_not_store_ok":
		s.settings.RetryAnotherBrokerWhenNotStoreOK = value == "true"
	case "retry_times_when_send_async_failed":
		s.settings.RetryTimesWhenSendAsyncFailed, err = strconv.Atoi(value)
	case "retry_times_when_send_failed":
		s.settings.RetryTimesWhenSendFailed, err = strconv.Atoi(value)
	case "send_msg_timeout":
		s.settings.SendMsgTimeout, err = parseMillis(value)
	case "send_msg_max_timeout_per_request":
		s.settings.SendMsgMaxTimeoutPerRequest, err = parseMillis(value)
	case "retry_response_codes":
		s.settings.RetryResponseCodes, err = parseCodes(value)
	case "latency_max", "not_available_duration":
		var p Profile
		switch p, err = s.profile.With(key, value); {
		case err != nil:
		case key == "latency_max":
			s.settings.LatencyMax = p.LatencyMax
		default:
			s.settings.NotAvailableDuration = p.NotAvailableDuration
		}
	default:
		s.profile, err = s.profile.With(key, value)
	}
	return err
}

// Int32 is the next draw of the story. Without one, an index starts so that its first value is the
// number of queues: position 0.
func (s *ship) Int32() int32 {
	if len(s.draws) == 0 {
		return int32(len(s.route.Queues)) - 1
	}
	v := s.draws[0]
	s.draws = s.draws[1:]
	return v
}

// Int31n is the next draw of the story for a reset of the index, and keeps the order in a shuffle.
func (s *ship) Int31n(n int32) int32 {
	if n == 1<<31-1 {
		return s.Int32()
	}
	return n - 1
}

// command runs one command and returns what it prints.
func (s *ship) command(
	t *testing.T, d *datadriven.TestData, cmd string, args []string, input string,
) string {
	arg := func(key, otherwise string) string {
		for _, a := range args {
			if k, v, ok := strings.Cut(a, "="); k == key && ok {
				return v
			} else if k == key {
				return "true"
			}
		}
		return otherwise
	}
	switch cmd {
	case "route":
		// route a=4 b=4 c=2:read-only
		//
		// A new route with so many write queues on each broker; every thread starts afresh.
		s.setRoute(t, d, args)
		return ""
	case "draw":
		// draw 5 7: the next random values.
		for _, a := range args {
			v, err := strconv.ParseInt(a, 10, 32)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			s.draws = append(s.draws, int32(v))
		}
		return ""
	case "advance":
		// advance 500ms: lets time pass.
		s.now += millis(t, d, args[0])
		return ""
	case "select":
		// select [last=a] [n=5] [thread=1] [reset] [why]
		//
		// Chooses queues. With why, prints the rule, the index values and the queues skipped.
		return s.choose(t, d, arg)
	case "update":
		// update a 5ms [isolate] [unreachable]: tells that an attempt ended.
		e := Ended{Broker: s.broker(t, d, args[0]), Latency: millis(t, d, args[1])}
		e.Isolation = arg("isolate", "") == "true"
		e.Reachable = arg("unreachable", "") == ""
		s.policy.Ended(s.now, e, &s.trace)
		return s.updated()
	case "probe":
		// probe [gone=(b)] [silent=(a,c)]: one detector round.
		in := func(list string) func(Broker) bool {
			return func(b Broker) bool {
				return !slices.Contains(strings.Split(list, ","), s.names[b])
			}
		}
		DetectRound(s.now, s.policy, in(trim(arg("gone", ""))), in(trim(arg("silent", ""))), nil)
		return s.table()
	case "table":
		// table: prints the fault table, and queues the queue list.
		return s.table()
	case "queues":
		words := make([]string, 0, len(s.route.Queues))
		for _, q := range s.route.Queues {
			words = append(words, s.queue(q))
		}
		return strings.Join(words, " ") + "\n"
	case "send":
		// send [thread=1] [why]
		// connect-failed 3ms
		// ok 5ms
		// ----
		//
		// A whole send; each line is how the next attempt ends, and after what time. A line that
		// begins with a broker is how every attempt on it ends.
		return s.send(t, d, arg, input)
	case "begin":
		// begin [thread=1]: the first attempt of a send, which stays in flight.
		l := s.loop(t, d, arg)
		th := &s.threads[s.thread(t, d, arg)]
		l.Begin(s.now, s.policy, &s.profile, &s.settings, s.route, th, s, &s.trace)
		return s.next(l)
	case "end":
		// end connect-failed [thread=1]: ends the attempt in flight, and begins the next if any.
		l := s.loop(t, d, arg)
		l.Done(s.now, storyOutcome(t, d, args[0]))
		return s.next(l)
	default:
		return s.onceCommand(t, d, cmd, args, arg)
	}
}

func trim(list string) string {
	return strings.ReplaceAll(strings.Trim(list, "()"), " ", "")
}

func (s *ship) thread(
	t *testing.T, d *datadriven.TestData, arg func(key, otherwise string) string,
) int {
	n, err := strconv.Atoi(arg("thread", "0"))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return n
}

func (s *ship) loop(
	t *testing.T, d *datadriven.TestData, arg func(key, otherwise string) string,
) *Loop {
	return &s.loops[s.thread(t, d, arg)]
}

// next prints the next attempt of a send, or what the caller gets.
func (s *ship) next(l *Loop) string {
	if a, more := l.Next(s.now); more {
		return fmt.Sprintf("%s within %s\n", s.queue(a.Queue), formatMillis(a.Timeout))
	}
	return "= " + s.result(l.Result()) + "\n"
}

func (s *ship) setRoute(t *testing.T, d *datadriven.TestData, args []string) {
	var raw []RouteBroker
	for _, a := range args {
		name, count, _ := strings.Cut(a, "=")
		count, readOnly := strings.CutSuffix(count, ":read-only")
		n, err := strconv.Atoi(count)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		raw = append(raw, RouteBroker{s.broker(t, d, name), int32(n), !readOnly})
	}
	s.route = NewRoute(raw)
	for i := range s.threads {
		s.threads[i].RouteChanged()
	}
}

func (s *ship) broker(t *testing.T, d *datadriven.TestData, name string) Broker {
	i := slices.Index(s.names, name)
	if i < 0 {
		d.Fatalf(t, "no broker %q", name)
	}
	return Broker(i)
}

func (s *ship) queue(q Queue) string {
	return s.names[q.Broker] + strconv.Itoa(int(q.ID))
}

func millis(t *testing.T, d *datadriven.TestData, word string) Millis {
	v, err := parseMillis(word)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return v
}

func (s *ship) choose(
	t *testing.T, d *datadriven.TestData, arg func(key, otherwise string) string,
) string {
	n, err := strconv.Atoi(arg("n", "1"))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	thread := s.thread(t, d, arg)
	req := Request{Last: NoBroker, ResetIndex: arg("reset", "") == "true"}
	if last := arg("last", ""); last != "" {
		req.Last = s.broker(t, d, last)
	}
	words := make([]string, 0, n)
	between := " "
	for range n {
		q, ok := s.policy.Select(s.now, s.route, &s.threads[thread], s, req, &s.trace)
		if !ok {
			return "none\n"
		}
		word := s.queue(q)
		if arg("why", "") == "true" {
			word, between = word+" "+s.why(), "\n"
		}
		words = append(words, word)
	}
	return strings.Join(words, between) + "\n"
}

// why prints a trace: the rule and the index values, then a line for each thing worth telling.
func (s *ship) why() string {
	tr := &s.trace
	out := fmt.Sprintf("(%s, index %s", tr.Rule, joinInts(tr.Index))
	if len(tr.ItemIndex) > 0 {
		out += ", item index " + joinInts(tr.ItemIndex)
	}
	if tr.ResetIndex {
		out += ", index reset"
	}
	out += ")"
	tell := func(format string, args ...any) { out += "\n    " + fmt.Sprintf(format, args...) }
	for i := 0; i < len(tr.Skipped); {
		first, j := tr.Skipped[i], i
		var queues []string
		for ; j < len(tr.Skipped) && tr.Skipped[j].Why == first.Why &&
			tr.Skipped[j].Tier == first.Tier; j++ {
			queues = append(queues, s.queue(tr.Skipped[j].Queue))
		}
		tell("%s: not %s: %s", first.Tier, strings.Join(queues, " "), first.Why)
		i = j
	}
	if tr.Picked != NoBroker {
		tell("picked %s", s.names[tr.Picked])
	}
	if tr.Mutated > 0 {
		tell("rewrote entry %d of the list, which was %s", tr.Mutated-1, s.queue(tr.MutatedBefore))
	}
	if tr.Removed != NoBroker {
		tell("dropped the item of %s", s.names[tr.Removed])
	}
	if tr.Thrown {
		tell("exception caught")
	}
	return out
}

func joinInts(v []int32) string {
	return strings.Trim(fmt.Sprint(v), "[]")
}

// updated prints what the last end of an attempt did to the table.
func (s *ship) updated() string {
	u := s.trace.Update
	if !u.Happened {
		return "nothing recorded\n"
	}
	bucket := "below all of latencyMax"
	if u.Bucket > 0 {
		limits, _ := s.settings.table(s.profile)
		bucket = fmt.Sprintf("latencyMax[%d] = %s", u.Bucket-1, formatMillis(limits[u.Bucket-1]))
	}
	return fmt.Sprintf("%s: %s looked up, %s, %s; %s\n", s.names[u.Broker], formatMillis(u.Used),
		bucket, formatMillis(u.Duration), s.item(u.Broker))
}

// item prints a broker's state.
func (s *ship) item(b Broker) string {
	it, ok := s.policy.Item(b)
	if !ok {
		return "no item"
	}
	out := "available"
	if s.now < it.Start {
		out = "isolated for " + formatMillis(it.Start-s.now)
	} else if !s.policy.Available(s.now, b) {
		out = "not available"
	}
	if !it.Reachable {
		out += ", unreachable"
	}
	return out
}

func (s *ship) table() string {
	var out strings.Builder
	for b, name := range s.names {
		if it, ok := s.policy.Item(Broker(b)); ok {
			fmt.Fprintf(&out, "%s: %s, %s\n", name, formatMillis(it.Latency), s.item(Broker(b)))
		}
	}
	if out.Len() == 0 {
		return "empty\n"
	}
	return out.String()
}

// storyOutcomes are the outcomes of a story in its own words; a code follows broker-error.
func storyOutcome(t *testing.T, d *datadriven.TestData, word string) Outcome {
	word, code, _ := strings.Cut(word, ":")
	name := strings.ToUpper(strings.ReplaceAll(word, "-", "_"))
	if name == "OK" {
		name = "SEND_OK"
	}
	i := slices.Index(outcomeNames, name)
	if i < 0 {
		d.Fatalf(t, "no outcome %q", word)
	}
	o := Outcome{Kind: OutcomeKind(i)}
	if code != "" {
		n, err := strconv.Atoi(code)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		o.Code = n
	}
	return o
}

func (s *ship) send(
	t *testing.T, d *datadriven.TestData, arg func(key, otherwise string) string, input string,
) string {
	var out strings.Builder
	began := s.now
	l := s.loop(t, d, arg)
	th := &s.threads[s.thread(t, d, arg)]
	l.Begin(s.now, s.policy, &s.profile, &s.settings, s.route, th, s, &s.trace)
	ends := strings.Split(strings.TrimSpace(input), "\n")
	for a, more := l.Next(s.now); more; a, more = l.Next(s.now) {
		fmt.Fprintf(&out, "%s within %s", s.queue(a.Queue), formatMillis(a.Timeout))
		if arg("why", "") == "true" {
			fmt.Fprintf(&out, " %s", s.why())
		}
		words := s.takeEnd(t, d, &ends, a)
		s.now += millis(t, d, words[1])
		l.Done(s.now, storyOutcome(t, d, words[0]))
		fmt.Fprintf(&out, ": %s after %s\n", words[0], words[1])
	}
	fmt.Fprintf(&out, "= %s after %s\n", s.result(l.Result()), formatMillis(s.now-began))
	return out.String()
}

// takeEnd is how an attempt ends: its broker's line, or the next one. A story has a line for every
// attempt that any of its releases makes; lines left over are not an error.
func (s *ship) takeEnd(t *testing.T, d *datadriven.TestData, ends *[]string, a Attempt) []string {
	for i, line := range *ends {
		words := strings.Fields(line)
		if len(words) == 3 && words[0] == s.names[a.Queue.Broker] {
			return words[1:]
		}
		if len(words) == 2 {
			*ends = slices.Delete(slices.Clone(*ends), i, i+1)
			return words
		}
	}
	d.Fatalf(t, "%s: attempt %d has no line", s.profile.Release, a.Number)
	return nil
}

// result prints what the caller gets.
func (s *ship) result(r Result) string {
	switch {
	case r.Status != StatusNone:
		return r.Status.String() + " from " + s.names[r.Broker]
	case r.Exception == MQClientException && r.Cause != ExceptionNone:
		return fmt.Sprintf("%s %d caused by %s", r.Exception, r.Code, r.Cause)
	case r.Exception == MQClientException || r.Exception == MQBrokerException:
		return fmt.Sprintf("%s %d", r.Exception, r.Code)
	default:
		return r.Exception.String()
	}
}
