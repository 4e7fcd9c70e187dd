package ensemble

import (
	"simrun/internal/result"
)

// Member is what one run brings to what several say together: a few numbers for each phase, fault and window,
// and no more, so that thousands of runs fit into memory. It does not change.
type Member struct {
	// run has its names, verdict, phases, faults and expectations only.
	run    *result.Run
	strike *int64 // when the first fault struck first, in nanoseconds; nil: none did
	values values
	// events are by seedEvents.
	events  []int64
	curves  []rawCurve
	spectra []rawSpectrum
	// struck is the window of the series in which the first fault struck, -1 if none did; windows is their
	// number, width that of one in nanoseconds.
	struck, windows int
	width           int64
}

// Of takes from a run what it brings. It reads all of the run, its time series and distributions too, and
// keeps nothing of it that is large.
func Of(r *result.Run) *Member {
	m := &Member{
		run: headOf(r), strike: firstStrike(r), values: valuesOf(r), curves: curvesOf(r),
		struck: -1, windows: len(r.Series.Windows), width: r.Series.WindowNS,
	}
	if m.strike != nil && m.width > 0 {
		m.struck = int(*m.strike / m.width)
	}
	for _, e := range seedEvents {
		s, _ := r.StatsOf(e.phase)
		m.events = append(m.events, e.of(s))
	}
	for i := range r.Spectra {
		if x := &r.Spectra[i]; x.Dim == result.DimAll {
			m.spectra = append(m.spectra, rawSpectrum{phase: x.Phase, at: quantilesOf(x)})
		}
	}
	return m
}

// Seed is that of the run.
func (m *Member) Seed() uint64 { return m.run.Seed }

// Complete says whether the run came to its end. One that did not is left out of every number.
func (m *Member) Complete() bool { return m.run.Complete }

// Digest is that of the run.
func (m *Member) Digest() string { return m.run.Digest }

// headOf is a run without what it measured.
func headOf(r *result.Run) *result.Run {
	h := &result.Run{
		Schema: r.Schema, Scenario: r.Scenario, Variant: r.Variant, Story: r.Story,
		Seed: r.Seed, Key: r.Key, Digest: r.Digest,
		Complete: r.Complete, DurationNS: r.DurationNS, WarmupNS: r.WarmupNS, SimulatedNS: r.SimulatedNS,
		Setup: r.Setup, Phases: r.Phases, Ledger: result.Ledger{Sent: r.Ledger.Sent},
		Expectations: r.Expectations, Verdict: r.Verdict, Warnings: r.Warnings, NotModelled: r.NotModelled,
	}
	for _, f := range r.Faults {
		f.Effects, f.Spans, f.Downs, f.Baseline = nil, nil, nil, nil
		h.Faults = append(h.Faults, f)
	}
	return h
}

// firstStrike is when a fault struck first, nil if none did.
func firstStrike(r *result.Run) *int64 {
	var first *int64
	for i := range r.Faults {
		f := &r.Faults[i]
		at := f.FromNS
		if len(f.Spans) > 0 {
			at = f.Spans[0][0]
		}
		struck := f.Began && (!f.Repeats() || f.Strikes > 0) && at < r.SimulatedNS
		if struck && (first == nil || at < *first) {
			first = &at
		}
	}
	return first
}
