package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
	"simrun/sim"
)

// unsettled says that the two halves of the phase "before" differ by more than chance, so that the
// warm-up was too short or the load is above capacity; "" if they don't, or if it can't tell. means are
// the mean latencies of the windows of s, in nanoseconds. shaped: the load changes by plan.
//
// Two things are compared, window by window: the mean latency and the share of failed answers, each by a
// [contrast], which finds small differences that last, and by whether they differ grossly, see [gross]: a
// burst, or a queue that runs away late, has a memory that hides it from the former. Together
// they raise a false alarm in less than one of a thousand runs in which nothing changes, as long as what
// happens in a window is forgotten within a few. A difference below 5 % of the latency or
// 0.01 percentage points of the success rate is never told, for nobody would care.
func unsettled(phases []result.Phase, s *result.Series, means []float64, shaped bool) string {
	var times, failed, answered []float64
	for _, i := range windowsOf(result.PhaseBefore, phases, s) {
		if w := &s.Windows[i]; w.N > 0 {
			times = append(times, means[i])
			failed = append(failed, float64(w.Failed))
			answered = append(answered, float64(w.N))
		}
	}
	rates := make([]float64, len(failed))
	for i := range rates {
		rates[i] = failed[i] / answered[i]
	}
	factor, help := 4.0, "a longer warmup helps, unless the load is too high"
	if shaped {
		factor, help = 1.5, "the load changes by plan: \"before\" is no steady state to compare with"
	}
	var parts []string
	a, b := halves(times)
	if (contrast(times) || gross(times, factor)) && max(a, b) > 1.05*min(a, b) {
		parts = append(parts, fmt.Sprintf("mean latency %v, then %v", rounded(a), rounded(b)))
	}
	f1, f2 := halves(failed)
	n1, n2 := halves(answered)
	const little, much = 1e-4, 1e-2
	a, b = f1/n1, f2/n2
	if d := math.Abs(a - b); contrast(rates) && d > little || gross(rates, factor) && d > much {
		parts = append(parts, fmt.Sprintf("failed %s%%, then %s%%", percent(a), percent(b)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "the halves of \"before\" differ by more than chance: " + strings.Join(parts, "; ") + "; " + help
}

// gross says whether the mean of one half of a series is more than a factor above the other's, even
// without the highest tenth of its values: a few odd windows are no such difference. Of fewer than 10 values
// it can't tell.
func gross(values []float64, factor float64) bool {
	const fewest, tenth = 10, 10
	if len(values) < fewest {
		return false
	}
	first, second := values[:len(values)/2], values[len(values)/2:]
	high, low := first, meanOf(second)
	if a := meanOf(first); a < low {
		high, low = second, a
	}
	high = slices.Sorted(slices.Values(high))
	return meanOf(high[:len(high)-(len(high)+tenth-1)/tenth]) > factor*low
}

// rounded leaves out digits that mean nothing.
func rounded(ns float64) sim.Duration {
	d := sim.Duration(ns)
	if d >= sim.Second {
		return d.Round(sim.Millisecond)
	}
	return d.Round(sim.Microsecond)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

// windowsOf are the indices of the windows that lie in a phase as a whole.
func windowsOf(name string, phases []result.Phase, s *result.Series) []int {
	var in []int
	for _, p := range phases {
		if p.Name != name {
			continue
		}
		for i := range s.Windows {
			if from := s.Windows[i].FromNS; from >= p.FromNS && from+s.WindowNS <= p.ToNS {
				in = append(in, i)
			}
		}
	}
	return in
}

// contrast says whether the two halves of a series differ by more than chance, at a level below 0.05 %.
//
// The values are replaced by their ranks, which tames long tails, and the ranks averaged over batches:
// 20, or 10 if there are fewer than 20 values; of fewer than 10 it can't tell. The difference of the two
// halves' means is then held against its standard error, as in Student's t. That comes from what is left
// of the batches around one straight line, so that a drift does not hide itself, and is widened for the
// correlation of neighbours, estimated with its bias taken off and never below 0.
//
// Limits are by simulation. Independent values, autoregressive ones with a coefficient of 0.5 and mean
// waits of an M/M/1 queue at 90 % raise an alarm in less than 0.05 % of series; with a memory longer than
// a batch (a coefficient of 0.8 over 90 windows, a queue at 95 % with windows of a tenth of its relaxation
// time) in up to 0.3 %.
func contrast(values []float64) bool {
	batches, limit := 20, 5.5
	if len(values) < batches {
		batches, limit = 10, 8
	}
	if len(values) < batches {
		return false
	}
	y := batched(ranks(values), batches)
	first, second := halves(y)
	left := aroundLine(y)
	var squares, neighbours float64
	for i, x := range left {
		squares += x * x
		if i > 0 {
			neighbours += x * left[i-1]
		}
	}
	d := math.Abs(second - first)
	if squares <= 1e-18*d*d { // all alike, or a line and nothing else
		return d > 0
	}
	n := float64(batches)
	rho := min(max(neighbours/squares+2/n, 0), 0.9)
	variance := squares / (n - 2) * (1 + rho) / (1 - rho)
	return d > limit*math.Sqrt(variance*4/n)
}

// halves are the means of the two halves of a series; of an odd number the one in the middle counts for
// the second.
func halves(v []float64) (first, second float64) {
	h := len(v) / 2
	return meanOf(v[:h]), meanOf(v[h:])
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// batched are the means of n neighbouring parts of a series, as equal as can be.
func batched(v []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = meanOf(v[i*len(v)/n : (i+1)*len(v)/n])
	}
	return out
}

// ranks replaces values by their places in order, from 0; values that are alike share the middle one.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// aroundLine is what is left of a series when the straight line that fits it best is taken off.
func aroundLine(y []float64) []float64 {
	middle, mean := float64(len(y)-1)/2, meanOf(y)
	var xy, xx float64
	for i := range y {
		x := float64(i) - middle
		xy += x * (y[i] - mean)
		xx += x * x
	}
	out := make([]float64, len(y))
	for i := range y {
		out[i] = y[i] - mean - xy/xx*(float64(i)-middle)
	}
	return out
}
