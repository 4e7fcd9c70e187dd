package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

// Each figure of each sweep is compared byte for byte, of most sweeps one heat map of several; no text is
// cut, covers another or is too small.
func TestSweepFigureGoldens(t *testing.T) {
	kept := strings.Fields("sweep-latency_p99 sweep-lines sweep-scatter pareto sensitivity")
	for world, s := range sweepWorlds() {
		for _, f := range SweepFigures(s) {
			t.Run(f.Name+"/"+world, func(t *testing.T) {
				svg, err := f.SVG()
				if err != nil {
					t.Fatal(err)
				}
				checkTexts(t, svg)
				if world == "large" || world != "scales" && !slices.Contains(kept, f.Name) {
					return
				}
				golden(t, filepath.Join("testdata", "sweep", world, f.Name+".svg"), svg)
				golden(t, filepath.Join("testdata", "sweep", world, f.Name+".txt"), []byte(f.Caption+"\n"))
			})
		}
	}
}

// Which figures a sweep has: of one axis lines, of two heat maps, of names and numbers both, of points that
// fill a space dots; of what is the same everywhere none.
func TestSweepFiguresThatThereAre(t *testing.T) {
	maps := "sweep-success_rate sweep-failed sweep-latency_p99 sweep-time_to_avoid-gc-pause " +
		"sweep-broker_imbalance sweep-starved_time-gc-pause pareto sensitivity"
	lossy := strings.Replace(maps, " pareto", " sweep-seeds-with-acked_lost pareto", 1)
	for world, want := range map[string]string{
		"line": "sweep-lines pareto", "scales": lossy, "versions": "sweep-lines " + maps,
		"latin": "sweep-scatter pareto sensitivity",
	} {
		var names []string
		for _, f := range SweepFigures(sweepWorlds()[world]) {
			names = append(names, f.Name)
			if f.Title == "" || f.Desc == "" || !strings.HasSuffix(f.Caption, ".") {
				t.Errorf("%s of %s: title %q, caption %q, description %q", f.Name, world, f.Title, f.Caption, f.Desc)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", world, got, want)
		}
	}
	s := scaleSweep()
	for p := range s.Points {
		s.Metrics[1].Cells[p] = result.SweepCell{Values: []result.SeedValue{0, 0}}
	}
	if f := SweepMap(s, 1); f != nil {
		t.Errorf("%s is drawn of a metric that is 0 everywhere", f.Name)
	}
	for p := range s.Points {
		s.Metrics[3].Cells[p] = result.SweepCell{Median: result.SeedValue(math.Inf(1))}
	}
	var text strings.Builder
	if err := SweepText(&text, s, TextOptions{}); err != nil || SweepMap(s, 3) != nil ||
		!strings.Contains(text.String(), "the same at every point: failed 0, time to avoid never") {
		t.Errorf("of a time that comes nowhere: %v\n%s", err, text.String())
	}
}

// Text of 80, 60 and 40 columns stays within them, says what the figures say, and ends with the command for a
// fair comparison: "nothing is tested here".
func TestSweepText(t *testing.T) {
	for world, s := range sweepWorlds() {
		for _, width := range []int{80, 60, 40} {
			var b strings.Builder
			if err := SweepText(&b, s, TextOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			for l := range strings.Lines(b.String()) {
				if l = strings.TrimSuffix(l, "\n"); runes(l) > width && !strings.Contains(l, "--variant ") &&
					!strings.Contains(l, "simrun compare ") {
					t.Errorf("%s: %d columns of %d: %q", world, runes(l), width, l)
				}
			}
			if width == 80 || world == "scales" {
				name := fmt.Sprintf("sweep-%d.txt", width)
				golden(t, filepath.Join("testdata", "sweep", world, name), []byte(b.String()))
			}
		}
	}
}

// Markdown has what the text has, and the command as a block to copy.
func TestSweepMarkdown(t *testing.T) {
	var b strings.Builder
	if err := SweepMarkdown(&b, scaleSweep()); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "sweep", "scales", "sweep.md"), []byte(b.String()))
}

// The command for a fair comparison takes the chosen point with all that it changes, and seeds that the sweep
// did not have (decisions.md, section 10: "reported numbers are those of the held-out seeds").
func TestFairCompare(t *testing.T) {
	s := scaleSweep()
	s.Overrides = []string{"duration=30s"}
	s.Seeds = []uint64{5, 7, 3}
	got := strings.Join(FairCompare(s), " ")
	want := "simrun compare gc-pause --set duration=30s --variant 'chosen:producer.*.latency_max=0.25' " +
		"--variant 'chosen:producer.*.not_available_duration=0' --seeds 8..27"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	s.Ref, s.Variants, s.Variant, s.VariantSet = "./my own.toml", 3, "ours", []string{"broker.a.slaves=2"}
	s.Seeds = []uint64{5, math.MaxUint64}
	got = strings.Join(FairCompare(s), " ")
	want = "simrun compare './my own.toml' --set duration=30s --set broker.a.slaves=2 --variant chosen " +
		"--variant 'chosen:producer.*.latency_max=0.25' " +
		"--variant 'chosen:producer.*.not_available_duration=0' --seeds 6..25"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	s.VariantSet = nil
	if words := FairCompare(s); words != nil || !strings.Contains(fairLack(s), "variant ours") {
		t.Errorf("%v, %q", words, fairLack(s))
	}
	s.Front.Points, s.Default = []int{s.Default}, s.Front.Points[0]
	s.Front.Points[0] = s.Default
	if words := FairCompare(s); words != nil {
		t.Errorf("the default against itself: %v", words)
	}
}

// A scale keeps the order of values, has its ends at 0 and 1, and what never came beyond.
func TestSweepScale(t *testing.T) {
	never := math.Inf(1)
	for _, c := range []struct {
		unit   result.Unit
		values []float64
		kind   scaleKind
	}{
		{result.UnitNS, []float64{1e9, 2e9, 3e9}, scaleLinear},
		{result.UnitNS, []float64{1e6, 2e9, never}, scaleLog},
		{result.UnitCount, []float64{0, 1, 10, 1000}, scaleLog},
		{result.UnitCount, []float64{0, 0}, scaleLinear},
		{result.UnitCount, []float64{7, 8, 9}, scaleLinear},
		{result.UnitRatio, []float64{0.9, 0.99, 0.9999, 1}, scaleShort},
		{result.UnitRatio, []float64{0.5, 0.6}, scaleLinear},
		{result.UnitPer, []float64{1, 1.2, math.NaN()}, scaleLinear},
	} {
		s := newSweepScale(c.unit, c.values)
		if s.kind != c.kind {
			t.Errorf("%v: kind %v, want %v", c.values, s.kind, c.kind)
		}
		last := -1.0
		for _, x := range c.values {
			at := s.at(x)
			if math.IsNaN(x) != math.IsNaN(at) || at < last || !math.IsInf(x, 1) && at > 1+1e-9 ||
				math.IsInf(x, 1) && at <= 1 {
				t.Errorf("%v: %v is at %v after %v", c.values, x, at, last)
			}
			if !math.IsNaN(at) {
				last = at
			}
		}
		if !s.constant && (s.at(c.values[0]) > 1e-9 || s.badness(result.HigherIsBetter, c.values[0]) < 1-1e-9) {
			t.Errorf("%v: the least is at %v, the worst if higher is better at %v", c.values, s.at(c.values[0]),
				s.badness(result.HigherIsBetter, c.values[0]))
		}
		labels := map[string]bool{}
		for _, tick := range s.Ticks(0, 1) {
			if labels[tick.Label] && tick.Label != "" {
				t.Errorf("%v: two ticks are called %s", c.values, tick.Label)
			}
			labels[tick.Label] = true
		}
		if len(labels) == 0 {
			t.Errorf("%v: no ticks", c.values)
		}
	}
}

// The colours of a heat map grow darker from good to bad: it can be read in grey.
func TestRampGrowsDarker(t *testing.T) {
	last := 256.0
	for x := 0.0; x <= 1.1; x += 0.05 {
		c := rampAt(x)
		y := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		if x <= 1 && y >= last {
			t.Errorf("at %v the grey is %v after %v", x, y, last)
		}
		last = y
	}
}

// The default wins a tie; what cannot be told from it is what the interval of the differences says.
func TestBestAndAlike(t *testing.T) {
	s := scaleSweep()
	m := &s.Metrics[2]
	cell := &m.Cells[bestPoint(s, m)]
	m.Cells[s.Default].Median = cell.Median
	if got := bestPoint(s, m); got != s.Default {
		t.Errorf("best is %d, want the default %d", got, s.Default)
	}
	lo, hi := result.SeedValue(-1), result.SeedValue(1)
	m.Cells[0].Against = &result.Paired{Pairs: 10, Low: &lo, High: &hi}
	if !likeDefault(s, m, 0) {
		t.Error("an interval around 0 is told from the default")
	}
	lo = 0.5
	if likeDefault(s, m, 0) {
		t.Error("an interval above 0 is not told from the default")
	}
	if likeDefault(s, m, s.Default) {
		t.Error("the default is marked as like itself")
	}
}

// A metric of the front that is the same at every point takes no axis and no column; points that are alike
// are told once.
func TestFrontLeavesOutWhatIsTheSame(t *testing.T) {
	s := scaleSweep()
	for p := range s.Points {
		s.Metrics[1].Cells[p].Median = 0
	}
	s.Front = &result.Front{Metrics: []int{1, 5, 3}, Points: []int{0, 1, 3}}
	for _, k := range []int{5, 3} {
		s.Metrics[k].Cells[1].Median = s.Metrics[k].Cells[0].Median
	}
	f := Pareto(s)
	if f == nil || !strings.HasPrefix(f.Title, "What can be had together: time starved") {
		t.Fatalf("the front is %+v", f)
	}
	var b strings.Builder
	if err := SweepText(&b, s, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	_, front, _ := strings.Cut(b.String(), "the front:")
	front, _, _ = strings.Cut(front, "\npoints")
	if strings.Contains(front, "failed") || !strings.Contains(front, "\n0, 1  ") {
		t.Errorf("the front is told as%s", front)
	}
	s.Front.Metrics = []int{1, 5}
	if f := Pareto(s); f != nil {
		t.Errorf("a front of one metric that differs: %s", f.Title)
	}
}

// Times that are nearly the same are nearly the same colour; those that are not have all of the palette.
func TestColoursDoNotExaggerate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, apart float64 }{
		{4.38e6, 4.4e6, 0.1}, {100e6, 100e6 + 1, 0.001}, {1e6, 2e6, 1},
	} {
		s := newColourScale(result.UnitNS, []float64{c.a, c.b})
		if got := s.at(c.b) - s.at(c.a); got < 0 || got > c.apart || c.apart == 1 && got != 1 {
			t.Errorf("%v and %v are %v of the palette apart, want at most %v", c.a, c.b, got, c.apart)
		}
	}
}
