package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/scenarios"
)

// kept is what is kept of the runs of a scenario with a setting: some rows, seed by seed. The page is made of
// these numbers and of nothing else, so it can be made again without a run.
type kept struct {
	// place is the cell, or what else was run; setting is what was set there.
	place, setting string
	// key is of all flags, so that numbers of other conditions are not taken for these.
	key    string
	digest string // of the run with the first seed
	rows   []ensemble.Row
	values [][]float64 // by row, by seed
	used   bool
}

// keyOf hashes what was asked.
func keyOf(flags ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(flags, "\n")))
	return hex.EncodeToString(sum[:4])
}

// members are the runs, as far as they were kept.
func (k *kept) members(seeds []uint64) []*ensemble.Member {
	out := make([]*ensemble.Member, len(seeds))
	for i, seed := range seeds {
		values := make([]float64, len(k.rows))
		for r := range k.rows {
			values[r] = k.values[r][i]
		}
		digest := ""
		if i == 0 {
			digest = k.digest
		}
		out[i] = ensemble.Recorded(seed, digest, k.rows, values)
	}
	return out
}

// shelf has what was kept, in the order in which it was asked for, and makes the runs that it lacks.
type shelf struct {
	jobs int
	// closed: nothing is run, what is missing is an error.
	closed bool
	all    []*kept
}

// wanted are runs that are to be there: those of a scenario, loaded if they are to be made.
type wanted struct {
	place, setting, key string
	load                func() (*scenarios.Scenario, error)
}

// find is what was kept of something, nil if nothing was.
func (s *shelf) find(w wanted) *kept {
	i := slices.IndexFunc(s.all, func(k *kept) bool {
		return k.place == w.place && k.setting == w.setting && k.key == w.key
	})
	if i < 0 {
		return nil
	}
	s.all[i].used = true
	return s.all[i]
}

// get finds what is wanted, or runs it.
func (s *shelf) get(
	ctx context.Context, all []wanted, rows []ensemble.Row, seeds []uint64,
) ([]*kept, error) {
	if err := s.run(ctx, all, rows, seeds); err != nil {
		return nil, err
	}
	out := make([]*kept, len(all))
	for i, w := range all {
		if out[i] = s.find(w); out[i] == nil || len(out[i].values[0]) < len(seeds) {
			return nil, fmt.Errorf("%s with %q was not measured", w.place, w.setting)
		}
		for _, r := range rows {
			if !slices.Contains(out[i].rows, r) {
				return nil, fmt.Errorf("%s with %q was measured without %s", w.place, w.setting, r)
			}
		}
	}
	return out, nil
}

// run makes the runs that are missing, unless nothing is to be run.
func (s *shelf) run(ctx context.Context, all []wanted, rows []ensemble.Row, seeds []uint64) error {
	var jobs []experiment.Job
	var fresh []*kept
	for _, w := range all {
		if s.closed || s.find(w) != nil {
			continue
		}
		sc, err := w.load()
		if err != nil {
			return fmt.Errorf("%s with %q: %w", w.place, w.setting, err)
		}
		k := &kept{place: w.place, setting: w.setting, key: w.key, rows: rows}
		k.values = make([][]float64, len(rows))
		s.all, fresh = append(s.all, k), append(fresh, k)
		jobs = append(jobs, experiment.Seeds(sc, seeds)...)
	}
	return experiment.RunAll(ctx, jobs, s.jobs, func(i int, run *result.Run) error {
		fresh[i/len(seeds)].add(run)
		return nil
	})
}

// add keeps the rows of the next run.
func (k *kept) add(run *result.Run) {
	m := ensemble.Of(run)
	if k.digest == "" {
		k.digest = m.Digest()
	}
	for i, r := range k.rows {
		x, _ := m.Value(r)
		k.values[i] = append(k.values[i], x)
	}
}

// runs are how many runs there are numbers of.
func (s *shelf) runs() int {
	n := 0
	for _, k := range s.all {
		if !k.used {
			continue
		}
		n += len(slices.DeleteFunc(slices.Clone(k.values[0]), math.IsNaN))
	}
	return n
}
