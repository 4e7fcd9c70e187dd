package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// TestWireStories runs the scripts of testdata/wire: a few messages, faults at exact times,
// constant delays, and what the caller's client sees of it, attempt by attempt. Each story runs in
// every modelled release; the output is printed once if they agree, under their names if they do
// not.
//
// The commands are the cases of wireStory.command.
func TestWireStories(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/wire", func(t *testing.T, path string) {
		var s wireStory
		datadriven.RunTest(t, path, s.command)
	})
}

// wireStory is a script: a cluster, its faults, the messages, and the worlds that play it.
type wireStory struct {
	cfg   config.Config
	sends []wireSend
	beats []sim.Duration
	// servers is the release of brokers and name servers, "" for the client's.
	servers string
	// releases are those of the client that the story is about, testReleases if there are none.
	releases []string
	// changes are made to the world before the story begins.
	changes []func(*World)
}

// wireSend is a message that the caller sends at a time; the client's first choice is the broker
// `to`.
type wireSend struct {
	at sim.Duration
	to int
}

func (s *wireStory) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "cluster":
		// cluster a b [key=value …]
		//
		// Brokers with one queue each and a producer that knows them all, with avoidance off. Its clock
		// ticks at whole milliseconds of the story. Heartbeats and route polls are out of the way.
		// The keys are the cases of set.
		s.cluster(t, d)
	case "fault":
		// fault kill a [b …] at=1s [for=10s] [key=value …]
		//
		// The targets are brokers, p for the producer, n for the name server; a.1 is a slave of a. The
		// keys are the cases of setFault.
		s.fault(t, d)
	case "host":
		// host h a n [p]
		//
		// A machine that runs several processes, named as the targets of faults.
		h := config.Host{Name: d.CmdArgs[0].Key}
		for _, a := range d.CmdArgs[1:] {
			h.Runs = append(h.Runs, s.target(t, a.Key))
		}
		s.cfg.Hosts = append(s.cfg.Hosts, h)
	case "send":
		// send to=a at=1s [and=(1.5s,2s)]
		//
		// Each message is sent by a thread of its own.
		to := s.broker(t, argument(t, d, "to"))
		s.sends = append(s.sends, wireSend{duration(t, argument(t, d, "at")), to})
		for _, a := range d.CmdArgs {
			for _, at := range a.Vals {
				if a.Key == "and" {
					s.sends = append(s.sends, wireSend{duration(t, at), to})
				}
			}
		}
	case "heartbeat":
		// heartbeat at=1s
		//
		// A round of heartbeats to all masters.
		s.beats = append(s.beats, duration(t, argument(t, d, "at")))
	case "forget", "disconnect":
		// forget a; disconnect a
		//
		// The client has no address of the broker, or no connection to it, when the story begins.
		b, forget := int32(s.broker(t, d.CmdArgs[0].Key)), d.Cmd == "forget"
		s.changes = append(s.changes, func(w *World) {
			if forget {
				w.masters[w.channelOf(0, b)] = false
			} else {
				w.chans[w.channelOf(0, b)].state = channelClosed
			}
		})
	case "run":
		// run for=10s
		//
		// Prints what happens, then the state of each channel.
		return s.run(t, duration(t, argument(t, d, "for")))
	default:
		d.Fatalf(t, "unknown command")
	}
	return ""
}

func (s *wireStory) cluster(t *testing.T, d *datadriven.TestData) {
	const never = 10_000 * sim.Hour
	*s = wireStory{cfg: configtest.Small(testReleases[0], 0)}
	s.cfg.Topics[0].WriteQueueNums = 1
	p := &s.cfg.Producers[0]
	p.Rate = 1e-9 // the script sends
	p.PollNameServerInterval, p.HeartbeatBrokerInterval = never, never
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 {
			b := configtest.Small(testReleases[0], 1).Brokers[0]
			b.Name = a.Key
			s.cfg.Brokers = append(s.cfg.Brokers, b)
			continue
		}
		if a.Key == "in" {
			for _, span := range a.Vals {
				first, last, isSpan := strings.Cut(span, "..")
				if !isSpan {
					last = first
				}
				s.releases = append(s.releases, between(first, last)...)
			}
			continue
		}
		s.set(t, a.Key, a.Vals[0])
	}
}

// set changes the cluster.
func (s *wireStory) set(t *testing.T, key, value string) {
	p := &s.cfg.Producers[0]
	switch key {
	case "mode": // async or oneway
		p.Mode = config.SendMode(slices.Index(config.SendModes(), value))
	case "choice": // hash, random, …
		p.Choice = config.QueueChoice(slices.Index(config.QueueChoices(), value))
	case "queue": // of the caller's choice
		p.Choice, p.Queue = config.ChooseQueue, config.QueueName{Broker: value[:1], ID: int(value[1] - '0')}
	case "permits": // backPressureForAsyncSendNum
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		p.Remoting.Backpressure, p.Remoting.BackpressureNum = true, n
	case "callbacks": // threads that run callbacks begin at this broker
		s.changes = append(s.changes, func(w *World) {
			pool := &w.insts[0].async.callbacks
			for i := range pool.idle.len() {
				aim(t, w, *pool.idle.at(i), strategy.Broker(s.broker(t, value)))
			}
		})
	case "cores": // processors of the client, 4
		p.Remoting.Cores = int(value[0] - '0')
	case "threads": // of the caller, 64
		p.Threads = int(value[0] - '0')
	case "servers": // the release of brokers and name servers, the client's own
		s.servers = value
	case "timeout": // sendMsgTimeout in ms, 3000
		p.Settings.SendMsgTimeout = strategy.Millis(duration(t, value) / sim.Millisecond)
	case "retries": // retryTimesWhenSendFailed, 2
		p.Settings.RetryTimesWhenSendFailed = int(value[0] - '0')
		p.Settings.RetryTimesWhenSendAsyncFailed = int(value[0] - '0')
	case "wakeup": // how late timed waits wake, 1 ms
		p.TimerWakeup = must(sim.Constant(duration(t, value)))
	case "latency": // of the wire, one way, 100 µs
		s.cfg.Network.Latency = must(sim.Constant(duration(t, value)))
	case "avoidance":
		p.Settings.SendLatencyFaultEnable = value == "on"
	case "service": // of every broker, 400 µs
		for i := range s.cfg.Brokers {
			s.cfg.Brokers[i].Service = must(sim.Constant(duration(t, value)))
		}
	default:
		t.Fatalf("unknown key %s", key)
	}
}

func (s *wireStory) fault(t *testing.T, d *datadriven.TestData) {
	kind := slices.Index(config.FaultKinds(), d.CmdArgs[0].Key)
	if kind < 0 {
		d.Fatalf(t, "unknown fault")
	}
	f := config.Fault{Name: d.CmdArgs[0].Key, Kind: config.FaultKind(kind), Factor: 1}
	for _, a := range d.CmdArgs[1:] {
		if len(a.Vals) == 0 && a.Key != "one-way" {
			f.Targets = append(f.Targets, s.target(t, a.Key))
			continue
		}
		s.setFault(t, &f, a)
	}
	s.cfg.Faults = append(s.cfg.Faults, f)
}

func (s *wireStory) setFault(t *testing.T, f *config.Fault, a datadriven.CmdArg) {
	switch a.Key {
	case "at":
		f.At = duration(t, a.Vals[0])
	case "for":
		f.Duration = duration(t, a.Vals[0])
	case "delay": // of slow
		f.Delay = duration(t, a.Vals[0])
	case "to": // of faults of the network: the other side
		for _, v := range a.Vals {
			f.To = append(f.To, s.target(t, v))
		}
	case "one-way":
		f.OneWay = true
	case "latency": // of packet-delay
		f.Latency = must(sim.Constant(duration(t, a.Vals[0])))
	case "loss": // of packet-loss
		loss, err := strconv.ParseFloat(a.Vals[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		f.Loss = loss
	default:
		t.Fatalf("unknown key %s", a.Key)
	}
}

// target is the process that a story calls so.
func (s *wireStory) target(t *testing.T, name string) config.Target {
	switch name {
	case "p":
		return config.Target{Kind: config.ProducerTarget}
	case "n":
		return config.Target{Kind: config.NameServerTarget}
	}
	name, id, slave := strings.Cut(name, ".")
	target := config.Target{Index: s.broker(t, name)}
	if slave {
		target.ID = int(id[0] - '0')
	}
	return target
}

func (s *wireStory) broker(t *testing.T, name string) int {
	for b := range s.cfg.Brokers {
		if s.cfg.Brokers[b].Name == name {
			return b
		}
	}
	t.Fatalf("no broker %s", name)
	return 0
}

func argument(t *testing.T, d *datadriven.TestData, key string) string {
	var value string
	d.ScanArgs(t, key, &value)
	return value
}

func duration(t *testing.T, s string) sim.Duration {
	v, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// run plays the story in each release, and prints what happens once for all that agree.
func (s *wireStory) run(t *testing.T, until sim.Duration) string {
	releases := s.releases
	if releases == nil {
		releases = testReleases
	}
	var outputs []string
	who := map[string][]string{}
	for _, release := range releases {
		out := s.play(t, release, until)
		if !slices.Contains(outputs, out) {
			outputs = append(outputs, out)
		}
		who[out] = append(who[out], release)
	}
	if len(outputs) == 1 {
		return outputs[0]
	}
	var told strings.Builder
	for _, out := range outputs {
		fmt.Fprintf(&told, "%s:\n%s", strings.Join(who[out], " "), out)
	}
	return told.String()
}

func (s *wireStory) play(t *testing.T, release string, until sim.Duration) string {
	o := &storyteller{}
	w := s.world(t, release, until, func(cfg *config.Config) Observer {
		o.cfg = cfg
		return o
	})
	fmt.Fprintf(&o.out, "%12s  channels:", "")
	for b := range o.cfg.Brokers {
		state := [...]string{"closed", "connecting", "open"}[w.chans[w.channelOf(0, int32(b))].state]
		fmt.Fprintf(&o.out, " %s %s", o.cfg.Brokers[b].Name, state)
	}
	o.out.WriteString("\n")
	return o.out.String()
}

// world plays the story in a release to its end.
func (s *wireStory) world(
	t *testing.T, release string, until sim.Duration, observer func(*config.Config) Observer,
) *World {
	w := s.begin(t, release, until, observer)
	runTo(t, w, until)
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	return w
}

// begin is the story in a release before it plays.
func (s *wireStory) begin(
	t *testing.T, release string, until sim.Duration, observer func(*config.Config) Observer,
) *World {
	cfg, cluster := s.cfg, cmp.Or(s.servers, release)
	cfg.Duration = until
	cfg.NameServers = []config.NameServer{{Name: "n1", Release: cluster}}
	cfg.Brokers = append([]config.Broker(nil), s.cfg.Brokers...)
	for i := range cfg.Brokers {
		cfg.Brokers[i].Release = cluster
	}
	cfg.Producers = []config.Producer{s.cfg.Producers[0]}
	cfg.Producers[0].Release = release
	w := New(cfg, observer(&cfg))
	w.insts[0].clockPhase = 0
	for _, change := range s.changes {
		change(w)
	}
	for _, at := range s.beats {
		w.eng.At(sim.Time(at), sim.PrioTimer, w.self, evHeartbeat, 0)
	}
	aimed := map[int32]bool{}
	for i, send := range s.sends {
		th := w.insts[0].firstChooser(i, w.groups[0].client.AsyncRuns)
		if !aimed[th] {
			aim(t, w, th, strategy.Broker(send.to))
		}
		aimed[th] = true
		w.eng.At(sim.Time(send.at), sim.PrioArrival, w.self, evArrival, 0)
	}
	return w
}

// firstChooser is the thread that chooses the queue of the i-th message of a story first.
func (in *instance) firstChooser(i int, runs releases.AsyncRuns) int32 {
	var pool *workers
	switch {
	case in.async == nil || runs == releases.RunsInCaller:
		return int32(i)
	case runs == releases.RunsInCallbacks:
		pool = &in.async.callbacks
	default:
		pool = &in.async.senders
	}
	return *pool.idle.at(i % pool.idle.len())
}

// aim gives a thread that never sent a random source that makes it begin at broker b.
func aim(t *testing.T, w *World, thread int32, b strategy.Broker) { aimFrom(t, w, thread, b, 0) }

// aimFrom is aim with one of the sources from a number on.
func aimFrom(t *testing.T, w *World, thread int32, b strategy.Broker, from uint64) {
	for seed := from; seed < from+10_000; seed++ {
		src, scratch := sim.NewStream(seed, drawIndex, 0, 0), strategy.Thread{}
		first := strategy.Request{Last: strategy.NoBroker, Attempt: 1}
		in := &w.insts[0]
		if q, _ := in.policy.Select(0, w.views[0].route, &scratch, &src, first, nil); q.Broker == b {
			w.threads[thread].src = sim.NewStream(seed, drawIndex, 0, 0)
			return
		}
	}
	t.Fatalf("no source begins at broker %d", b)
}

// storyteller writes down what an Observer is told.
type storyteller struct {
	NopObserver
	cfg *config.Config
	out strings.Builder
}

func (o *storyteller) say(at sim.Time, format string, args ...any) {
	fmt.Fprintf(&o.out, "%12v  %s\n", at, fmt.Sprintf(format, args...))
}

func (o *storyteller) name(b int) string { return o.cfg.Brokers[b].Name }

func (o *storyteller) Scheduled(m *Message) {
	o.say(m.Scheduled, "m%d is sent", m.Number+1)
}

func (o *storyteller) AttemptEnded(a *Attempt) {
	o.say(a.Ended, "m%d try %d on %s: %v after %v", a.Number+1, a.Try, o.name(int(a.Queue.Broker)),
		a.Outcome.Kind, a.Ended.Sub(a.Began))
}

func (o *storyteller) CopyStored(c *Copy) {
	extra := ""
	if c.Number > 1 {
		extra = fmt.Sprintf(" of try %d, for a try had ended with %v", c.Try, c.GaveUp)
	}
	if c.Late {
		extra = fmt.Sprintf(" of try %d, late: it had ended with %v", c.Try, c.GaveUp)
	}
	o.say(c.At, "m%d is stored on %s, copy %d%s", c.Message.Number+1, o.name(int(c.Broker)), c.Number,
		extra)
}

func (o *storyteller) FateChanged(f *FateChange) {
	if f.To == Lost {
		o.say(f.At, "m%d is lost", f.Number+1)
	}
}

func (o *storyteller) Answered(a *Answer) {
	r := a.Result
	told := r.Status.String()
	switch {
	case r.Exception == strategy.MQClientException:
		told = fmt.Sprintf("%v %d (%v)", r.Exception, r.Code, r.Cause)
	case r.Status == strategy.StatusNone:
		told = r.Exception.String()
	}
	if a.Callbacks > 1 {
		told += fmt.Sprintf(", called back %d times,", a.Callbacks)
	}
	o.say(a.At, "m%d ends: %s after %v", a.Number+1, told, a.At.Sub(a.Scheduled))
}

func (o *storyteller) TableChanged(c *TableChange) {
	what := "is available"
	switch {
	case c.Until <= c.At && !c.Known:
		return // the first word about a broker, and a good one
	case c.Until > c.At:
		what = fmt.Sprintf("is avoided for %dms", c.After.Start-c.ClockMillis)
	}
	o.say(c.At, "table: %s %s", o.name(int(c.Broker)), what)
}

func (o *storyteller) RouteChanged(r *RouteChange) {
	var names []string
	for b, listed := range r.Brokers {
		if listed {
			names = append(names, o.name(b))
		}
	}
	o.say(r.At, "route: %s", strings.Join(names, " "))
}

func (o *storyteller) Process(p *ProcessEvent) {
	b := strings.TrimSuffix(o.cfg.TargetName(p.Target), ":0")
	switch p.What {
	case FaultBegan:
		o.say(p.At, "%s: %s", b, o.cfg.Faults[p.Fault].Name)
	case FaultEnded:
		o.say(p.At, "%s: %s is over", b, o.cfg.Faults[p.Fault].Name)
	case BytesLost:
		o.say(p.At, "%s loses %d bytes", b, p.Bytes)
	}
}
