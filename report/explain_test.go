package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"simrun/internal/result"
)

// storyOf is a message to which everything happened that can.
func storyOf(at func() int64) *result.Story {
	step := func(kind string, attempt int, broker string) result.StoryEntry {
		return result.StoryEntry{AtNS: at(), Kind: kind, Attempt: attempt, Broker: broker}
	}
	faulted := func(kind string, attempt int, broker string) result.StoryEntry {
		e := step(kind, attempt, broker)
		e.Faults = []string{"power-cut", "a-second-fault-with-a-long-name"}
		return e
	}
	choice := func(attempt int, broker string, c result.StoryChoice) result.StoryEntry {
		e := step(result.StoryChosen, attempt, broker)
		e.Choice = &c
		e.Source = "MQFaultStrategy.java, selectOneMessageQueue (5.3.3)"
		return e
	}
	update := func(broker string, u result.StoryUpdate) result.StoryEntry {
		e := step(result.StoryUpdated, 0, broker)
		e.Update = &u
		return e
	}
	ms := int64(1e6)
	two := []result.StoryCandidate{{Broker: "a", Queues: 4}, {Broker: "b", Queues: 2}}
	taken := step(result.StoryTaken, 0, "")
	taken.SpanNS = 1500 * ms
	fate := func(from, to string, slaves int) result.StoryEntry {
		e := step(result.StoryFate, 0, "a")
		e.From, e.To, e.N = from, to, slaves
		return e
	}
	with := func(e result.StoryEntry, span int64, n int, outcome string) result.StoryEntry {
		e.SpanNS, e.N, e.Outcome = span, n, outcome
		return e
	}
	late := func(e result.StoryEntry) result.StoryEntry {
		e.Late = true
		return e
	}
	caused := func(e result.StoryEntry) result.StoryEntry {
		e.Cause, e.Faults = "page cache", []string{"power-cut"}
		return e
	}
	answered := int64(9e9)
	return &result.Story{
		Scenario: "everything", Seed: 42, Producer: "orders", Message: 65_316, Messages: 1_000_000,
		Why: "slowest", Instance: 3, Client: "java-5.3.3", Avoidance: true, Threads: 32,
		Phase: "fault.power-cut", ScheduledNS: 0, AnsweredNS: &answered, EndNS: 480e9,
		Copies: 2, Fate: "lost",
		Entries: []result.StoryEntry{
			taken, step(result.StoryRouteAsked, 0, ""), step(result.StoryRouteCame, 0, ""),
			choice(1, "a", result.StoryChoice{
				Made: true, Attempts: 3, Queue: 1, Rule: "pick one at least", Scan: true,
				Index: []int32{110, 111, 112}, ItemIndex: []int32{7}, Picked: "a", Queues: 6,
				Candidates: two, LeftNS: 3000 * ms, TimeoutNS: 3000 * ms,
				Skipped: []result.StorySkipped{
					{
						Rule: "available", Broker: "a", Queues: 4, Why: "isolated", UntilNS: 31_411_300_000,
						AfterNS: 21_411_300_000, After: "TIMEOUT",
					},
					{Rule: "available", Broker: "b", Queues: 2, Why: "last broker, unreachable"},
				},
			}),
			step(result.StoryConnectBegan, 1, "a"), step(result.StoryConnected, 1, "a"),
			with(step(result.StoryWritten, 1, "a"), 1000*ms, 0, ""),
			with(faulted(result.StoryHostSilent, 1, "a"), 200*ms, 0, ""),
			with(faulted(result.StoryHostSilent, 1, "a"), 400*ms, 0, ""),
			faulted(result.StoryHostGone, 1, "a"), faulted(result.StoryProcessGone, 1, "a"),
			step(result.StoryResetCame, 1, "a"), step(result.StoryClosedByReset, 1, "a"),
			with(step(result.StoryEnded, 1, "a"), 1000*ms, 0, "SEND_REQUEST_FAILED"),
			update("a", result.StoryUpdate{
				LatencyNS: 1000 * ms, UsedNS: 10_000 * ms, Bucket: 6, LimitNS: 5000 * ms,
				DurationNS: 10_000 * ms, UntilNS: 31e9, Turned: true,
			}),
			choice(2, "b", result.StoryChoice{
				Made: true, Attempts: 3, Rule: "available", Scan: true, Index: []int32{4}, Queues: 6,
				Candidates: two, LeftNS: 2000 * ms, TimeoutNS: 500 * ms, Removed: "c", Thrown: true,
				Skipped: []result.StorySkipped{{Rule: "available", Broker: "a", Queues: 1, Why: "last broker"}},
			}),
			step(result.StoryConnectJoined, 2, "b"), step(result.StoryConnectRefused, 2, "b"),
			step(result.StoryConnectTimedOut, 2, "b"), step(result.StoryNothingLeft, 2, "b"),
			step(result.StoryNoMaster, 2, "b"), with(step(result.StoryWritten, 2, "b"), 0, 0, ""),
			faulted(result.StoryProcessPaused, 2, "b"), with(step(result.StoryQueued, 2, "b"), 0, 0, ""),
			with(step(result.StoryQueued, 2, "b"), 0, 1, ""),
			with(faulted(result.StoryQueued, 2, "b"), 0, 12, ""), faulted(result.StoryAccepted, 2, "b"),
			faulted(result.StoryFrozen, 2, "b"), faulted(result.StoryDropped, 2, "b"),
			step(result.StoryClosedByTimeout, 2, "b"), step(result.StoryClosedByPeer, 2, "b"),
			step(result.StoryLeftByPeer, 2, "b"), step(result.StoryWaitOver, 2, "b"),
			step(result.StoryClosedItself, 2, "b"), step(result.StorySparedConnection, 2, "b"),
			step(result.StoryLeftByReset, 2, "b"), step(result.StoryKeptConnection, 2, "b"),
			step(result.StoryIdleClosed, 2, "b"),
			with(step(result.StoryEnded, 2, "b"), 20*ms, 0, "TIMEOUT"),
			update("b", result.StoryUpdate{
				LatencyNS: 20 * ms, UsedNS: 20 * ms, UntilNS: 31e9, Kept: true, Reachable: true,
			}),
			update("b", result.StoryUpdate{
				LatencyNS: 60 * ms, UsedNS: 60 * ms, Bucket: 1, LimitNS: 50 * ms, Ended: true,
				Reachable: true, Turned: true,
			}),
			choice(3, "b", result.StoryChoice{
				Made: true, Attempts: 3, Rule: "last resort", ResetIndex: true, Index: []int32{-7, -6}, Queues: 6,
				Candidates: two[:1], LeftNS: 1e6, TimeoutNS: 1e6,
			}),
			step(result.StoryAccepted, 3, "b"), with(step(result.StoryStored, 0, "b"), 0, 1, ""),
			fate("never_stored", "at_risk", 0), step(result.StoryAwaitsFsync, 3, "b"),
			step(result.StoryAwaitsSlaves, 3, "b"),
			faulted(result.StoryAwaitsLock, 3, "b"), step(result.StoryAwaitsDisk, 3, "b"),
			with(step(result.StoryRefused, 3, "b"), 0, 0, "time in queue"),
			with(step(result.StoryResponded, 3, "b"), 0, 0, "SEND_OK"),
			step(result.StoryResponseCame, 3, "b"),
			with(step(result.StoryEnded, 3, "b"), 1*ms, 0, "SEND_OK"),
			choice(0, "", result.StoryChoice{
				Attempts: 3, Rule: "reachable", Index: []int32{8}, Queues: 6, LeftNS: -2 * ms,
			}),
			with(step(result.StoryAnswered, 0, ""), 9e9, 3, "SEND_OK"),
			step(result.StoryResponseLate, 1, "a"), with(step(result.StoryStored, 0, "a"), 0, 2, "TIMEOUT"),
			late(with(step(result.StoryStored, 0, "a"), 0, 3, "SEND_REQUEST_FAILED")),
			fate("at_risk", "durable", 0), fate("at_risk", "durable", 1), fate("durable", "at_risk", 0),
			fate("durable", "stranded", 1), caused(fate("at_risk", "stranded", 1)),
			fate("at_risk", "lost", 1), caused(fate("at_risk", "lost", 1)),
		},
		Parts: []result.StoryPart{
			{What: result.PartThread, SpanNS: 1500 * ms},
			{What: result.PartRoute, SpanNS: ms},
			{
				What: result.PartAttempt, SpanNS: 1000 * ms, Attempt: 1, Broker: "a",
				Outcome: "SEND_REQUEST_FAILED", ConnectNS: 900 * ms,
			},
			{What: result.PartAttempt, SpanNS: 20 * ms, Attempt: 2, Broker: "b", Outcome: "TIMEOUT"},
		},
	}
}

// Goal: whatever can happen to a message has words, within the width of the page. Method: a golden
// story in which all of it happens.
func TestExplainGolden(t *testing.T) {
	for name, sources := range map[string]bool{"everything": false, "everything-sources": true} {
		now := int64(0)
		s := storyOf(func() int64 { now += 1_234_000; return now })
		var b bytes.Buffer
		if err := Explain(&b, s, TextOptions{}, sources); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "explain", name+".txt"), b.Bytes())
		checkWidth(t, b.String(), 80)
	}
}

func TestExplainUnanswered(t *testing.T) {
	var b bytes.Buffer
	s := &result.Story{Producer: "p", EndNS: 5e9, Fate: "never_stored"}
	if err := Explain(&b, s, TextOptions{}, false); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "explain", "unanswered.txt"), b.Bytes())
}
