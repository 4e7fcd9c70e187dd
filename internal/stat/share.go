package stat

import "gonum.org/v1/gonum/stat/distuv"

// ClopperPearson is the exact interval of a chance, of which k of n was seen: it holds the true one with at
// least the confidence asked for. From 0 to 1 if n is 0.
//
// Source: Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial", 1934.
func ClopperPearson(k, n int, confidence float64) (low, high float64) {
	tail := (1 - confidence) / 2
	low, high = 0, 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return low, high
}
