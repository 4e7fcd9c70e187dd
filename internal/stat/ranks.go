package stat

import (
	"cmp"
	"math"
	"slices"
)

// midranks are the ranks from 1, equal values sharing the mean of theirs.
func midranks(v []float64) []float64 {
	order := ordered(v)
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// ordered are the indices of the values, ascending.
func ordered(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return order
}

// RankCorrelation is Spearman's: +1 if y rises with x, -1 if it falls, 0 if either is all alike. Equal values
// share their ranks.
func RankCorrelation(x, y []float64) float64 {
	a, b := midranks(x), midranks(y)
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		da, db := a[i]-ma, b[i]-mb
		ab += float64(da * db)
		aa += float64(da * da)
		bb += float64(db * db)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(float64(aa*bb))
}
