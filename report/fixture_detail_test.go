package report

import (
	"cmp"
	"math"
	"slices"

	"simrun/internal/result"
)

// detailed is a fixture with what figures other than the timeline are drawn from.
func detailed(w world) *result.Run {
	f := fabricate(w)
	f.run.Isolations = f.isolations
	if f.brokers > mostBrokers {
		f.vary()
	}
	f.distribute()
	f.serve()
	f.sample()
	f.pile()
	return f.run
}

// vary gives the stretches all marks that there are.
func (f *fabrication) vary() {
	for k := range f.run.Isolations {
		x := &f.run.Isolations[k]
		x.Unreachable = k%4 == 1
		if k%3 == 0 {
			x.Isolated, x.LevelNS, x.LatencyNS, x.NotAvailableNS = false, 100e6, 140e6, 7*second
			x.UntilNS = x.FromNS + 7*second
		}
	}
	for i := range f.instances {
		f.run.Isolations = append(f.run.Isolations, result.Isolation{
			Producer: "p", Instance: i, Broker: brokerName(13 + i%4), FromNS: 60 * second,
			UntilNS: 60*second + int64(i)*second, LatencyNS: 560e6, LevelNS: 550e6,
			NotAvailableNS: int64(i) * second,
		})
	}
}

// grouped is a run of two producer groups.
func grouped(w world) *result.Run {
	r := detailed(w)
	p := &r.Setup.Producers[0]
	p.Count /= 2
	q := *p
	p.Name, q.Name, q.LatencyMaxNS = "orders", "bills", []int64{5e6, 50e6, 550e6, 3e9}
	r.Setup.Producers = append(r.Setup.Producers, q)
	for k := range r.Isolations {
		x := &r.Isolations[k]
		if x.Producer = p.Name; x.Instance >= p.Count {
			x.Producer, x.Instance, x.LevelNS = q.Name, x.Instance-p.Count, 3e9
		}
	}
	for k, n := 0, len(r.Spectra); k < n; k++ {
		s := &r.Spectra[k]
		if s.Dim != result.DimProducer {
			continue
		}
		s.Name = p.Name
		other := result.Spectrum{Phase: s.Phase, Dim: s.Dim, Name: q.Name}
		for _, b := range s.Buckets {
			other.Buckets = append(other.Buckets, result.Bucket{UpToNS: b.UpToNS / 3, N: b.N/40 + 1})
		}
		r.Spectra = append(r.Spectra, other)
	}
	limit := 20e6
	r.Expectations = append(r.Expectations, result.Expectation{
		Name: "quick", Metric: "latency_p99", Where: "producer bills, during fault.power-cut", Max: &limit,
		Verdict: result.Failed,
	})
	return r
}

// isolate records that the table of an instance refuses a broker from within the window at t.
func (f *fabrication) isolate(i, b int, t int64) {
	f.isolations = append(f.isolations, result.Isolation{
		Producer: "p", Instance: i, Broker: brokerName(b),
		FromNS: t + f.window/8*int64(1+i%6), UntilNS: f.until[i][b],
		LatencyNS: 10 * second, LevelNS: 550e6, NotAvailableNS: 33 * second,
		Isolated: true, Explained: true,
	})
}

// distribute spreads the messages of each phase over a distribution with its quantiles.
func (f *fabrication) distribute() {
	for _, s := range f.run.Stats {
		if s.Latency.N == 0 {
			continue
		}
		slow := s.Failed + s.OK - s.OKFirst
		d := result.Spectrum{Phase: s.Phase, Dim: result.DimAll, Buckets: f.buckets(s, slow)}
		f.run.Spectra = append(f.run.Spectra, d)
		d.Dim, d.Name = result.DimProducer, "p"
		f.run.Spectra = append(f.run.Spectra, d)
	}
}

// buckets are those of s, of whose messages slow ones waited for a broker that was gone.
func (f *fabrication) buckets(s result.Stats, slow int64) []result.Bucket {
	if f.constant {
		return []result.Bucket{{UpToNS: s.Latency.MaxNS, N: s.Latency.N}}
	}
	var out []result.Bucket
	rest := s.Latency.N - slow
	quick := rest
	for k := 0; rest > 0; k++ {
		n := max(1, rest/12)
		at := float64(s.Latency.P50NS) * math.Exp(float64(k-7)/7)
		if float64(s.Latency.MaxNS)*0.9 < at {
			n, at = rest, float64(s.Latency.MaxNS)*0.9
		}
		out = append(out, result.Bucket{UpToNS: roundTwo(at), N: n})
		rest -= n
	}
	if slow > 0 && quick >= 0 {
		out = append(out,
			result.Bucket{UpToNS: roundTwo(float64(s.Latency.MaxNS) * 0.99), N: slow - slow/3},
			result.Bucket{UpToNS: s.Latency.MaxNS, N: slow / 3})
	} else if len(out) > 0 {
		out[len(out)-1].UpToNS = s.Latency.MaxNS
	}
	return merged(out)
}

// roundTwo keeps two digits.
func roundTwo(x float64) int64 {
	p := math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	return int64(math.Ceil(x/p) * p)
}

// merged sorts buckets and makes one of those with the same end.
func merged(in []result.Bucket) []result.Bucket {
	slices.SortStableFunc(in, func(a, b result.Bucket) int { return cmp.Compare(a.UpToNS, b.UpToNS) })
	var out []result.Bucket
	for _, b := range in {
		if n := len(out); n > 0 && out[n-1].UpToNS == b.UpToNS {
			out[n-1].N += b.N
		} else if b.N > 0 {
			out = append(out, b)
		}
	}
	return out
}

// serve says how the phases looked to callers, how many attempts messages took, and how the way back went.
func (f *fabrication) serve() {
	r := f.run
	for i := range r.Stats {
		s := &r.Stats[i]
		s.AttemptCounts = []int64{0, s.OKFirst + s.Failed - s.Failed/2, s.OK - s.OKFirst - (s.OK-s.OKFirst)/20}
		if three := s.Failed/2 + (s.OK-s.OKFirst)/20; three > 0 {
			s.AttemptCounts = append(s.AttemptCounts, three)
		}
		a := result.Availability{Phase: s.Phase, Dim: result.DimAll}
		for _, w := range r.Series.Windows {
			for _, p := range r.Phases {
				if p.Name == s.Phase && w.FromNS >= p.FromNS && w.FromNS < p.ToNS && w.Failed > 0 {
					a.OutageNS += f.window / 10
					a.LongestNS = max(a.LongestNS, f.window/5)
				}
			}
		}
		if a.Outages = int(a.OutageNS / (f.window / 5)); a.OutageNS > 0 {
			a.Outages = max(1, a.Outages)
			a.LongestNS = min(a.LongestNS, a.OutageNS)
			a.WorstInstance, a.WorstNS = "p#3", 3*a.LongestNS
		}
		for _, level := range []float64{0.9, 0.99, 0.999} {
			a.Below = append(a.Below, result.Below{
				Level: level, NS: int64(level * float64(2*a.OutageNS)), LongestNS: a.LongestNS,
			})
		}
		r.Availability = append(r.Availability, a)
	}
	for i := range r.Faults {
		if x := &r.Faults[i]; x.Began && x.ToNS < r.SimulatedNS {
			zero, late := int64(0), int64(31_400_000_000)
			x.Baseline = &result.Baseline{SuccessNS: &zero, ShareNS: &late}
		}
	}
}

// sample chooses messages of each window: all that failed or were retried, and a few others.
func (f *fabrication) sample() {
	r := f.run
	sample := &r.Sample
	sample.Every = 97
	number := uint64(0)
	for _, w := range r.Series.Windows {
		sample.Of += w.N
		add := func(n int64, s result.SampledSend, lo, hi float64) {
			for range n {
				s.Producer, s.Message = "p", number
				s.ScheduledNS = w.FromNS + f.rng.Int64N(f.window)
				s.LatencyNS = int64(lo * math.Pow(hi/lo, f.rng.Float64()))
				number++
				sample.Sends = append(sample.Sends, s)
			}
		}
		add(w.OK/97, result.SampledSend{Attempts: 1, Outcome: "ok", Broker: "c"},
			float64(w.P50NS)/2, float64(w.P99NS))
		add(w.OKRetry, result.SampledSend{Attempts: 2, Outcome: "ok", Broker: "d"}, 1e9, 3e9)
		add(w.Failed, result.SampledSend{Attempts: 1, Outcome: "failed", Broker: "a"}, 2.9e9, 3.1e9)
		add(w.Lost, result.SampledSend{Attempts: 1, Outcome: "ok", Lost: true, Broker: "a"}, 8e5, 4e6)
	}
	// One seldom thing that must not be covered by the many others.
	if f.instances > 0 && len(f.faults) > 0 && len(sample.Sends) > 0 {
		sample.Sends[0].Attempts, sample.Sends[0].LatencyNS = 3, 9e6
	}
}

// pile says what is under way to each broker, waits there, and has no second copy.
func (f *fabrication) pile() {
	for k := range f.run.Series.Windows {
		w := &f.run.Series.Windows[k]
		for b, n := range w.Sends {
			x := &w.Brokers[b]
			perSecond := float64(n*second) / float64(f.window)
			x.InFlight = perSecond * 0.0011
			x.Queue = x.InFlight / 9
			x.SingleBytes = int64(perSecond) * 12
			for _, s := range f.faults {
				if slices.Contains(s.brokers, b) && s.from <= w.FromNS && w.FromNS < s.to {
					x.InFlight, x.SingleBytes = 3*perSecond, 0
				}
			}
			if sum(w.Sends, nil) > 0 && k%3 == 0 && w.Avoided[b] > 0.5 && n > 0 {
				w.Fallbacks += n
			}
		}
	}
}
