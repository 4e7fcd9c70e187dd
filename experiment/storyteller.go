package experiment

import (
	"fmt"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// storyteller remembers all that happens to one message of a run.
type storyteller struct {
	sc   *scenarios.Scenario
	pick Pick
	run  *runner
	// isolated are those of the instances of its group, see tellers.
	isolated []isolation

	story   result.Story
	begun   bool
	closed  bool // nothing more can happen to it
	message model.Message
	profile strategy.Profile
	// connecting is when the attempt under way began to wait for a handshake, 0 if it does not;
	// connect is how long it did. asked is when it asked for the route.
	connecting, asked sim.Time
	connect           sim.Duration
	// due is when the send that is next, or on, was meant to begin.
	due sim.Time
}

var _ model.Tracer = (*storyteller)(nil)

func newStoryteller(sc *scenarios.Scenario, pick Pick, run *runner) *storyteller {
	cfg := &sc.Config
	g := &cfg.Producers[pick.Producer]
	setup := &sc.Setup.Producers[pick.Producer]
	s := &storyteller{sc: sc, pick: pick, run: run}
	s.profile, _ = g.Profile() // a valid scenario has one
	s.story = result.Story{
		Scenario: sc.Name, Variant: sc.Variant, Seed: cfg.Seed, Key: sc.Key(),
		Producer: g.Name, Message: pick.Message, Why: string(pick.Why), Client: setup.Client,
		Mode:      g.Mode.String(),
		Avoidance: g.Settings.SendLatencyFaultEnable, Threads: g.Threads,
		EndNS: int64(cfg.Duration), Fate: model.NeverStored.String(),
	}
	if g.Batch > 1 {
		s.story.Batch = g.Batch
	}
	return s
}

// finish closes the story once the run is over, or nothing more can happen to the message.
func (s *storyteller) finish() {
	if s.story.AnsweredNS == nil {
		s.phase(sim.Time(s.sc.Config.Duration))
	}
}

// phase notes the phase that the message belongs to, as seen at a time.
func (s *storyteller) phase(seen sim.Time) {
	i := s.run.fold.cursor.of(s.message.Scheduled, seen)
	s.story.Phase = s.sc.Phases[i].Name
}

// add appends an entry.
func (s *storyteller) add(e result.StoryEntry) {
	if e.Source == "" {
		e.Source = s.source(&e)
	}
	s.story.Entries = append(s.story.Entries, e)
}

func (s *storyteller) broker(b int32) string {
	if b < 0 {
		return ""
	}
	return s.sc.Config.Brokers[b].Name
}

// scheduled is the message coming into being.
func (s *storyteller) scheduled(m *model.Message) {
	s.begun, s.message = true, *m
	s.story.ScheduledNS, s.story.Instance = int64(m.Scheduled), int(m.Instance)
	if len(s.group().Topics) > 1 {
		s.story.Topic = s.sc.Config.Topics[s.run.world.TopicOf(m)].Name
	}
}

// attemptEnded is the end of one of its attempts.
func (s *storyteller) attemptEnded(a *model.Attempt) {
	b, took := s.broker(int32(a.Queue.Broker)), a.Ended.Sub(a.Began)
	s.add(result.StoryEntry{
		AtNS: int64(a.Ended), Kind: result.StoryEnded, Attempt: int(a.Try), Broker: b,
		SpanNS: int64(took), Outcome: outcomeText(a.Outcome),
	})
	s.story.Parts = append(s.story.Parts, result.StoryPart{
		What: result.PartAttempt, SpanNS: int64(took), Attempt: int(a.Try), Broker: b,
		Outcome: outcomeText(a.Outcome), ConnectNS: int64(s.connect),
	})
	s.connect = 0
}

// answered is its caller getting the answer.
func (s *storyteller) answered(a *model.Answer) {
	at := int64(a.At)
	s.story.AnsweredNS = &at
	s.rest(int64(a.At.Sub(a.Scheduled)))
	s.phase(a.At)
	s.add(result.StoryEntry{
		AtNS: at, Kind: result.StoryAnswered, SpanNS: int64(a.At.Sub(a.Scheduled)),
		N: int(a.Attempts), Outcome: resultText(a.Result),
	})
}

// stored is a copy of it in a log.
func (s *storyteller) stored(c *model.Copy) {
	s.story.Copies = int(c.Number)
	e := result.StoryEntry{
		AtNS: int64(c.At), Kind: result.StoryStored, Broker: s.broker(c.Broker), N: int(c.Number),
	}
	if c.Number > 1 {
		e.Outcome, e.Late = c.GaveUp.String(), c.Late
	}
	s.add(e)
}

// fateChanged is a turn of its fate.
func (s *storyteller) fateChanged(c *model.FateChange) {
	s.story.Fate = c.To.String()
	e := result.StoryEntry{
		AtNS: int64(c.At), Kind: result.StoryFate, Broker: s.broker(c.Broker),
		From: c.From.String(), To: c.To.String(), N: s.sc.Config.Brokers[c.Broker].Slaves,
	}
	if c.Loss.Cause != model.NotLost {
		e.Cause = c.Loss.Cause.String()
		if c.Loss.Fault >= 0 {
			e.Faults = []string{s.sc.Config.Faults[c.Loss.Fault].Name}
		}
	}
	s.add(e)
}

// Chosen implements model.Tracer.
func (s *storyteller) Chosen(c *model.Choice) {
	why := c.Why
	choice := &result.StoryChoice{
		Made: c.Made, Attempts: c.Attempts, Queue: int(c.Attempt.Queue.ID),
		Rule: s.choiceRule(why.Rule), Note: s.goNote(c.Attempt.Number),
		Index: slices.Clone(why.Index), ItemIndex: slices.Clone(why.ItemIndex),
		ResetIndex: why.ResetIndex, Thrown: why.Thrown,
		Scan:   len(why.Index) <= len(why.Skipped),
		Picked: s.broker(int32(why.Picked)), Removed: s.broker(int32(why.Removed)),
		Queues: len(c.Route.Queues), Candidates: s.candidates(c.Route.Queues), Skipped: s.skipped(c),
		LeftNS: millis(c.Left), TimeoutNS: millis(c.Attempt.Timeout),
	}
	if why.Mutated > 0 {
		was := why.MutatedBefore
		choice.Rewritten = &result.StoryRewritten{
			Place: why.Mutated - 1, Broker: s.broker(int32(was.Broker)), Queue: int(was.ID),
		}
	}
	e := result.StoryEntry{AtNS: int64(c.At), Kind: result.StoryChosen, Choice: choice}
	if c.Made {
		e.Attempt, e.Broker = c.Attempt.Number, s.broker(int32(c.Attempt.Queue.Broker))
	}
	e.Source = s.choiceSource(why.Rule, c.Attempt.Number)
	s.add(e)
}

// candidates counts queues by broker, in the order of the list.
func (s *storyteller) candidates(queues []strategy.Queue) []result.StoryCandidate {
	var out []result.StoryCandidate
	for _, q := range queues {
		b := s.broker(int32(q.Broker))
		if n := len(out); n > 0 && out[n-1].Broker == b {
			out[n-1].Queues++
			continue
		}
		out = append(out, result.StoryCandidate{Broker: b, Queues: 1})
	}
	return out
}

// skipped folds the queues passed over by rule and broker, in the order in which they were met.
func (s *storyteller) skipped(c *model.Choice) []result.StorySkipped {
	var out []result.StorySkipped
	for _, k := range c.Why.Skipped {
		rule, b := k.Tier.String(), s.broker(int32(k.Queue.Broker))
		i := slices.IndexFunc(out, func(o result.StorySkipped) bool {
			return o.Rule == rule && o.Broker == b
		})
		if i >= 0 {
			out[i].Queues++
			continue
		}
		o := result.StorySkipped{Rule: rule, Broker: b, Queues: 1, Why: k.Why.String()}
		if until := c.Avoided[k.Queue.Broker]; until > 0 {
			o.UntilNS = int64(until)
			item := int(s.message.Instance)*len(s.sc.Config.Brokers) + int(k.Queue.Broker)
			if was := s.isolated[item]; was.until == until {
				o.AfterNS, o.After = int64(was.at), outcomeText(was.outcome)
			}
		}
		out = append(out, o)
	}
	return out
}

// Stepped implements model.Tracer.
func (s *storyteller) Stepped(st *model.Step) {
	e := result.StoryEntry{
		AtNS: int64(st.At), Kind: stepKind(st.What), Attempt: int(st.Try), Broker: s.broker(st.Broker),
		SpanNS: int64(st.Span), N: int(st.N),
	}
	switch st.What {
	case model.Taken:
		s.taken(st, &e)
	case model.SendsAgain:
		s.due = st.At.Add(st.Span)
		s.story.Parts = append(s.story.Parts, result.StoryPart{What: result.PartPause, SpanNS: e.SpanNS})
	case model.RouteAsked:
		s.asked = st.At
	case model.RouteCame, model.RouteMissed:
		s.story.Parts = append(s.story.Parts, result.StoryPart{
			What: result.PartRoute, SpanNS: int64(st.At.Sub(s.asked)),
		})
	case model.ConnectBegan, model.ConnectJoined, model.ConnectsAside:
		s.connecting = st.At
	case model.Connected, model.ConnectRefused, model.ConnectTimedOut:
		s.connect = st.At.Sub(s.connecting)
	case model.Responded, model.NotAnswered:
		e.Outcome = outcomeText(st.Outcome)
	case model.Refused:
		e.Outcome = model.Refusal(st.N).String()
		e.N = 0
		e.Faults = s.faultsOn(st.Broker)
	case model.HostSilent, model.HostGone, model.RequestMissed, model.ResponseMissed,
		model.ProcessGone, model.ProcessPaused, model.Accepted, model.Queued, model.Frozen,
		model.Dropped, model.AwaitsLock, model.AwaitsDisk, model.AwaitsSlaves:
		e.Faults = s.faultsOn(st.Broker)
	default: // nothing more to say
	}
	s.add(e)
}

// taken notes when a thread took the message.
func (s *storyteller) taken(st *model.Step, e *result.StoryEntry) {
	at := int64(st.At)
	if s.story.TakenNS == nil {
		s.story.TakenNS, s.due = &at, s.message.Scheduled
	}
	e.SpanNS = int64(st.At.Sub(s.due))
	if e.SpanNS > 0 {
		s.story.Parts = append(s.story.Parts, result.StoryPart{
			What: result.PartThread, SpanNS: e.SpanNS,
		})
	}
}

// faultsOn names the faults that have their hand on a broker, or on the instance that sends.
func (s *storyteller) faultsOn(broker int32) []string {
	instance := config.Target{
		Kind: config.ProducerTarget, Index: s.pick.Producer, ID: int(s.message.Instance),
	}
	var names []string
	for i := range s.sc.Config.Faults {
		if s.run.fold.faults.holds(i, int(broker), instance) {
			names = append(names, s.sc.Config.Faults[i].Name)
		}
	}
	return names
}

// Updated implements model.Tracer.
func (s *storyteller) Updated(u *model.TableUpdate) {
	out := &result.StoryUpdate{
		LatencyNS: millis(u.After.Latency), UsedNS: millis(u.Used), Bucket: u.Bucket,
		DurationNS: millis(u.Duration), Reachable: u.After.Reachable, New: !u.Known,
		Turned: u.After.Reachable != (u.Before.Reachable || !u.Known),
	}
	if u.Bucket > 0 {
		out.LimitNS = s.sc.Setup.Producers[s.pick.Producer].LatencyMaxNS[u.Bucket-1]
	}
	earlier := u.Until.Add(-sim.Duration(millis(u.After.Start - u.Before.Start)))
	if u.Until > u.At {
		out.UntilNS = int64(u.Until)
		out.Kept = u.Known && u.After.Start == u.Before.Start
	} else {
		out.Ended = u.Known && earlier > u.At
	}
	s.add(result.StoryEntry{
		AtNS: int64(u.At), Kind: result.StoryUpdated, Broker: s.broker(int32(u.Broker)), Update: out,
	})
}

// millis is a client's span in nanoseconds.
func millis(m strategy.Millis) int64 { return int64(m) * int64(sim.Millisecond) }

// outcomeText is how an attempt ended, in RocketMQ's words.
func outcomeText(o strategy.Outcome) string {
	if o.Kind == strategy.OutcomeBrokerError {
		return strategy.CodeName(o.Code)
	}
	return o.Kind.String()
}

// resultText is what the caller got.
func resultText(r strategy.Result) string {
	if r.Status != strategy.StatusNone {
		return r.Status.String()
	}
	text := r.Exception.String()
	if r.Code > 0 {
		text += fmt.Sprintf(", code %d %s", r.Code, strategy.CodeName(r.Code))
	}
	if r.Cause != strategy.ExceptionNone {
		text += ", caused by " + r.Cause.String()
	}
	return text
}
