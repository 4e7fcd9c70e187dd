package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// Recorded is a whole run of which only some rows were kept, each with its value in the unit of its metric:
// enough for [Compare] to say the same of these rows as it did of the runs. All other rows have no value, and
// events that are no row of these count nothing.
func Recorded(seed uint64, digest string, rows []Row, values []float64) *Member {
	run := &result.Run{Seed: seed, Digest: digest, Complete: true, Verdict: result.NoExpectations}
	for _, r := range rows {
		isPhase := func(p result.Phase) bool { return p.Name == r.Phase }
		isFault := func(f result.Fault) bool { return f.Name == r.Fault }
		switch {
		case r.Fault != "" && !slices.ContainsFunc(run.Faults, isFault):
			run.Faults = append(run.Faults, result.Fault{Name: r.Fault})
		case r.Fault == "" && !slices.ContainsFunc(run.Phases, isPhase):
			run.Phases = append(run.Phases, result.Phase{Name: r.Phase})
		}
	}
	m := &Member{run: run, struck: -1, events: make([]int64, len(seedEvents))}
	n := len(run.Phases)*len(phaseMetrics) + len(run.Faults)*len(faultMetrics)
	m.values = noValues(n)
	for i, r := range rows {
		if at := m.index(r); at >= 0 {
			m.values.all[at] = values[i]
		}
		if e := slices.Index(EventRows(), r); e >= 0 {
			m.events[e] = int64(values[i])
		}
	}
	return m
}

// noValues are values of which there is none yet.
func noValues(n int) values {
	v := values{all: make([]float64, n), thin: make([]bool, n)}
	for i := range v.all {
		v.all[i] = math.NaN()
	}
	return v
}
