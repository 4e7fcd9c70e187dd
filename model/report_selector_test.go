package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about which queue a retry gets, and what the client says of its choice.

// decisions are the choices for one message, "b00-0 available": the queue, and the rule that chose it.
type decisions struct{ list []string }

func (d *decisions) Chosen(c *Choice) {
	q := c.Attempt.Queue
	if c.Made {
		d.list = append(d.list, fmt.Sprintf("%c%d %v", 'a'+rune(q.Broker), q.ID, c.Why.Rule))
	}
}
func (d *decisions) Stepped(*Step)        {}
func (d *decisions) Updated(*TableUpdate) {}

// decided plays a story in a release and says how the queues of a message were chosen.
func (s *wireStory) decided(t *testing.T, release string, message uint64, until sim.Duration) string {
	t.Helper()
	var d decisions
	w := s.begin(t, release, until, func(*config.Config) Observer { return nil })
	w.Trace(0, message, &d)
	runTo(t, w, until)
	return strings.Join(d.list, ", ")
}

// checkDecisions compares the choices for a message of a story in some releases.
func (s *wireStory) checkDecisions(t *testing.T, releases []string, message uint64, want string) {
	t.Helper()
	for _, release := range releases {
		if got := s.decided(t, release, message, 30*second); got != want {
			t.Errorf("%s: %s, want %s", release, got, want)
		}
	}
}

// avoidanceStory is a story with n brokers, one queue on each, and fault avoidance.
func avoidanceStory(n int) wireStory {
	s := releaseStory(n, 2, 3000)
	s.cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	return s
}

// apache/rocketmq issues 1576, 2358, 2204 and 4139: a retry is forced onto the broker that just failed, or
// takes pickOneAtLeast's though healthy queues exist. To 4.7.1 a retry accepts only queues of the broker
// that failed; an error or a refusal has isolated that, so nothing is left but pickOneAtLeast, which knows
// the brokers that have been sent to: the failing one alone as long as the table is cold, the better one
// as soon as another was used. From 4.8.0 on a retry finds the next available queue.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.7.1, 4.8.0, 5.1.1, 5.1.4.
func TestRetryAfterAnErrorByRelease(t *testing.T) {
	t.Parallel()
	// refused, and answered with an error (14)
	for _, kind := range []config.FaultKind{config.Kill, config.DiskFull} {
		cold := avoidanceStory(3)
		cold.strikes(kind, 0, second, 0)
		cold.sends = []wireSend{{15 * second, 0}}
		warm := avoidanceStory(3)
		warm.strikes(kind, 0, second, 0)
		warm.sends = []wireSend{{14 * second, 1}, {15 * second, 0}}

		old, later := between("4.0.0", "4.7.1"), between("4.8.0", "5.1.3")
		cold.checkDecisions(t, old, 0, "a0 available, a0 pick one at least, a0 pick one at least")
		warm.checkDecisions(t, old, 1, "a0 available, b0 pick one at least")
		cold.checkDecisions(t, later, 0, "a0 available, b0 available")
		warm.checkDecisions(t, later, 1, "a0 available, b0 available")
		for _, release := range between("5.1.4", "5.3.3") { // a retry starts at a random place
			got := cold.decided(t, release, 0, 30*second)
			if got != "a0 available, b0 available" && got != "a0 available, c0 available" {
				t.Errorf("%s: %s", release, got)
			}
		}
	}
}

// resetsIndex says whether synchronous retries of a release start at a random place.
func resetsIndex(release string) bool { return slices.Contains(between("5.1.4", "5.3.3"), release) }

// Of the same reports: what does not isolate leaves the failing broker available, and there the releases
// show their rule for the last broker. A status that is not SEND_OK, with
// retryAnotherBrokerWhenNotStoreOK, is retried on the same broker to 5.1.0 (to 4.7.1 on no other, until
// 5.1.0 on whatever comes next), from 5.1.1 on another one, always. client.md §1, S4.
func TestRetryAfterAStatusByRelease(t *testing.T) {
	t.Parallel()
	for _, release := range strategy.Releases() {
		cfg := configtest.Small(release, 3)
		for i := range cfg.Brokers {
			cfg.Brokers[i].Release = "4.9.8"
		}
		cfg.Brokers[0].Role, cfg.Brokers[0].SlaveTimeout = config.SyncMaster, 3*second // SLAVE_NOT_AVAILABLE
		cfg.Duration = 20 * second
		p := &cfg.Producers[0]
		p.Threads, p.Rate, p.Arrivals = 1, 50, config.Constant
		p.Settings.SendLatencyFaultEnable, p.Settings.RetryAnotherBrokerWhenNotStoreOK = true, true
		var log attemptLog
		runTo(t, New(cfg, &log), cfg.Duration)
		retries, same := log.retries()
		switch differs := slices.Contains(between("5.1.1", "5.3.3"), release); {
		case retries < 100:
			t.Errorf("%s: only %d retries", release, retries)
		case differs && same > 0:
			t.Errorf("%s: %d of %d retries on the broker that failed", release, same, retries)
		case slices.Contains(between("4.0.0", "4.7.1"), release) && same < retries:
			t.Errorf("%s: %d of %d retries elsewhere", release, retries-same, retries)
		case !differs && same < retries/2:
			t.Errorf("%s: only %d of %d retries on the broker that failed", release, same, retries)
		}
	}
}

// retries counts the attempts behind the first ones, and those on the broker of the attempt before.
func (l *attemptLog) retries() (all, same int) {
	last := map[uint64]strategy.Broker{}
	for i := range l.attempts {
		a := &l.attempts[i]
		if a.Try > 1 {
			all++
			if a.Queue.Broker == last[a.Number] {
				same++
			}
		}
		last[a.Number] = a.Queue.Broker
	}
	return all, same
}

// client.md §11 T7: "sync, A answers an error code, B healthy, cold table: code 1: 4.3.0..4.7.1 FAIL with
// MQClientException[1] (retries stay on A), 4.9.2+ succeed on B. Code 2: thrown as MQBrokerException[2] up
// to 5.2.0, retried on B in 5.3.1/5.3.3; A isolated in every case (600 s / 10 s)". For code 1 stands 14, of
// a full disk: it is retried by the same rule, and given for each retry. Code 2 is a busy page cache's.
func TestErrorCodesOnAColdTableByRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind     config.FaultKind
		releases []string
		want     string
	}{
		{config.DiskFull, between("4.0.0", "4.7.1"), "3 attempts: MQClientException 14"},
		{config.DiskFull, between("4.8.0", "5.3.3"), "2 attempts: SEND_OK"},
		{config.LockHold, between("4.0.0", "5.2.0"), "1 attempts: MQBrokerException"},
		{config.LockHold, between("5.3.0", "5.3.3"), "2 attempts: SEND_OK"},
	} {
		s := avoidanceStory(2)
		s.servers = "4.9.8"
		s.cfg.Brokers[0].PageCacheBusyTimeout = second
		s.strikes(c.kind, 0, second, 0)
		s.sends = []wireSend{{15 * second, 0}}
		for _, release := range c.releases {
			if got := s.told(t, release, 20*second); len(got) != 1 || got[0] != "after 0.00s, "+c.want {
				t.Errorf("%s, %v: %q, want %s", release, c.kind, got, c.want)
			}
			isolated := 600 * second
			if resetsIndex(release) {
				isolated = 10 * second
			}
			o := &isolations{longest: map[int32]sim.Duration{}, first: map[int32]sim.Time{}}
			s.world(t, release, 20*second, func(*config.Config) Observer { return o })
			if got := o.longest[0]; got < isolated-ms || got > isolated+ms || o.longest[1] > 0 {
				t.Errorf("%s, %v: isolated for %v", release, c.kind, o.longest)
			}
		}
	}
}

// apache/rocketmq issue 5197 asks for the broker whose isolation ends first, instead of the one with the
// lowest latency, when all are isolated: a is slow (600 ms) and isolated for 25 s more, b was slower
// (900 ms) and is isolated for 1 s more, but well again. To 5.1.3 all goes to a, whose four threads
// cannot take it; the policy start-time-first takes b.
//
// Source: LatencyFaultToleranceImpl.pickOneAtLeast and FaultItem.compareTo, 5.1.3.
func TestLeastBadOfTwo(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.7.1", "4.9.8", "5.1.3"} {
		for _, policy := range []string{"rocketmq", "start-time-first"} {
			s := avoidanceStory(2)
			s.cfg.Producers[0].Policy = policy
			for b, at := range []sim.Duration{25 * second, second} {
				s.strikes(config.Slow, b, at, 0)
				s.cfg.Faults[b].Factor, s.cfg.Faults[b].Delay = 1, []sim.Duration{600 * ms, 900 * ms}[b]
			}
			s.cfg.Faults[1].Duration = 10 * second
			s.sends = []wireSend{{5 * second, 1}, {29 * second, 0}}
			for i := range sim.Duration(30) { // from 34.9 s: a is isolated to 59.6 s, b to 35.9 s
				s.sends = append(s.sends, wireSend{34900*ms + i*30*ms, 0})
			}
			o := &answers{}
			s.world(t, release, 60*second, func(*config.Config) Observer { return o })
			var mean sim.Duration
			failed, onA := 0, 0
			for _, a := range o.all[2:] {
				mean += a.At.Sub(a.Scheduled) / 30
				if a.Result.Status == strategy.StatusNone {
					failed++
				} else if a.Result.Broker == 0 {
					onA++
				}
			}
			if len(o.all) != 32 {
				t.Fatalf("%s, %s: %d answers", release, policy, len(o.all))
			}
			t.Logf("%s, %s: mean %v, %d failed, %d on a", release, policy, mean, failed, onA)
			if policy == "rocketmq" && (failed < 1 || onA < 20 || mean < 600*ms) {
				t.Errorf("%s: %d of 30 on a, %d failed, %v on average", release, onA, failed, mean)
			}
			if policy != "rocketmq" && (onA+failed > 0 || mean > 2*ms) {
				t.Errorf("%s, %s: %d on a, %d failed, %v on average", release, policy, onA, failed, mean)
			}
		}
	}
}

// apache/rocketmq issue 3985: to 4.9.3 (and in the previews of 5.0.0) ties of pickOneAtLeast fall by
// chance, since it shuffles before it sorts; 4.9.4 to 4.9.8 and 5.0.0 to 5.1.3 leave them in the order of
// the hash map; from 5.1.4 on nobody asks it. The simulator's chance is the seed's: a run again is the
// same, and another random source gives the same choices but for the ties.
//
// Source: LatencyFaultToleranceImpl.pickOneAtLeast, 4.9.3 and 4.9.4.
func TestTiesAreOfTheSeed(t *testing.T) {
	t.Parallel()
	for _, release := range []string{
		"4.0.0", "4.9.3", "4.9.4", "4.9.8", "5.0.0-ALPHA", "5.0.0", "5.1.3", "5.1.4", "5.3.3",
	} {
		picked := map[string]bool{}
		for i := range uint64(8) {
			picked[tieOf(t, release, i)] = true
		}
		if first, again := tieOf(t, release, 0), tieOf(t, release, 0); first != again || !picked[first] {
			t.Fatalf("%s: %s, and again %s", release, first, again)
		}
		want := 1
		if slices.Contains(between("4.0.0", "4.9.3"), release) || strings.HasPrefix(release, "5.0.0-") {
			want = 3
		}
		if len(picked) != want {
			t.Errorf("%s: the ties fell to %v", release, picked)
		}
	}
}

// tieOf is what a send chooses whose thread begins at a with the i-th random source that does, when three
// brokers have failed alike at once.
func tieOf(t *testing.T, release string, i uint64) string {
	s := releaseStory(3, 0, 3000)
	s.cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	for b := range 3 {
		s.strikes(config.Kill, b, second, 0)
		s.sends = append(s.sends, wireSend{2 * second, b})
	}
	s.sends = append(s.sends, wireSend{3 * second, 0})
	var d decisions
	w := s.begin(t, release, 5*second, func(*config.Config) Observer { return nil })
	aimFrom(t, w, 3, 0, i*10_000)
	w.Trace(0, 3, &d)
	runTo(t, w, 5*second)
	return strings.Join(d.list, ", ")
}
