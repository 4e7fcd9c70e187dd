package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
)

// drawnSweepOf makes any sweep: names of any length, values that are missing, that never came or that are all
// the same, seeds too few for an interval, a default or none.
func drawnSweepOf(rt *rapid.T) *result.Sweep {
	names := rapid.StringMatching(`[a-z_.*W]{1,60}`)
	var axes []result.SweepAxis
	for a := range rapid.IntRange(1, 3).Draw(rt, "axes") {
		axis := result.SweepAxis{
			Param: names.Draw(rt, "axis"), Numeric: rapid.Bool().Draw(rt, "numeric"), Unit: result.UnitCount,
			Log: rapid.Bool().Draw(rt, "log"),
		}
		for l := range rapid.IntRange(1, 2).Draw(rt, "levels") {
			text := rapid.StringMatching(`[a-z" ,W]{0,40}`).Draw(rt, "level")
			axis.Levels = append(axis.Levels, strconv.Itoa(l)+text)
		}
		if a > 0 || rapid.Bool().Draw(rt, "default") {
			axis.Base = axis.Levels[0]
		}
		axes = append(axes, axis)
	}
	points, base := gridOf(axes, func(_, l int) float64 { return float64(l) })
	value := rapid.SampledFrom([]float64{0, 1, 0.999, 3e6, 5e9, math.NaN(), math.Inf(1)})
	mk := sweepMaker{axes: axes, points: points, base: base, seeds: rapid.IntRange(1, 7).Draw(rt, "seeds")}
	alike := rapid.Bool().Draw(rt, "alike")
	mk.of = func([]float64, int, int) []float64 {
		v := make([]float64, 6)
		for i := range v {
			if v[i] = 1; !alike || i == 2 {
				v[i] = value.Draw(rt, "value")
			}
		}
		v[0] = min(v[0], 1) // a share
		return v
	}
	s := mk.sweep()
	s.Scenario, s.Story = names.Draw(rt, "scenario"), rapid.StringMatching(`[a-zW ]{0,120}`).Draw(rt, "story")
	s.Complete = rapid.Bool().Draw(rt, "complete")
	s.Metrics[3].Fault = names.Draw(rt, "fault")
	for p := range s.Points {
		if rapid.Bool().Draw(rt, "set") {
			s.Points[p].Set = nil
		}
	}
	return s
}

// Whatever a sweep is, its figures are drawn without a text that is cut or covers another, its text stays in
// its columns, and its page is whole.
func TestSweepsOfAnyShape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawnSweepOf(rt)
		for _, f := range SweepFigures(s) {
			svg, err := f.SVG()
			if err != nil {
				rt.Fatal(err)
			}
			checkSweepTexts(t, rt, f.Name, svg)
		}
		width := rapid.IntRange(40, 100).Draw(rt, "width")
		var b strings.Builder
		if err := SweepText(&b, s, TextOptions{Width: width}); err != nil {
			rt.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), "to judge point")
		for l := range strings.Lines(text) {
			if l = strings.TrimSuffix(l, "\n"); runes(l) > width {
				rt.Errorf("%d columns of %d: %q", runes(l), width, l)
			}
		}
	})
}

// checkSweepTexts checks that no text leaves a figure or covers another.
func checkSweepTexts(t *testing.T, rt *rapid.T, name string, svg []byte) {
	t.Helper()
	texts, width, height := textsOf(t, svg)
	for i, a := range texts {
		if a.x0 < 2 || a.x1 > width-2 || a.y0 < 2 || a.y1 > height {
			rt.Errorf("%s: %q is cut: %+v of %v × %v", name, a.words, a, width, height)
		}
		for _, b := range texts[:i] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				rt.Errorf("%s: %q covers %q", name, a.words, b.words)
			}
		}
	}
}

// Whatever the values of an axis are, what stands for them in a figure or a sentence tells them apart: lists
// of latencies begin alike.
func TestLevelsAreToldApart(t *testing.T) {
	cut := func(text string) string { return brief(text, 12) }
	got := levelLabels([]string{
		`["50ms", "100ms", "550ms", "1800ms", "3s", "5s", "15s"]`,
		`["50ms", "100ms", "550ms", "1s", "2s", "5s", "15s"]`,
	}, func(text string) string { return brief(text, 20) })
	if want := `…"1800ms", "3s"…|…"1s", "2s"…`; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		levels := rapid.SliceOfNDistinct(rapid.StringMatching(`\[("[ab]{1,9}", ){0,4}"c"\]|[ab]{1,30}`), 1, 9,
			rapid.ID[string]).Draw(rt, "levels")
		seen := map[string]string{}
		for i, label := range levelLabels(levels, cut) {
			if other, ok := seen[label]; ok {
				rt.Fatalf("%q stands for %q and %q", label, other, levels[i])
			}
			seen[label] = levels[i]
		}
	})
}
