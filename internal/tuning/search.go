package main

import (
	"context"
	"math"
	"slices"
)

// training are the seeds on which settings are chosen; each stage sees those up to its number.
var stages = []uint64{1, 3, 8}

// heldOut are the seeds on which they are reported.
const (
	firstHeldOut = 101
	lastHeldOut  = 120
)

// What a difference has to be to count on a front: below it two settings are alike.
const (
	alikeFailed  = 0.00005 // of the messages
	alikeP99     = 0.03    // relative
	alikeStarved = 0.2     // seconds
)

// search keeps, in each cell, which settings are still tried, and drops the others stage by stage.
type search struct {
	*lab
	alive [][]int // by cell
	seeds uint64  // seen so far: 1..seeds
}

// run goes through the stages.
func (s *search) run(ctx context.Context) error {
	for range s.cells {
		all := make([]int, len(s.settings))
		for i := range all {
			all[i] = i
		}
		s.alive = append(s.alive, all)
	}
	for i, until := range stages {
		var want []asked
		for c := range s.cells {
			for _, x := range s.alive[c] {
				for seed := uint64(1); seed <= until; seed++ {
					want = append(want, asked{c, x, seed})
				}
			}
		}
		if err := s.measure(ctx, want); err != nil {
			return err
		}
		s.seeds = until
		if i+1 < len(stages) {
			s.drop(i)
		}
	}
	return nil
}

// drop halves what is alive in each cell: the defaults stay, the best over all cells of each family, and of
// the rest those that fewest others beat.
func (s *search) drop(stage int) {
	const everywhere = 4
	keep := map[int]bool{}
	for i := range defaults {
		keep[i] = true
	}
	for _, f := range []family{newest, middle, old} {
		for i, x := range s.ranking(f, plain) {
			if i < everywhere>>stage+2 {
				keep[x] = true
			}
		}
	}
	for c := range s.cells {
		var rest, next []int
		for _, x := range s.alive[c] {
			if keep[x] {
				next = append(next, x)
			} else {
				rest = append(rest, x)
			}
		}
		beaten := map[int]int{}
		for _, x := range rest {
			for _, y := range s.alive[c] {
				if s.beats(c, y, x) {
					beaten[x]++
				}
			}
		}
		slices.SortStableFunc(rest, func(x, y int) int { return beaten[x] - beaten[y] })
		next = append(next, rest[:len(rest)/3]...)
		slices.Sort(next)
		s.alive[c] = next
	}
}

// weights are what the three goals count, relative to each other, in the score over all cells.
type weights struct {
	name                 string
	failed, p99, starved float64
}

var (
	plain = weights{"as it is", 1, 1, 1}
	// others show how far the choice hangs on the weights.
	others = []weights{
		{"failures count twice", 2, 1, 1}, {"p99 counts twice", 1, 2, 1}, {"starvation counts twice", 1, 1, 2},
	}
)

// loss of a setting in a cell on a seed, against the reference: the mean of the logarithms of three ratios,
// each with a little added, so that nothing against next to nothing is no infinite gain: 0.01 % of the
// messages, 5 ms, 10 s. The page says so, too.
func (s *search) loss(c, x int, seed uint64, w weights) float64 {
	a, b := s.known[asked{c, x, seed}], s.known[asked{c, 0, seed}]
	return (w.failed*ratio(a.failed, b.failed, littleFailed) + w.p99*ratio(a.p99, b.p99, littleP99) +
		w.starved*ratio(a.starved, b.starved, littleStarved)) / (w.failed + w.p99 + w.starved)
}

// What is added to both sides of a ratio.
const (
	littleFailed  = 0.0001
	littleP99     = 0.005
	littleStarved = 10
)

func ratio(a, b, little float64) float64 { return math.Log((a + little) / (b + little)) }

// total is the mean loss over all cells on a seed.
func (s *search) total(x int, seed uint64, w weights) float64 {
	sum := 0.0
	for c := range s.cells {
		sum += s.loss(c, x, seed, w)
	}
	return sum / float64(len(s.cells))
}

// everywhere says whether a setting is alive in all cells.
func (s *search) everywhere(x int) bool {
	for c := range s.cells {
		if !slices.Contains(s.alive[c], x) {
			return false
		}
	}
	return true
}

// can says whether a client of a family can be set so, and the setting be its choice. What an older client of
// 5.x can a newer one can, too; 4.9.8 is a family of its own.
func (x *setting) can(f family) bool {
	return !x.long && (x.family == f || f == newest && x.family == middle)
}

// ranking are the settings of a family that are alive everywhere, the best mean over cells and seeds first.
func (s *search) ranking(f family, w weights) []int {
	var out []int
	mean := map[int]float64{}
	for x := range s.settings {
		if !s.settings[x].can(f) || !s.everywhere(x) {
			continue
		}
		out = append(out, x)
		for seed := uint64(1); seed <= s.seeds; seed++ {
			mean[x] += s.total(x, seed, w) / float64(s.seeds)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		switch {
		case mean[x] < mean[y]:
			return -1
		case mean[x] > mean[y]:
			return 1
		}
		return s.settings[x].changes - s.settings[y].changes
	})
	return out
}

// choice of a family: of the settings within one standard error of the best, the one that changes least.
func (s *search) choice(f family, w weights) int {
	ranked := s.ranking(f, w)
	best := ranked[0]
	out := best
	for _, x := range ranked[1:] {
		if s.settings[x].changes < s.settings[out].changes && s.within(x, best, w) {
			out = x
		}
	}
	return out
}

// within says whether the mean of x over the seeds is within one standard error of that of the best.
func (s *search) within(x, best int, w weights) bool {
	var sum, squares float64
	n := float64(s.seeds)
	for seed := uint64(1); seed <= s.seeds; seed++ {
		d := s.total(x, seed, w) - s.total(best, seed, w)
		sum += d
		squares += d * d
	}
	mean := sum / n
	return mean*mean <= (squares/n-mean*mean)/(n-1)
}

// medians of a setting in a cell over the seeds seen.
func (s *search) medians(c, x int) score {
	var f, p, t []float64
	for seed := uint64(1); seed <= s.seeds; seed++ {
		a := s.known[asked{c, x, seed}]
		f, p, t = append(f, a.failed), append(p, a.p99), append(t, a.starved)
	}
	return score{median(f), median(p), median(t)}
}

// median by nearest rank: a value that occurred.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// beats says whether x is better than y in a cell in one goal and in none worse, by the medians.
func (s *search) beats(c, x, y int) bool {
	a, b := s.medians(c, x), s.medians(c, y)
	return a.under(b) && !b.under(a)
}

// under says whether a is better than b in any goal.
func (a score) under(b score) bool {
	return a.failed < b.failed-alikeFailed || a.p99 < b.p99*(1-alikeP99) || a.starved < b.starved-alikeStarved
}

// front are the settings of a cell that no other beats; of those that are alike only the one that changes
// least.
func (s *search) front(c int) []int {
	var out []int
	for _, x := range s.alive[c] {
		if !slices.ContainsFunc(s.alive[c], func(y int) bool { return s.beats(c, y, x) }) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int { return s.settings[x].changes - s.settings[y].changes })
	var distinct []int
	for _, x := range out {
		if !slices.ContainsFunc(distinct, func(y int) bool { return s.alike(c, x, y) }) {
			distinct = append(distinct, x)
		}
	}
	slices.SortStableFunc(distinct, func(x, y int) int {
		a, b := s.medians(c, x), s.medians(c, y)
		switch {
		case a.starved < b.starved:
			return -1
		case a.starved > b.starved:
			return 1
		}
		return 0
	})
	return distinct
}

func (s *search) alike(c, x, y int) bool {
	a, b := s.medians(c, x), s.medians(c, y)
	return !a.under(b) && !b.under(a)
}
