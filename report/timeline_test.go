package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

// The SVG of each world is compared byte for byte; -update rewrites it, then look at it.
func TestTimelineGolden(t *testing.T) {
	worlds := edgeWorlds()
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		t.Run(name, func(t *testing.T) {
			svg, err := Timeline(fixture(coarsened(worlds[name]))).SVG()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "timeline", name+".svg"), svg)
			checkTexts(t, svg)
		})
	}
}

// The same figure gives the same bytes, however often it is rendered and built.
func TestTimelineIsDeterministic(t *testing.T) {
	w := coarsened(twoMastersDown())
	f, again := Timeline(fixture(w)), Timeline(fixture(w))
	for _, format := range []string{"png", "svg"} {
		first, err := f.Render(format)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*Figure{f, again} {
			if next, err := g.Render(format); err != nil || !bytes.Equal(first, next) {
				t.Errorf("%s differs when rendered again (%v)", format, err)
			}
		}
	}
	if _, err := f.Render("pdf"); err == nil {
		t.Error("no error for an unknown format")
	}
}

// text is a text of an SVG with the box it takes up, y upwards.
type text struct {
	words          string
	x0, x1, y0, y1 float64
}

// textsOf reads an SVG; that it is well-formed is part of the test.
func textsOf(t *testing.T, svg []byte) (texts []text, width, height float64) {
	t.Helper()
	size := regexp.MustCompile(`font-size:([\d.]+)px`)
	d := xml.NewDecoder(bytes.NewReader(svg))
	var open *text
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, width, height
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			a := make(map[string]string)
			for _, x := range e.Attr {
				a[x.Name.Local] = x.Value
			}
			switch e.Name.Local {
			case "svg":
				width = parseFloat(t, strings.TrimSuffix(a["width"], "pt"))
				height = parseFloat(t, strings.TrimSuffix(a["height"], "pt"))
			case "text":
				h := parseFloat(t, size.FindStringSubmatch(a["style"])[1])
				x, y := parseFloat(t, a["x"]), -parseFloat(t, a["y"])
				texts = append(texts, text{x0: x, y0: y, x1: h, y1: y + 0.72*h})
				open = &texts[len(texts)-1]
				if strings.Contains(a["style"], "bold") {
					open.x1 = -h
				}
			}
		case xml.CharData:
			if open != nil {
				open.words = string(e)
				sty := textStyle(vg.Length(math.Abs(open.x1)), open.x1 < 0, black)
				open.x1 = open.x0 + float64(sty.Width(open.words))
				open = nil
			}
		}
	}
}

func parseFloat(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// checkTexts says whether every text is inside the figure and none covers another.
func checkTexts(t *testing.T, svg []byte) {
	t.Helper()
	texts, width, height := textsOf(t, svg)
	if len(texts) < 10 || width != 648 {
		t.Fatalf("%d texts in a figure %v wide", len(texts), width)
	}
	const descent = 2
	for i, a := range texts {
		if size := (a.y1 - a.y0) / 0.72; size < 7.999 {
			t.Errorf("%q is smaller than 8 pt: %v", a.words, size)
		}
		if a.x0 < 2 || a.x1 > width-2 || a.y0-descent < 0 || a.y1 > height {
			t.Errorf("%q is cut: %+v", a.words, a)
		}
		for _, b := range texts[:i] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%q covers %q", a.words, b.words)
			}
		}
	}
}

// All panels have the same time axis: each data area ends up exactly where it should.
func TestPanelsAreAligned(t *testing.T) {
	r := fixture(coarsened(edgeWorlds()["thirty-brokers"]))
	tl := &timeline{run: r, end: r.SimulatedNS, rows: brokerRows(r)}
	want := vg.Rectangle{Min: vg.Point{X: 64, Y: 100}, Max: vg.Point{X: 526, Y: 190}}
	for _, p := range []panel{tl.latency(), tl.outcomes(), tl.shares(sharesHeight, false), tl.avoidance(true)} {
		var got vg.Rectangle
		p.plot.Add(probe{&got})
		fit(p.plot, draw.NewCanvas(new(recorder.Canvas), figureWidth, 400), want)
		for _, d := range []vg.Length{
			got.Min.X - want.Min.X, got.Max.X - want.Max.X,
			got.Min.Y - want.Min.Y, got.Max.Y - want.Max.Y,
		} {
			if math.Abs(float64(d)) > 1e-3 {
				t.Errorf("%s: data area %v, want %v", p.title, got, want)
				break
			}
		}
	}
}

// A story of any length, brokers and faults of any name and number: nothing leaves the figure.
func TestTimelineNeverOverflows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := &result.Run{
			Complete: true, DurationNS: 60 * second, SimulatedNS: 60 * second,
			Scenario: rapid.StringMatching(`[a-z-]{1,150}`).Draw(rt, "scenario"),
			Story:    rapid.StringMatching(`[a-zW ]{0,200}`).Draw(rt, "story"),
			Digest:   "0123456789abcdef",
		}
		w := result.Window{}
		for range rapid.IntRange(1, 12).Draw(rt, "brokers") {
			name := rapid.StringMatching(`[a-zW-]{1,40}`).Draw(rt, "broker")
			r.Series.Brokers = append(r.Series.Brokers, name)
			w.Sends = append(w.Sends, rapid.Int64Range(0, 5).Draw(rt, "sends"))
			w.Avoided, w.Routed = append(w.Avoided, 0.5), append(w.Routed, 0.5)
		}
		r.Series.WindowNS, r.Series.Windows = 60*second, []result.Window{w}
		for range rapid.IntRange(0, 9).Draw(rt, "faults") {
			from := rapid.Int64Range(0, 60).Draw(rt, "from")
			r.Faults = append(r.Faults, result.Fault{
				Began: true, FromNS: from * second,
				ToNS: rapid.Int64Range(from, 61).Draw(rt, "to") * second, Kind: "power-loss",
				Name:    rapid.StringMatching(`[a-zW-]{1,80}`).Draw(rt, "fault"),
				Targets: []string{r.Series.Brokers[0] + ":0"},
			})
		}
		svg, err := Timeline(r).SVG()
		if err != nil {
			rt.Fatal(err)
		}
		checkTexts(t, svg)
		if t.Failed() {
			rt.Fatal("see above")
		}
	})
}

// probe remembers the data area it is drawn in.
type probe struct{ at *vg.Rectangle }

func (p probe) Plot(c draw.Canvas, _ *plot.Plot) { *p.at = c.Rectangle }

// Windows without messages leave gaps: the line is cut, not drawn to zero.
func TestRunsAreCutAtGaps(t *testing.T) {
	nan := math.NaN()
	steps := []step{
		{0, 1, 0, nan}, {1, 2, 0, 5}, {2, 3, 0, 6}, {3, 4, 0, nan}, {4, 5, 0, 7}, {5, 6, 0, nan},
	}
	got := runs(steps)
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 || got[1][0].hi != 7 {
		t.Errorf("runs: %v", got)
	}
}

func TestStraighten(t *testing.T) {
	p := func(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }
	got := straighten([]vg.Point{p(0, 1), p(1, 1), p(1, 1), p(2, 1), p(2, 3), p(2, 3), p(3, 3)})
	want := []vg.Point{p(0, 1), p(2, 1), p(2, 3), p(3, 3)}
	if !slices.Equal(got, want) {
		t.Errorf("straighten: %v, want %v", got, want)
	}
}

// A hatch line lies within the steps it is cut to, rises at 45 degrees, and runs on where two steps
// leave it room.
func TestHatchLine(t *testing.T) {
	same := func(x float64) vg.Length { return vg.Length(x) }
	run := []step{{0, 10, 0, 10}, {10, 20, 0, 30}, {20, 30, 25, 26}}
	got := hatchLine(run, 0, 0, same, same)
	want := [][]vg.Point{{{X: 0, Y: 0}, {X: 20, Y: 20}}, {{X: 25, Y: 25}, {X: 26, Y: 26}}}
	if len(got) != len(want) {
		t.Fatalf("lines: %v, want %v", got, want)
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("line %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// Labels that are too close move apart, stay in order, stay inside, and move no more than needed
// when there is room.
func TestSpreadOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		want := make([]vg.Length, n)
		for i := range want {
			want[i] = vg.Length(rapid.Float64Range(0, 100).Draw(t, "want"))
		}
		slices.Sort(want)
		got := spreadOut(want, 10, 0, 100)
		for i := range got {
			if got[i] < -1e-9 || got[i] > 100+1e-9 || i > 0 && got[i]-got[i-1] < 10-1e-9 {
				t.Errorf("%v becomes %v", want, got)
			}
		}
	})
	room := []vg.Length{10, 30, 70}
	if got := spreadOut(room, 10, 0, 100); !slices.Equal(got, room) {
		t.Errorf("labels with room moved to %v", got)
	}
}

// Bands of one lane never touch, with their labels.
func TestLanesDoNotTouch(t *testing.T) {
	x := func(ns int64) vg.Length { return 64 + vg.Length(ns) }
	bands := []band{
		{from: 0, to: 30, label: "warm-up"},
		{from: 20, to: 50, label: "first"},
		{from: 200, to: 210, label: "second fault"},
		{from: 215, to: 216, label: "third"},
		{from: 455, to: 460, label: "near the right edge"},
	}
	n := placeLabels(bands, x, 600)
	var lanes []int
	for _, b := range bands {
		lanes = append(lanes, b.lane)
	}
	if want := []int{0, 1, 0, 1, 0}; n != 2 || !slices.Equal(lanes, want) {
		t.Errorf("%d lanes %v, want 2 lanes %v", n, lanes, want)
	}
}

// Bands for which there is no lane left are counted, each once.
func TestBandsWithoutLabelAreCounted(t *testing.T) {
	for n := 1; n <= 12; n++ {
		r := &result.Run{
			Complete: true, DurationNS: 60 * second, SimulatedNS: 60 * second, Scenario: "many",
			Series: result.Series{WindowNS: 60 * second, Brokers: []string{"a"}, Windows: []result.Window{{
				N: 1, OK: 1, P50NS: 1e6, P95NS: 1e6, P99NS: 1e6, MaxNS: 1e6,
				Sends: []int64{1}, Avoided: []float64{0}, Routed: []float64{1},
			}}},
		}
		for i := range n {
			r.Faults = append(r.Faults, result.Fault{
				Name: "f" + strconv.Itoa(i), Kind: "kill", Targets: []string{"a:0"}, Began: true,
				FromNS: int64(i) * second, ToNS: 60 * second,
			})
		}
		svg, err := Timeline(r).SVG()
		if err != nil {
			t.Fatal(err)
		}
		texts, _, _ := textsOf(t, svg)
		named, more := 0, 0
		for _, x := range texts {
			if strings.Contains(x.words, ": kill of a:0") {
				named++
			}
			if rest, ok := strings.CutPrefix(x.words, "+"); ok {
				more, err = strconv.Atoi(strings.TrimSuffix(rest, " more"))
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if named+more != n || n <= mostLanes && more > 0 || n > mostLanes && named < mostLanes-1 {
			t.Errorf("%d faults: %d named, %d more", n, named, more)
		}
		checkTexts(t, svg)
	}
}

func TestTicks(t *testing.T) {
	labels := func(end int64) (out []string) {
		for _, k := range (timeTicks{unitFor(end)}).Ticks(0, float64(end)/1e9) {
			out = append(out, k.Label)
		}
		return out
	}
	for _, c := range []struct {
		end  int64
		want string
		unit string
	}{
		{480 * second, "0 60 120 180 240 300 360 420 480", "s"},
		{60 * second, "0 10 20 30 40 50 60", "s"},
		{second / 2, "0 50 100 150 200 250 300 350 400 450 500", "ms"},
		{3600 * second, "0 10 20 30 40 50 60", "min"},
		{36_000 * second, "0 1 2 3 4 5 6 7 8 9 10", "h"},
	} {
		got, unit := strings.Join(labels(c.end), " "), unitFor(c.end).name
		if got != c.want || unit != c.unit {
			t.Errorf("%d s: %s %s, want %s %s", c.end/second, got, unit, c.want, c.unit)
		}
	}
}

// An axis of any length has a few labels, not none and not a crowd.
func TestTimeTicksAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := int64(math.Exp(rapid.Float64Range(math.Log(1e7), math.Log(3e15)).Draw(t, "log")))
		n := len((timeTicks{unitFor(end)}).Ticks(0, float64(end)/1e9))
		if n < 2 || n > 12 {
			t.Errorf("%d labels on an axis of %d ns", n, end)
		}
	})
}

// A log axis holds all its data inside round ends and has at least two labels.
func TestLogRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Exp(rapid.Float64Range(-7, 9).Draw(t, "lo"))
		hi := lo * math.Exp(rapid.Float64Range(0, 12).Draw(t, "width"))
		a, b := logRange(lo, hi)
		if a > lo || b < hi || b < 9.99*a {
			t.Errorf("[%v, %v] is shown in [%v, %v]", lo, hi, a, b)
		}
		n := 0
		for _, k := range (logTicks{}).Ticks(a, b) {
			if !k.IsMinor() {
				n++
			}
		}
		if n < 2 || n > 12 {
			t.Errorf("%d labels on [%v, %v]", n, a, b)
		}
	})
}

// With many brokers every fault keeps at least one row.
func TestEveryFaultHasARow(t *testing.T) {
	rows := brokerRows(fixture(coarsened(edgeWorlds()["thirty-brokers"])))
	var names []string
	fair := 0.0
	for _, r := range rows {
		names = append(names, r.name)
		fair += r.fair
	}
	if got, want := strings.Join(names, " "), "b d e f g h m others (23)"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if math.Abs(fair-1) > 1e-9 {
		t.Errorf("fair shares sum to %v", fair)
	}
}

// Fair shares follow the queues: a broker that lacks a topic gets none of its messages.
func TestFairShares(t *testing.T) {
	r := &result.Run{Setup: result.Setup{
		Topics: []result.SetupTopic{
			{Name: "x", Brokers: []string{"a", "b"}},
			{Name: "y", Brokers: []string{"b"}},
		},
		Producers: []result.SetupProducer{
			{Rate: 300, Topics: []result.SetupShare{{Name: "x", Share: 1}}},
			{Rate: 100, Topics: []result.SetupShare{{Name: "y", Share: 1}}},
		},
	}}
	r.Series.Brokers = []string{"a", "b", "c"}
	if got, want := fairShares(r), []float64{0.375, 0.625, 0}; !slices.Equal(got, want) {
		t.Errorf("fair shares %v, want %v", got, want)
	}
}

// "A quantile with fewer than ten messages beyond it is shown as such": in windows of 800 messages the 99th
// percentile is dotted, in windows of 3 200 nothing is.
func TestThinQuantilesAreDotted(t *testing.T) {
	for _, c := range []struct {
		rate float64
		thin bool
	}{{3200, false}, {800, true}} {
		w := edgeWorlds()["steady"]
		w.rate = c.rate
		svg, err := Timeline(fixture(w)).SVG()
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(svg, []byte("dotted: under 10 beyond")); got != c.thin {
			t.Errorf("%v msg/s: dotted %v, want %v", c.rate, got, c.thin)
		}
	}
	for _, c := range []struct {
		milli, n int64
		thin     bool
	}{{990, 999, true}, {990, 1000, false}, {500, 19, true}, {500, 20, false}} {
		if got := result.ThinQuantile(c.milli, c.n); got != c.thin {
			t.Errorf("quantile %d of %d: thin %v", c.milli, c.n, got)
		}
	}
}
