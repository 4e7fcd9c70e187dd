package model

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// One thread, avoidance off, k of n brokers refuse connections and the route does not say so. The
// client walks round its list of queues, sorted by broker: each send takes the next queue, and each
// retry skips to the first queue of the next broker. So a walk round the list is periodic, and what
// fails in one period is arithmetic:
//
//   - Every queue of a broker that accepts takes exactly one message: (n-k)q of them.
//   - A run of m neighbouring refusing brokers (the list is a circle) is entered at its first
//     queue by one send. With at least m retries it leaves the run on the first healthy queue
//     behind it: one failed first attempt for each run, no failed send. So r/((n-k)q) of the sends
//     meet a refusal, for r runs, where k/n would without retries.
//   - With fewer retries R than m that send fails at broker R+1 of the run, and the next send goes
//     on from there: on the same broker if it has another queue, else on the one behind it.

// walk is a case of that arithmetic.
type walk struct {
	brokers, queues, retries int
	refusing                 []int
}

func (k walk) String() string {
	return fmt.Sprintf("n=%d q=%d retries=%d refusing=%v", k.brokers, k.queues, k.retries, k.refusing)
}

// tally counts sends, and among them those whose first attempt failed and those that failed.
type tally struct{ sends, refused, failed int }

// period is what one walk round the list counts, as derived above.
func (k walk) period() tally {
	if k.retries == 0 {
		return tally{
			sends:   k.brokers * k.queues,
			refused: len(k.refusing) * k.queues, failed: len(k.refusing) * k.queues,
		}
	}
	one := tally{sends: (k.brokers - len(k.refusing)) * k.queues}
	for _, m := range k.runs() {
		// With one queue a failed send takes R+1 brokers of the run away, with more it takes R.
		step, rest := k.retries, m-1
		if k.queues == 1 {
			step, rest = k.retries+1, m
		}
		failed := rest / step
		refused := failed + 1
		if k.queues == 1 && rest%step == 0 {
			refused = failed // the run was used up exactly: no send is left to enter it
		}
		one.refused += refused
		one.failed += failed
		one.sends += failed
	}
	return one
}

// runs are the lengths of the runs of refusing neighbours, with the last broker beside the first.
func (k walk) runs() []int {
	down := make([]bool, k.brokers)
	for _, b := range k.refusing {
		down[b] = true
	}
	var runs []int
	for b := range down {
		if !down[b] || down[(b+k.brokers-1)%k.brokers] {
			continue // not the first of a run
		}
		m := 1
		for down[(b+m)%k.brokers] {
			m++
		}
		runs = append(runs, m)
	}
	return runs
}

// measure runs the walk through the model for a number of periods. It skips the first walk round
// the list, since the random start may lie inside a run; then whole periods are counted, so
// whatever the start is, the counts must be exact.
func (k walk) measure(t testing.TB, release string, seed uint64, periods int) tally {
	one := k.period()
	cfg := configtest.Small(release, k.brokers)
	cfg.Seed = seed
	cfg.Topics[0].WriteQueueNums = k.queues
	f := config.Fault{Name: "kill", Kind: config.Kill}
	for _, b := range k.refusing {
		f.Targets = append(f.Targets, config.Target{Index: b})
	}
	cfg.Faults = []config.Fault{f}
	p := &cfg.Producers[0]
	p.Threads = 1
	p.Rate = 100
	p.Arrivals = config.Constant
	p.PollNameServerInterval = 10_000 * sim.Hour // the route keeps the dead
	p.Settings.RetryTimesWhenSendFailed = k.retries
	skip := k.brokers * k.queues
	obs := &walkObserver{from: skip, to: skip + periods*one.sends}
	// A send that the kill catches in flight may wait for its timeout; those behind it catch up.
	cfg.Duration = sim.Duration(obs.to)*10*sim.Millisecond + 5*sim.Second
	runWorld(t, cfg, obs)
	return obs.tally
}

// walkObserver counts the messages from..to-1.
type walkObserver struct {
	NopObserver
	tally
	from, to int
}

func (o *walkObserver) counts(m *Message) bool {
	return int(m.Number) >= o.from && int(m.Number) < o.to
}

func (o *walkObserver) AttemptEnded(a *Attempt) {
	if a.Try == 1 && a.Outcome.Kind != strategy.OutcomeOK && o.counts(&a.Message) {
		o.refused++
	}
}

func (o *walkObserver) Answered(a *Answer) {
	if !o.counts(&a.Message) {
		return
	}
	o.sends++
	if a.Result.Status != strategy.StatusSendOK {
		o.failed++
	}
}

func (x tally) times(n int) tally { return tally{n * x.sends, n * x.refused, n * x.failed} }

func TestRefusedFirstAttempts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		walk
		want string // refused/sends and failed/sends of one period
	}{
		// Without retries: k/n.
		{walk{4, 4, 0, []int{1}}, "4/16 4/16"},
		{walk{4, 4, 0, []int{0, 3}}, "8/16 8/16"},
		{walk{5, 2, 0, []int{0, 2, 3}}, "6/10 6/10"},
		// With retries: r/((n-k)q), and no send fails.
		{walk{4, 4, 2, []int{1}}, "1/12 0/12"},
		{walk{4, 4, 2, []int{1, 2}}, "1/8 0/8"},
		{walk{4, 4, 2, []int{0, 2}}, "2/8 0/8"},
		{walk{4, 4, 1, []int{0, 2}}, "2/8 0/8"},
		{walk{6, 8, 2, []int{0, 2, 4}}, "3/24 0/24"},
		{walk{2, 1, 1, []int{0}}, "1/1 0/1"},
		{walk{3, 1, 2, []int{2}}, "1/2 0/2"},
		// Runs over the end of the list.
		{walk{4, 4, 2, []int{0, 3}}, "1/8 0/8"},
		{walk{5, 2, 3, []int{0, 1, 4}}, "1/4 0/4"},
		{walk{8, 4, 3, []int{0, 1, 3, 7}}, "2/16 0/16"},
		// Runs longer than the retries: sends fail.
		{walk{6, 4, 2, []int{1, 2, 3}}, "2/13 1/13"},
		{walk{5, 2, 1, []int{0, 1, 2, 3}}, "4/5 3/5"},
		{walk{6, 1, 1, []int{1, 2, 3, 4}}, "2/4 2/4"},
		{walk{6, 1, 1, []int{1, 2, 3}}, "2/4 1/4"},
	} {
		one := c.period()
		n := one.sends
		if got := fmt.Sprintf("%d/%d %d/%d", one.refused, n, one.failed, n); got != c.want {
			t.Errorf("%v: the arithmetic says %s, want %s", c.walk, got, c.want)
		}
		for _, release := range testReleases {
			const periods = 25
			want := one.times(periods)
			if got := c.measure(t, release, 1, periods); got != want {
				t.Errorf("%s, %v: got %+v, want %+v", release, c.walk, got, want)
			}
		}
	}
}

func TestRefusedFirstAttemptsAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(rt, "brokers")
		k := walk{
			brokers: n,
			queues:  rapid.IntRange(1, 5).Draw(rt, "queues"),
			retries: rapid.IntRange(0, 4).Draw(rt, "retries"),
		}
		healthy := rapid.IntRange(0, n-1).Draw(rt, "healthy") // at least this one
		for b := range n {
			if b != healthy && rapid.Bool().Draw(rt, "refuses") {
				k.refusing = append(k.refusing, b)
			}
		}
		if len(k.refusing) == 0 {
			k.refusing = []int{(healthy + 1) % n}
		}
		release := rapid.SampledFrom(testReleases).Draw(rt, "release")
		const periods = 4
		want := k.period().times(periods)
		if got := k.measure(t, release, rapid.Uint64().Draw(rt, "seed"), periods); got != want {
			rt.Fatalf("%v: got %+v, want %+v", k, got, want)
		}
	})
}

// A broker that is silent eats the whole budget of the send that meets it, and the queue chosen for
// the retry that never is moves the index on to the next broker. So one send fails for each walk
// round the list: 1/((n-1)q) of them. Heartbeats are out of the way here; with them a send may join
// a pending connect, wait only its remainder and retry.
func TestSilentBrokerFailsOneSendPerWalk(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		for _, n := range []int{2, 3, 5} {
			cfg := configtest.Small(release, n)
			cfg.Topics[0].WriteQueueNums = 3
			cfg.Faults = []config.Fault{{
				Name: "cut", Kind: config.PowerLoss,
				Targets: []config.Target{{Index: n / 2}},
			}}
			p := &cfg.Producers[0]
			p.Threads = 1
			p.Rate = 0.25 // a send takes up to 3 s
			p.Arrivals = config.Constant
			p.PollNameServerInterval = 10_000 * sim.Hour
			p.HeartbeatBrokerInterval = 10_000 * sim.Hour
			const walks = 20
			size := (n - 1) * 3
			obs := &walkObserver{from: 3 * n, to: 3*n + walks*size}
			cfg.Duration = sim.Duration(obs.to+4) * 4 * sim.Second
			runWorld(t, cfg, obs)
			if want := (tally{walks * size, walks, walks}); obs.tally != want {
				t.Errorf("%s, %d brokers: got %+v, want %+v", release, n, obs.tally, want)
			}
		}
	}
}
