package ensemble

import (
	"simrun/internal/result"
	"simrun/internal/stat"
)

// Alpha is the error that intervals and verdicts are allowed, unless seeds were looked at more than once: see
// [Precise].
const Alpha = 0.05

// paired is a variant against the reference, seed by seed, with an interval that errs at most so often.
// Nothing is tested.
func paired(values, reference []float64, alpha float64) result.Paired {
	d := stat.Differences(values, reference)
	x := result.Paired{Differences: seedValues(d), Median: result.SeedValue(stat.Middle(d))}
	x.Lower, x.Higher, x.Equal = stat.Signs(d)
	x.Pairs = x.Lower + x.Higher + x.Equal
	if i, ok := stat.MedianInterval(d, 1-alpha); ok {
		x.Low, x.High, x.Confidence = seedValue(i.Low), seedValue(i.High), i.Confidence
	}
	if gain, ok := stat.Gain(values, reference); ok {
		x.Gain = &gain
	}
	return x
}

func seedValue(x float64) *result.SeedValue {
	v := result.SeedValue(x)
	return &v
}

func seedValues(values []float64) []result.SeedValue {
	out := make([]result.SeedValue, len(values))
	for i, x := range values {
		out[i] = result.SeedValue(x)
	}
	return out
}
