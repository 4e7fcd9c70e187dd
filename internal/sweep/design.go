package sweep

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"simrun/internal/result"
)

// places are the points of a design in the unit cube, one row for each: a function of the design, its size
// and its seed.
func places(design result.Design, points, axes int, seed uint64) [][]float64 {
	batch := mat.NewDense(points, axes, nil)
	src := rand.NewPCG(seed, 0)
	cube := distmv.NewUnitUniform(axes, nil)
	switch design {
	case result.DesignLatin:
		samplemv.LatinHypercube{Q: cube, Src: src}.Sample(batch)
	case result.DesignHalton:
		samplemv.Halton{Kind: samplemv.Owen, Q: cube, Src: src}.Sample(batch)
	case result.DesignGrid:
	}
	out := make([][]float64, points)
	for i := range out {
		out[i] = make([]float64, axes)
		for j := range out[i] {
			out[i][j] = math.Min(batch.At(i, j), math.Nextafter(1, 0))
		}
	}
	return out
}

// combinations are all of them, the last axis going fastest; by axis the number of its levels.
func combinations(levels []int) [][]int {
	out := [][]int{nil}
	for _, n := range levels {
		var next [][]int
		for _, c := range out {
			for i := range n {
				next = append(next, append(c[:len(c):len(c)], i))
			}
		}
		out = next
	}
	return out
}

// choice is the value of an axis at a point, as --set takes it, and which of the levels that is; -1 for none.
type choice struct {
	text  string
	level int
}

// choices are the values of each point by axis.
func choices(params []*param, design result.Design, points int, seed uint64) [][]choice {
	var out [][]choice
	if design == result.DesignGrid {
		sizes := make([]int, len(params))
		for i, f := range params {
			sizes[i] = len(f.levels)
		}
		for _, c := range combinations(sizes) {
			values := make([]choice, len(params))
			for i, f := range params {
				values[i] = choice{f.levels[c[i]].text, c[i]}
			}
			out = append(out, values)
		}
		return out
	}
	for _, u := range places(design, points, len(params), seed) {
		values := make([]choice, len(params))
		for i, f := range params {
			if f.span != nil {
				values[i] = choice{f.span.at(u[i]).Text(), -1}
				continue
			}
			l := int(u[i] * float64(len(f.levels)))
			values[i] = choice{f.levels[l].text, l}
		}
		out = append(out, values)
	}
	return out
}
