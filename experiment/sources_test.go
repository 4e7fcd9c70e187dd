package experiment

import (
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/strategy"
)

// noRule are the kinds of entries that state no rule of RocketMQ: what callers do, what the network and its
// hosts do, what a process is at, and what follows from another entry.
var noRule = []string{
	result.StoryTaken, result.StorySendsAgain, // callers
	result.StoryConnected, result.StoryWritten, result.StoryResponded, result.StoryResponseCame,
	result.StoryEnded, // what follows is told
	result.StoryHostSilent, result.StoryHostGone, result.StoryRequestMissed, result.StoryResponseMissed,
	result.StoryProcessGone, result.StoryResetCame, // TCP
	result.StoryProcessPaused, result.StoryAccepted, result.StoryFrozen, result.StoryDropped,
	result.StoryAwaitsDisk, // processes and disks
	result.StoryFate,       // bytes
}

// onlyGo and onlyJava are the rules that one of the clients has.
var (
	onlyGo = []string{result.StoryAwaitsDial, result.StoryWriteFailed}
	inGo   = []string{
		result.StoryRouteAsked, result.StoryRouteMissed, result.StoryNoMaster, result.StoryConnectBegan,
		result.StoryConnectRefused, result.StoryConnectTimedOut, result.StoryWaitOver,
		result.StoryKeptConnection, result.StorySparedConnection, result.StoryClosedByReset,
		result.StoryClosedByPeer, result.StoryLeftByPeer, result.StoryLeftByReset, result.StoryAnswered,
	}
)

// Goal: "the source of each rule on request": an entry states a rule of RocketMQ and says where that is, or
// it is in the list of those that state none. Method: all kinds there are, for every release of the clients
// and every way to send.
func TestEveryRuleHasItsSource(t *testing.T) {
	kinds := append(slices.Clone(stepKinds[:]), result.StoryUpdated, result.StoryEnded, result.StoryStored,
		result.StoryFate, result.StoryAnswered)
	if len(kinds) < 50 {
		t.Fatalf("only %d kinds", len(kinds))
	}
	for _, release := range strategy.Releases() {
		for _, mode := range []config.SendMode{config.Sync, config.Async, config.OneWay} {
			s := tellerOf(release, config.JavaClient, mode)
			for _, kind := range kinds {
				where := s.source(&result.StoryEntry{Kind: kind, Broker: "a"})
				rule := !slices.Contains(noRule, kind) && !slices.Contains(onlyGo, kind)
				if rule != (where != "") {
					t.Errorf("%s, mode %v, %s: source %q", release, mode, kind, where)
				}
				if rule && !strings.Contains(where, ".java") || strings.Contains(where, "\n") {
					t.Errorf("%s, %s: %q names no file", release, kind, where)
				}
			}
			checkChoices(t, s, ".java")
		}
	}
	for _, release := range strategy.GoReleases() {
		s := tellerOf(release, config.GoClient, config.Sync)
		for _, kind := range append(slices.Clone(inGo), onlyGo...) {
			if where := s.source(&result.StoryEntry{Kind: kind, Broker: "a"}); !strings.Contains(where, ".go") {
				t.Errorf("Go %s, %s: source %q", release, kind, where)
			}
		}
		checkChoices(t, s, ".go")
	}
}

// checkChoices checks the sources of every rule that can choose a queue, and of the route.
func checkChoices(t *testing.T, s *storyteller, file string) {
	t.Helper()
	for rule := strategy.RuleRoundRobin; rule <= strategy.RuleLastResort; rule++ {
		for attempt := 1; attempt <= 2; attempt++ {
			if where := s.choiceSource(rule, attempt); !strings.Contains(where, file) {
				t.Errorf("%s, %v, attempt %d: source %q", s.story.Client, rule, attempt, where)
			}
		}
	}
	if where := s.routeSource(); !strings.Contains(where, file) {
		t.Errorf("%s: the route is from %q", s.story.Client, where)
	}
	for _, choice := range []config.QueueChoice{
		config.ChooseQueue, config.ChooseByHash, config.ChooseByRandom, config.ChooseByMachineRoom,
	} {
		s.group().Choice = choice
		if where := s.choiceSource(strategy.RuleCaller, 1); !strings.Contains(where, file) {
			t.Errorf("%s, choice %v: source %q", s.story.Client, choice, where)
		}
	}
	s.group().Choice = config.ChooseByPolicy
}

// tellerOf tells of messages of a client.
func tellerOf(release string, client config.Client, mode config.SendMode) *storyteller {
	cfg := testConfig("5.3.3", 1)
	g := &cfg.Producers[0]
	g.Release, g.Client, g.Mode = release, client, mode
	sc := testScenario(cfg)
	sc.Setup.Producers = []result.SetupProducer{{Policy: "rocketmq"}}
	return newStoryteller(sc, Pick{}, nil)
}
