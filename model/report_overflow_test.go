package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about how sends are spread over queues.

// nearOverflow is a number whose source begins 219 below the largest int.
const nearOverflow = 39041673

// apache/rocketmq issues 3131 and 5716: a thread's index that passes 2^31-1. No send goes to a queue that
// does not exist, in any release, and none fails; but 4.8.0 stays on two of the nine queues for ever, and
// 4.9.0 to 4.9.3, with the previews of 5.0.0, walk backwards. See also the stories index_overflow,
// negative_queue_id and overflow_inside_the_scan of package strategy.
//
// Source: ThreadLocalIndex, 4.7.1, 4.8.0, 4.9.3, 4.9.4.
func TestIndexOverflowByRelease(t *testing.T) {
	t.Parallel()
	src := sim.NewStream(nearOverflow, drawIndex, 0, 0)
	if v := src.Int32(); v != math.MaxInt32-219 {
		t.Fatalf("the source begins at %d", v)
	}
	for _, release := range strategy.Releases() {
		for _, avoid := range []bool{false, true} {
			cfg := configtest.Small(release, 3)
			cfg.Topics[0].WriteQueueNums = 3
			cfg.Duration = 10 * second
			p := &cfg.Producers[0]
			p.Threads, p.Rate, p.Arrivals = 1, 60, config.Constant
			p.Settings.SendLatencyFaultEnable = avoid
			var log attemptLog
			w := New(cfg, &log)
			w.threads[0].src = sim.NewStream(nearOverflow, drawIndex, 0, 0)
			runTo(t, w, cfg.Duration)
			if n := len(log.failed()); n > 0 || len(log.answers) < 599 {
				t.Fatalf("%s: %d of %d sends fail", release, n, len(log.answers))
			}
			steps, used := map[int]int{}, map[int]int{} // behind the overflow
			last := 0
			for i, a := range log.attempts {
				at := int(a.Queue.Broker)*3 + int(a.Queue.ID)
				if a.Queue.ID < 0 || a.Queue.ID > 2 || a.Queue.Broker < 0 || a.Queue.Broker > 2 {
					t.Fatalf("%s: send %d to %+v", release, i, a.Queue)
				}
				if i > 225 {
					steps[(at-last+9)%9]++
					used[at]++
				}
				last = at
			}
			n := len(log.attempts) - 226
			want := map[int]int{1: n}
			switch {
			case release == "4.8.0":
				want = map[int]int{1: n / 2, 8: n - n/2} // to and fro between two neighbours
			case slices.Contains(between("4.9.0", "4.9.3"), release) || strings.HasPrefix(release, "5.0.0-"):
				want = map[int]int{8: n}
			}
			if steps[1] < want[1]-1 || steps[8] < want[8]-1 || (len(used) == 2) != (release == "4.8.0") {
				t.Errorf("%s, avoiding %v: steps %v, want %v; queues used %v", release, avoid, steps, want, used)
			}
		}
	}
}

// client.md §10, 5: to 5.1.3 the walk starts one queue further with each send, so that the first one behind
// a block of b isolated ones of N takes (b+1)/N of what is sent: five of eight, with two brokers of four.
// From 5.1.4 on each queue that is looked at is a step, and the load is even.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 5.1.3 and 5.1.4.
func TestHotSpotBehindAnIsolatedBroker(t *testing.T) {
	t.Parallel()
	for _, release := range strategy.Releases() {
		cfg := configtest.Small(release, 2)
		cfg.Duration = 19 * second
		cfg.Faults = []config.Fault{{
			Name: "kill", Kind: config.Kill, At: 10 * second,
			Targets: []config.Target{{}},
		}}
		p := &cfg.Producers[0]
		p.Threads, p.Rate, p.Arrivals, p.PollNameServerInterval = 1, 100, config.Constant, 10_000*sim.Hour
		p.Settings.SendLatencyFaultEnable = true
		p.Settings.RetryTimesWhenSendFailed = 0 // to 4.7.1 a retry rewrites the list
		var log attemptLog
		runTo(t, New(cfg, &log), cfg.Duration)
		count, all := 0., 0.
		for _, a := range log.attempts {
			if a.Began > sim.Time(11*second) && a.Queue.Broker == 1 {
				all++
				if a.Queue.ID == 0 {
					count++
				}
			}
		}
		want := 5. / 8
		if resetsIndex(release) {
			want = 1. / 4
		}
		if share := count / all; all < 790 || share < want-0.01 || share > want+0.01 {
			t.Errorf("%s: the first queue has %.3f of %g sends, want %.3f", release, share, all, want)
		}
	}
}
