package stat

import (
	"cmp"
	"slices"
)

// Holm returns the p's adjusted for their number, step-down: if those of at most alpha count as shown, the
// chance that any is shown though nothing differs is at most alpha, however the rows depend on each other.
//
// Source: Holm, "A simple sequentially rejective multiple test procedure", 1979.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	most := 0.0
	for i, row := range order {
		most = max(most, min(1, float64(len(p)-i)*p[row]))
		out[row] = most
	}
	return out
}

// Judgement is what the tests say of one row of differences.
type Judgement struct {
	// P is from signed ranks, Adjusted the same by Holm.
	P, Adjusted float64
	// SignP is from the signs alone, SignAdjusted the same by Holm.
	SignP, SignAdjusted float64
	// Shown is the direction in which a difference is shown, -1 or +1, or 0 if none is.
	Shown int
}

// Judge tests the rows, each the differences seed by seed, together: the chance that any is shown though in
// none one sign is likelier than the other is at most alpha. A row without differences counts as one.
//
// A difference is shown if the adjusted p's of signed ranks and of signs are both at most alpha, and both
// point the same way. Signed ranks alone take it that differences lie evenly around 0 if nothing differs;
// where they are skewed around a median of 0 they would raise false alarms, the more the more seeds. Signs
// alone don't, but see no sizes.
func Judge(rows [][]float64, alpha float64) []Judgement {
	out := make([]Judgement, len(rows))
	p, signs := make([]float64, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		p[i], signs[i] = SignedRank(row), SignTest(row)
	}
	adjusted, signAdjusted := Holm(p), Holm(signs)
	for i, row := range rows {
		out[i] = Judgement{P: p[i], Adjusted: adjusted[i], SignP: signs[i], SignAdjusted: signAdjusted[i]}
		if adjusted[i] > alpha || signAdjusted[i] > alpha {
			continue
		}
		r := rankSigns(row)
		lower, higher, _ := Signs(row)
		if d := cmp.Compare(higher, lower); d == cmp.Compare(r.upper, r.lower) {
			out[i].Shown = d
		}
	}
	return out
}
