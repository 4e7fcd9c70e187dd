package experiment

import (
	"context"
	"runtime/debug"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// Instant is one producer instance at one time.
type Instant struct {
	// Producer is the group, an index into Config.Producers, Instance the number within it.
	Producer, Instance int
	// At is from 0 to the end of the run.
	At sim.Duration
}

// At makes a run again up to an instant and tells what a producer instance knows then: its fault table and
// what put each entry there, its routes, its connections.
//
// The error is *InternalError, or that of ctx.
func At(
	ctx context.Context, sc *scenarios.Scenario, at Instant, opt Options,
) (snap *result.Snapshot, err error) {
	r := &runner{sc: sc, opt: opt}
	l := &lessons{group: int32(at.Producer), instance: int32(at.Instance)}
	l.brokers = make([]lesson, len(sc.Config.Brokers))
	var w *model.World
	r.make = func(cfg config.Config, obs model.Observer) world {
		l.Observer = obs
		w = model.New(cfg, l)
		return w
	}
	defer func() {
		if p := recover(); p != nil {
			snap, err = nil, r.bug(p, debug.Stack())
		}
	}()
	until := sim.Time(at.At)
	if err := r.follow(ctx, func() bool { return r.fold.windows.end > until }); err != nil {
		return nil, err
	}
	if until > w.Now() {
		if err := r.runTo(until); err != nil {
			return nil, r.bug(err, nil)
		}
	}
	r.fold.advance(until)
	s := &snapshooter{storyteller: newStoryteller(sc, Pick{Producer: at.Producer}, r), at: at, lessons: l}
	s.knows = w.Knows(at.Producer, at.Instance)
	s.message.Instance = int32(at.Instance)
	return s.snapshot(), nil
}

// lessons remember what told the fault table of one instance of each broker.
type lessons struct {
	model.Observer
	group, instance int32
	brokers         []lesson
}

// lesson is the attempt to a broker that ended last, the one that the isolation follows from, and what turned
// the flag last; nil if there was none.
type lesson struct{ last, refused, flag *result.SnapshotCause }

// AttemptEnded implements model.Observer.
func (l *lessons) AttemptEnded(a *model.Attempt) {
	l.Observer.AttemptEnded(a)
	if a.Group == l.group && a.Instance == l.instance {
		l.brokers[a.Queue.Broker].last = &result.SnapshotCause{
			AtNS: int64(a.Ended), Message: a.Number, Attempt: int(a.Try), BeganNS: int64(a.Began),
			Outcome: outcomeText(a.Outcome),
		}
	}
}

// TableChanged implements model.Observer.
func (l *lessons) TableChanged(c *model.TableChange) {
	l.Observer.TableChanged(c)
	if c.Group != l.group || c.Instance != l.instance {
		return
	}
	b := &l.brokers[c.Broker]
	why := b.last
	switch {
	case c.Probe:
		why = &result.SnapshotCause{AtNS: int64(c.At), Probe: true, Outcome: strategy.ProbeAnswered.String()}
	case why != nil && why.AtNS != int64(c.At):
		why = nil // the hand-over of an asynchronous send
	}
	if c.After.Start != c.Before.Start {
		b.refused = why
	}
	if c.After.Reachable != c.Before.Reachable {
		b.flag = why
	}
}

// snapshooter writes a snapshot. It has the rules, words and sources of stories.
type snapshooter struct {
	*storyteller
	at      Instant
	lessons *lessons
	knows   model.Knowledge
}

func (s *snapshooter) snapshot() *result.Snapshot {
	cfg, k := &s.sc.Config, &s.knows
	out := &result.Snapshot{
		Scenario: s.sc.Name, Variant: s.sc.Variant, Seed: cfg.Seed, Key: s.sc.Key(), AtNS: int64(s.at.At),
		Phase:    s.sc.Phases[s.run.fold.cursor.phase].Name,
		Producer: s.group().Name, Instance: s.at.Instance, Instances: s.group().Count,
		Client: s.story.Client, Policy: s.policy(), HasTable: k.HasTable, NoTable: s.noTable(),
		ClockMS: int64(k.ClockMillis), Threads: s.group().Threads, Sending: k.Sending, Waiting: k.Waiting,
		NameServer: cfg.NameServers[k.NameServer].Name, RouteSource: s.routeSource(),
	}
	if k.HasTable {
		out.Source = s.source(&result.StoryEntry{Kind: result.StoryUpdated})
	}
	for b := range k.Brokers {
		out.Brokers = append(out.Brokers, s.broker(b))
	}
	for i := range k.Topics {
		out.Topics = append(out.Topics, s.topic(&k.Topics[i]))
	}
	return out
}

// noTable says why the instance keeps no fault table, "" if it does.
func (s *snapshooter) noTable() string {
	switch {
	case s.knows.HasTable:
		return ""
	case s.isGo():
		return "the Go client has none"
	}
	return "sendLatencyFaultEnable is off: nothing is kept"
}

func (s *snapshooter) broker(b int) result.SnapshotBroker {
	k := &s.knows.Brokers[b]
	out := result.SnapshotBroker{
		Broker: s.sc.Config.Brokers[b].Name, Master: k.Master, Connection: k.Connection.String(),
		InFlight: k.InFlight, Faults: append([]string{}, s.faultsOn(int32(b))...),
	}
	if !s.knows.HasTable || !k.Known {
		return out
	}
	l := &s.lessons.brokers[b]
	out.Entry = &result.SnapshotEntry{
		LatencyNS: millis(k.Item.Latency), Reachable: k.Item.Reachable, Available: k.Available,
		Last: l.last, Flag: l.flag,
	}
	if k.Until > sim.Time(s.at.At) {
		until := int64(k.Until)
		out.Entry.UntilNS, out.Entry.Refused = &until, l.refused
	}
	return out
}

func (s *snapshooter) topic(k *model.KnownTopic) result.SnapshotTopic {
	out := result.SnapshotTopic{
		Topic: s.sc.Config.Topics[k.Topic].Name, HasRoute: k.HasRoute, Queues: len(k.Queues),
		Candidates: append([]result.StoryCandidate{}, s.candidates(k.Queues)...),
		Missing:    []result.SnapshotMissing{}, From: []string{},
	}
	for _, e := range k.Entries {
		if e.What != model.RouteLists {
			out.Missing = append(out.Missing, result.SnapshotMissing{
				Broker: s.sc.Config.Brokers[e.Broker].Name, Why: e.What.String(),
			})
		}
	}
	if len(k.Queues) == 0 && s.group().Choice != config.ChooseQueue {
		return out // it asks the name server first
	}
	rule, passes := s.rule(k.Queues)
	for _, q := range k.Queues {
		name := s.sc.Config.Brokers[q.Broker].Name
		if passes(q.Broker) && !slices.Contains(out.From, name) {
			out.From = append(out.From, name)
		}
	}
	out.Rule, out.Source = s.choiceRule(rule), s.choiceSource(rule, 1)
	return out
}

// rule is what the first queue of a send would be chosen by now, and which brokers pass it.
func (s *snapshooter) rule(queues []strategy.Queue) (strategy.Rule, func(strategy.Broker) bool) {
	of := s.knows.Brokers
	all := func(strategy.Broker) bool { return true }
	available := func(b strategy.Broker) bool { return of[b].Available }
	reachable := func(b strategy.Broker) bool { return !of[b].Known || of[b].Item.Reachable }
	some := func(passes func(strategy.Broker) bool) bool {
		return slices.ContainsFunc(queues, func(q strategy.Queue) bool { return passes(q.Broker) })
	}
	switch choice := s.group().Choice; {
	case choice == config.ChooseQueue:
		named := s.group().Queue.Broker
		return strategy.RuleCaller, func(b strategy.Broker) bool { return s.sc.Config.Brokers[b].Name == named }
	case choice != config.ChooseByPolicy:
		return strategy.RuleCaller, all
	case !s.knows.HasTable:
		return strategy.RuleRoundRobin, all
	case some(available):
		return strategy.RuleAvailable, available
	case s.profile.Selection != strategy.SelectionFilters:
		return strategy.RulePickOneAtLeast, func(b strategy.Broker) bool { return of[b].Known }
	case some(reachable):
		return strategy.RuleReachable, reachable
	}
	return strategy.RuleLastResort, all
}
