package stat

import "math"

// Differences are values minus reference, seed by seed: NaN where either has none, 0 where both are infinite
// alike, else infinite where one is.
func Differences(values, reference []float64) []float64 {
	out := make([]float64, min(len(values), len(reference)))
	for i := range out {
		if out[i] = values[i] - reference[i]; values[i] == reference[i] {
			out[i] = 0
		}
	}
	return out
}

// fewest is how many pairs a spread is taken from, as many as an interval of 95 % takes.
const fewest = 6

// mostGain is where luck cancels but for rounding.
const mostGain = 1e9

// Gain is how many times as many seeds independent draws would need for a mean difference as precise as
// common draws give: the variance of the values plus that of the reference, over that of their difference,
// all over the seeds that have both. ok is false below six pairs, with an infinite value, where nothing
// varies, and where the difference varies by no more than rounding.
//
// Source: common random numbers, Law, "Simulation Modeling and Analysis", 5th ed., 11.2.
func Gain(values, reference []float64) (gain float64, ok bool) {
	var a, b, d []float64
	for i, x := range Differences(values, reference) {
		switch {
		case math.IsNaN(x):
		case math.IsInf(values[i], 0) || math.IsInf(reference[i], 0):
			return 0, false
		default:
			a, b, d = append(a, values[i]), append(b, reference[i]), append(d, x)
		}
	}
	if len(d) < fewest {
		return 0, false
	}
	gain = (variance(a) + variance(b)) / variance(d)
	return gain, gain > 0 && gain < mostGain
}

// variance is that of a sample, in two passes.
func variance(v []float64) float64 {
	m := mean(v)
	sum := 0.0
	for _, x := range v {
		sum += float64((x - m) * (x - m))
	}
	return sum / float64(len(v)-1)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
