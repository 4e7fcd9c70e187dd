package model

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// The broker's send pool is a queueing station, so what the textbooks say about stations must hold
// for messages that go all the way through the model: producer, wire, send pool, commit log,
// answer. The wire takes no time and the client has more threads than a message ever needs, so what
// is left of a latency beside the service is the wait for a send thread.
const (
	theoryReplications = 30     // seeds 1 to 30
	theoryWarmup       = 10_000 // messages, not counted
	theoryCustomers    = 100_000
	theoryConfidence   = 0.99
)

// station is a queueing station whose mean wait is known exactly.
type station struct {
	name    string
	threads int
	service sim.Sampler
	// mean and second are the first two moments of the service time, in seconds.
	mean, second float64
}

func stations() []station {
	const s = 1e-3
	median, p99 := 1e-3, 3e-3
	sigma := math.Log(p99/median) / distuv.UnitNormal.Quantile(0.99)
	return []station{
		{"M_M_1", 1, must(sim.Exponential(sim.Millisecond)), s, 2 * s * s},
		{"M_M_4", 4, must(sim.Exponential(sim.Millisecond)), s, 2 * s * s},
		{"M_D_1", 1, must(sim.Constant(sim.Millisecond)), s, s * s},
		{
			"M_LN_1", 1, must(sim.Lognormal(sim.Millisecond, 3*sim.Millisecond)),
			median * math.Exp(sigma*sigma/2), median * median * math.Exp(2*sigma*sigma),
		},
	}
}

// meanWait is the mean time in the queue, in seconds: Pollaczek-Khinchine for one server, and for
// exponential service at c servers Erlang's C times 1/(cμ-λ).
func (s station) meanWait(rho float64) float64 {
	if s.threads == 1 {
		lambda := rho / s.mean
		return lambda * s.second / (2 * (1 - rho))
	}
	c := float64(s.threads)
	a := c * rho // offered load
	term, sum := 1.0, 0.0
	for k := range s.threads {
		sum += term // a^k / k!
		term *= a / float64(k+1)
	}
	last := term / (1 - rho)
	return last / (sum + last) * s.mean / (c * (1 - rho))
}

func TestTheory(t *testing.T) {
	for _, s := range stations() {
		for _, rho := range []float64{0.5, 0.8, 0.9} {
			t.Run(fmt.Sprintf("%s/%.1f", s.name, rho), func(t *testing.T) {
				t.Parallel()
				waits := make([]float64, theoryReplications)
				for i := range waits {
					waits[i] = theoryReplication(t, s, rho, uint64(i+1))
				}
				checkMean(t, waits, s.meanWait(rho), rho)
			})
		}
	}
}

// checkMean asks that Student's interval over the replications is narrow and holds the exact mean.
func checkMean(t *testing.T, waits []float64, want, rho float64) {
	t.Helper()
	n := float64(len(waits))
	mean, sd := stat.MeanStdDev(waits, nil)
	quantile := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - (1-theoryConfidence)/2)
	half := quantile * sd / math.Sqrt(n)
	t.Logf("mean wait %.6f ms ± %.2f %%, exact %.6f ms (%+.2f %%)", 1e3*mean, 100*half/want,
		1e3*want, 100*(mean-want)/want)
	if math.Abs(mean-want) > half {
		t.Errorf("the exact mean %v is outside %v ± %v", want, mean, half)
	}
	limit := 0.03
	if rho >= 0.9 {
		limit = 0.05
	}
	if half > limit*want {
		t.Errorf("half-width %.2f %% of the mean, want at most %.0f %%", 100*half/want, 100*limit)
	}
}

// theoryReplication is the mean wait of one run, in seconds.
func theoryReplication(t *testing.T, s station, rho float64, seed uint64) float64 {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Seed = seed
	cfg.Network.Latency = must(sim.Constant(sim.Duration(0)))
	cfg.Brokers[0].SendThreads = s.threads
	cfg.Brokers[0].Service = s.service
	limitsOutOfReach(&cfg.Brokers[0])
	p := &cfg.Producers[0]
	p.Threads = config.MaxThreads
	p.Rate = float64(s.threads) * rho / s.mean
	p.Settings.RetryTimesWhenSendFailed = 0
	p.Settings.SendMsgTimeout = 1e9
	obs := &waitObserver{seed: seed, service: s.service}
	w := New(cfg, obs)
	for obs.answered < theoryCustomers {
		if err := w.RunUntil(w.Now().Add(sim.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if obs.failed > 0 {
		t.Fatalf("seed %d: %d sends failed", seed, obs.failed)
	}
	return obs.sum.Seconds() / theoryCustomers
}

// limitsOutOfReach gives a broker a bounded queue and fast failure that never have anything to do.
func limitsOutOfReach(b *config.Broker) {
	b.QueueCapacity, b.FastFailure, b.WaitTimeInQueue = 1_000_000, true, sim.Hour
	b.PageCacheBusyTimeout = sim.Second
}

// The account of a broker's load agrees with theory: the utilisation is what is offered, and by
// Little's law the mean length of the queue is the rate times the mean wait.
func TestLoadTheory(t *testing.T) {
	t.Parallel()
	for _, s := range stations() {
		const rho, warm, end = 0.8, 10 * sim.Second, 110 * sim.Second
		cfg := configtest.Small("5.3.3", 1)
		cfg.Network.Latency = must(sim.Constant(sim.Duration(0)))
		cfg.Brokers[0].SendThreads, cfg.Brokers[0].Service = s.threads, s.service
		limitsOutOfReach(&cfg.Brokers[0])
		p := &cfg.Producers[0]
		p.Threads, p.Rate, p.Settings.SendMsgTimeout = config.MaxThreads, float64(s.threads)*rho/s.mean, 1e9
		obs := &waitObserver{seed: 1, service: s.service, endless: true}
		w := New(cfg, obs)
		runTo(t, w, warm)
		from, sum, answered := w.Load(0), obs.sum, obs.answered
		runTo(t, w, end)
		load, seconds := w.Load(0), (end - warm).Seconds()
		busy := (load.Busy - from.Busy).Seconds() / seconds / float64(s.threads)
		queue := (load.Queued - from.Queued).Seconds() / seconds
		rate := float64(obs.answered-answered) / seconds
		little := rate * (obs.sum - sum).Seconds() / float64(obs.answered-answered)
		if math.Abs(busy-rho) > 0.03 || math.Abs(queue-little) > 0.01*little {
			t.Errorf("%s: utilisation %.3f, want %.1f; %.3f in the queue, want %.3f", s.name, busy, rho,
				queue, little)
		}
		if exact := s.meanWait(rho) * p.Rate; math.Abs(queue-exact) > 0.15*exact {
			t.Errorf("%s: %.3f in the queue, want %.3f", s.name, queue, exact)
		}
	}
}

// waitObserver sums up what the counted messages waited: the latency without the service time,
// which is drawn once more.
type waitObserver struct {
	NopObserver
	seed     uint64
	service  sim.Sampler
	draw     sim.Draw
	sum      sim.Duration
	answered int
	failed   int
	endless  bool // all messages count
}

func (o *waitObserver) Answered(a *Answer) {
	if a.Result.Status == 0 || a.Attempts != 1 {
		o.failed++
	}
	if !o.endless && (a.Number < theoryWarmup || a.Number >= theoryWarmup+theoryCustomers) {
		return
	}
	o.draw = sim.Key(o.seed, drawService, uint64(a.Group), a.Number, 1)
	o.sum += a.At.Sub(a.Scheduled) - sim.Duration(o.service.Sample(&o.draw))
	o.answered++
}
