package experiment

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// story runs the scripts in testdata: a world is told to a fold line by line, and looked at.
type story struct {
	cfg  config.Config
	fold *fold
	now  sim.Time
	// What was told of the messages so far, and of the fault tables.
	messages map[string]*model.Answer
	copies   map[string]int32
	fate     map[string]model.Fate
	loss     map[string]model.Loss
	items    map[string]strategy.Item
}

func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		s := &story{}
		datadriven.RunTest(t, path, s.run)
	})
}

func (s *story) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "world":
		// Example:
		//   world duration=100s warmup=10s brokers=2 instances=2
		//   cut power-loss a:0,b:0 at=20s for=30s
		s.world(t, d)
	case "tell":
		// Example: see (*story).tell.
		for line := range strings.Lines(d.Input) {
			s.tell(t, strings.Fields(line))
		}
	case "owners":
		// Which phase owns the instants from when on.
		var b strings.Builder
		for _, ch := range s.fold.cursor.changes {
			fmt.Fprintf(&b, "%v %s", ch.at, s.fold.cursor.phases[ch.phase].Name)
			if ch.begins {
				b.WriteString(" (takes what is in flight)")
			}
			b.WriteByte('\n')
		}
		return b.String()
	case "causes":
		return s.lookAtCauses()
	case "messages":
		return s.lookAtMessages()
	case "availability":
		// The run ends now: how the service looked to callers, by when they were answered.
		s.fold.advance(s.now)
		s.fold.availability.finish(s.now)
		s.fold.endStreaks(s.now)
		return s.lookAtAvailability()
	case "balance":
		return s.lookAtBalance()
	case "judge":
		// The values of metrics, a line each: METRIC [during=all] [broker=b] [fault=cut].
		return s.judge(t, d.Input)
	case "end":
		// The run ends now: what came of the faults.
		s.fold.advance(s.now)
		s.fold.faults.closeAll(s.now)
		s.fold.brokers.settleAll(s.fold.cursor.timeline, s.now)
		return s.lookAtFaults() + s.lookAtBrokers()
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	return ""
}

func (s *story) world(t *testing.T, d *datadriven.TestData) {
	span := func(name string) sim.Duration {
		text := "0s"
		d.MaybeScanArgs(t, name, &text)
		return must(time.ParseDuration(text))
	}
	brokers, instances, role := 2, 1, ""
	d.MaybeScanArgs(t, "role", &role)
	d.MaybeScanArgs(t, "brokers", &brokers)
	d.MaybeScanArgs(t, "instances", &instances)
	s.cfg = testConfig("5.3.3", brokers)
	s.cfg.Duration, s.cfg.Warmup = span("duration"), span("warmup")
	s.cfg.Producers[0].Count = instances
	if role == "SYNC_MASTER" {
		for i := range s.cfg.Brokers {
			s.cfg.Brokers[i].Role = config.SyncMaster
		}
	}
	for line := range strings.Lines(d.Input) {
		s.cfg.Faults = append(s.cfg.Faults, s.parseFault(strings.Fields(line)))
	}
	s.fold = must(newFold(testScenario(s.cfg), sim.Second))
	s.fold.windows.end = sim.Never
	s.messages, s.copies = map[string]*model.Answer{}, map[string]int32{}
	s.fate, s.items = map[string]model.Fate{}, map[string]strategy.Item{}
	s.loss = map[string]model.Loss{}
	s.now = 0
}

func (s *story) parseFault(words []string) config.Fault {
	kinds := map[string]config.FaultKind{
		"power-loss": config.PowerLoss, "kill": config.Kill,
		"slow": config.Slow, "pause": config.Pause, "partition": config.Partition,
		"rolling-restart": config.RollingRestart,
	}
	f := config.Fault{Name: words[0], Kind: kinds[words[1]], Factor: 1}
	for _, address := range strings.Split(words[2], ",") {
		f.Targets = append(f.Targets, s.target(address))
	}
	if to := s.word(words, "to", ""); to != "" {
		f.To = append(f.To, s.target(to))
	}
	f.At = s.arg(words, "at")
	f.Duration = s.arg(words, "for")
	f.Period, f.Down = s.arg(words, "every"), s.arg(words, "down")
	return f
}

// target reads a:0, or p:1, instance 1 of the producers.
func (s *story) target(address string) config.Target {
	name, id, _ := strings.Cut(address, ":")
	if name == "p" {
		return config.Target{Kind: config.ProducerTarget, ID: must(strconv.Atoi(id))}
	}
	return config.Target{Index: s.broker(name), ID: must(strconv.Atoi(id))}
}

func (s *story) broker(name string) int { return int(name[0] - 'a') }

// arg is the duration of an argument name=value, 0 if it is not there.
func (s *story) arg(words []string, name string) sim.Duration {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return must(time.ParseDuration(value))
		}
	}
	return 0
}

// tell tells one line, "TIME WHAT WHO …":
//
//	10s send m1 from=i2                a message comes into being, at instance 2
//	11s stored m1 on=b after=TIMEOUT   a copy is stored; a further one after an attempt that ended so
//	11s late m1 on=a after=TIMEOUT     a copy of that attempt is stored after that of the retry
//	12s fate m1 lost by=cut on=a       its fate changes; what took it, if it was taken
//	13s ok m1 attempts=2               its caller has the answer: ok, status or failed
//	13s fail i0 a began=10s            an attempt of instance 0 to broker a failed
//	13s done i0 a began=10s queue=3    an attempt did not, to queue 3 (refused=yes: the table did)
//	13s isolate i0 a took=3s until=23s its fault table refuses a broker
//	14s clear i0 a                     it no longer does
//	14s probe i0 a began=11s           its detector has asked a broker, in vain (answered=yes: it answered)
//	20s route i0 b                     its publish list has broker b only
//	20s strike cut a:0                 a fault strikes a process
//	30s let-go cut a:0                 it lets go
//	35s started a:0                    the process serves again
//	30s lost cut a:0 1000              bytes are lost
func (s *story) tell(t *testing.T, w []string) {
	s.now = sim.Time(must(time.ParseDuration(w[0])))
	switch w[1] {
	case "send", "stored", "late", "fate", "ok", "status", "failed":
		s.tellMessage(w)
	case "fail", "done":
		a := &model.Attempt{Began: sim.Time(s.arg(w, "began")), Ended: s.now, Try: 1}
		a.Instance = s.instance(w[2])
		a.Queue.Broker = strategy.Broker(s.broker(w[3]))
		a.Refused = s.word(w, "refused", "") == "yes"
		a.Queue.ID = int32(must(strconv.Atoi(s.word(w, "queue", "0"))))
		if w[1] == "fail" {
			a.Outcome.Kind = strategy.OutcomeTimeout
		}
		s.fold.AttemptEnded(a)
	case "isolate", "clear":
		s.tellTable(w)
	case "probe":
		s.fold.Probed(&model.ProbeEnd{
			Began: sim.Time(s.arg(w, "began")), At: s.now, Instance: s.instance(w[2]),
			Broker: int32(s.broker(w[3])), Answered: s.word(w, "answered", "") == "yes",
		})
	case "route":
		r := &model.RouteChange{At: s.now, Instance: s.instance(w[2])}
		r.Brokers = make([]bool, len(s.cfg.Brokers))
		for _, b := range w[3:] {
			r.Brokers[s.broker(b)] = true
		}
		s.fold.RouteChanged(r)
	case "strike", "let-go", "lost":
		p := &model.ProcessEvent{At: s.now, What: model.FaultEnded, Target: s.target(w[3])}
		if w[1] == "strike" {
			p.What = model.FaultBegan
		}
		for i := range s.cfg.Faults {
			if s.cfg.Faults[i].Name == w[2] {
				p.Fault = int32(i)
			}
		}
		if w[1] == "lost" {
			p.What, p.Bytes = model.BytesLost, int64(must(strconv.Atoi(w[4])))
		}
		s.fold.Process(p)
	case "started":
		s.fold.Process(&model.ProcessEvent{
			At: s.now, What: model.Started, Target: s.target(w[2]), Fault: -1,
		})
	default:
		t.Fatalf("unknown event %q", w[1])
	}
}

func (s *story) instance(word string) int32 { return int32(must(strconv.Atoi(word[1:]))) }

func (s *story) tellMessage(w []string) {
	name := w[2]
	if w[1] == "send" {
		m := model.Message{Number: uint64(len(s.messages)), Scheduled: s.now}
		m.Instance = s.instance(s.word(w, "from", "i0"))
		s.messages[name] = &model.Answer{Message: m}
		s.fold.Scheduled(&m)
		return
	}
	a := s.messages[name]
	switch w[1] {
	case "stored", "late":
		s.copies[name]++
		c := &model.Copy{
			Message: a.Message, Number: s.copies[name], At: s.now, Late: w[1] == "late",
			Broker: int32(s.broker(s.word(w, "on", "a"))),
		}
		for c.GaveUp.String() != s.word(w, "after", "SEND_OK") {
			c.GaveUp++
		}
		s.fold.CopyStored(c)
	case "fate":
		to := map[string]model.Fate{
			"at-risk": model.AtRisk, "durable": model.Durable,
			"stranded": model.Stranded, "lost": model.Lost,
		}[w[3]]
		s.fold.FateChanged(&model.FateChange{
			Message: a.Message, At: s.now, From: s.fate[name], To: to,
			Answered: a.AnsweredAt > 0, OK: a.Result.Status > 0, Attempts: a.Attempts,
			Status: a.Result.Status,
			Loss:   s.lossOf(w), Was: s.loss[name],
		})
		s.fate[name], s.loss[name] = to, s.lossOf(w)
	default:
		a.At, a.AnsweredAt, a.Fate, a.Copies = s.now, s.now, s.fate[name], s.copies[name]
		a.Began = a.Scheduled
		a.Loss = s.loss[name]
		a.Attempts = 1
		if len(w) > 3 {
			a.Attempts = int32(must(strconv.Atoi(strings.TrimPrefix(w[3], "attempts="))))
		}
		switch w[1] {
		case "ok":
			a.Result.Status = strategy.StatusSendOK
		case "status":
			a.Result.Status = strategy.StatusFlushDiskTimeout
		default:
			a.Result.Exception = strategy.MQClientException
		}
		s.fold.Answered(a)
	}
}

// word is the argument name=value, or a default.
func (s *story) word(words []string, name, def string) string {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value
		}
	}
	return def
}

// lossOf reads the arguments by=FAULT and on=BROKER.
func (s *story) lossOf(w []string) model.Loss {
	by := s.word(w, "by", "")
	for i := range s.cfg.Faults {
		if s.cfg.Faults[i].Name == by {
			return model.Loss{
				Cause: model.PageCacheLost, Fault: int32(i), Broker: int32(s.broker(s.word(w, "on", "a"))),
			}
		}
	}
	return model.Loss{}
}

func (s *story) lookAtCauses() string {
	var b strings.Builder
	for _, l := range s.fold.causes.lossResults(&s.cfg) {
		fmt.Fprintf(&b, "%s took %d from the %s of %s, %d acked: %s, %v to %v\n", l.Fault, l.N, l.Cause,
			l.Broker, l.Acked, l.Fate, sim.Time(l.FirstNS), sim.Time(l.LastNS))
	}
	for _, x := range s.fold.causes.extraResults(&s.cfg) {
		how := "retry after"
		if x.Late {
			how = "late, given up after"
		}
		fmt.Fprintf(&b, "%d extra on %s: %s %s\n", x.N, x.Broker, how, x.GaveUp)
	}
	return b.String()
}

func (s *story) tellTable(w []string) {
	key := w[2] + w[3]
	before, known := s.items[key]
	c := &model.TableChange{
		At: s.now, Instance: s.instance(w[2]), Broker: int32(s.broker(w[3])),
		Before: before, Known: known, Until: s.now,
	}
	if w[1] == "isolate" {
		c.Until = sim.Time(s.arg(w, "until"))
	}
	c.After = strategy.Item{
		Latency: strategy.Millis(s.arg(w, "took") / sim.Millisecond),
		Start:   strategy.Millis(c.Until / sim.Time(sim.Millisecond)),
	}
	s.items[key] = c.After
	s.fold.TableChanged(c)
}

func (s *story) lookAtMessages() string {
	var b strings.Builder
	for _, st := range s.fold.stats() {
		if st.Dim != result.DimAll || st.Messages == 0 && st.Phase != result.PhaseAll {
			continue
		}
		fmt.Fprintf(&b, "%s: %d messages", st.Phase, st.Messages)
		for _, c := range []result.Count{
			{Name: "ok", N: st.OK},
			{Name: "at first", N: st.OKFirst},
			{Name: "other status", N: st.OKStatus},
			{Name: "failed", N: st.Failed},
			{Name: "in flight", N: st.InFlight},
			{Name: "first failed", N: st.FirstFailed},
			{Name: "attempts", N: st.Attempts},
			{Name: "never stored", N: st.NeverStored},
			{Name: "at risk", N: st.AtRisk},
			{Name: "durable", N: st.Durable},
			{Name: "stranded", N: st.Stranded},
			{Name: "lost", N: st.Lost},
			{Name: "acked, then lost", N: st.AckedLost},
			{Name: "failed, yet stored", N: st.FailedStored},
			{Name: "extra copies", N: st.ExtraCopies},
		} {
			if c.N != 0 {
				fmt.Fprintf(&b, ", %d %s", c.N, c.Name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *story) lookAtFaults() string {
	var b strings.Builder
	for _, f := range s.fold.faults.results(s.now) {
		if !f.Began {
			fmt.Fprintf(&b, "%s has not begun\n", f.Name)
			continue
		}
		for _, e := range f.Effects {
			fmt.Fprintf(&b, "%s on %s: detect %s; avoid %s; route gone %s; return %s",
				f.Name, e.Broker, spreadText(e.Detect), spreadText(e.Avoid), spreadText(e.RouteGone),
				spreadText(e.Return))
			fmt.Fprintf(&b, "; %d failed attempts; %d bytes lost", e.FailedAttempts, e.BytesLost)
			if e.Attempts > e.FailedAttempts {
				fmt.Fprintf(&b, "; %d attempts", e.Attempts)
			}
			if f.Spans != nil {
				fmt.Fprintf(&b, "; %d strikes, %v", e.Strikes, ns(e.HeldNS))
			}
			b.WriteByte('\n')
		}
		if f.Spans != nil {
			fmt.Fprintf(&b, "%s (%s): %d strikes, %v: %v\n", f.Name, f.Detail, f.Strikes, ns(f.HeldNS), f.Spans)
			if f.DownNS > 0 {
				fmt.Fprintf(&b, "down for %v: %v\n", ns(f.DownNS), f.Downs)
			}
		}
	}
	return b.String()
}

func spreadText(s result.Spread) string {
	text := fmt.Sprintf("%d/%d", s.Reached, s.Instances)
	if s.MedianNS != nil {
		text += fmt.Sprintf(" median %v", ns(*s.MedianNS))
	}
	if s.MaxNS != nil {
		text += fmt.Sprintf(" last %v", ns(*s.MaxNS))
	}
	return text
}

func (s *story) lookAtBrokers() string {
	var b strings.Builder
	for _, r := range s.fold.brokerStats() {
		if r.Attempts == 0 && r.AvoidedNS == 0 || r.Phase == result.PhaseAll {
			continue
		}
		fmt.Fprintf(&b, "%s, broker %s: %d attempts (%.0f%%), %d failed, %d isolations, %d false, avoided %v\n",
			r.Phase, r.Name, r.Attempts, 100*r.Share, r.Failed, r.Isolations, r.False, ns(r.AvoidedNS))
	}
	return b.String()
}
