package report

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

// figureWorlds are a normal run, one in which nothing was sent, one with more of everything than has room,
// one of two producer groups, and one that was interrupted.
func figureWorlds() map[string]*result.Run {
	runs := make(map[string]*result.Run)
	for _, name := range []string{"two-masters-down", "no-messages", "thirty-brokers"} {
		r := detailed(coarsened(edgeWorlds()[name]))
		if name == "no-messages" {
			r.Isolations, r.Faults = nil, nil
		}
		// A sample of the sample: the golden PNG stays small.
		var some []result.SampledSend
		for i := 0; i < len(r.Sample.Sends); i += 17 {
			some = append(some, r.Sample.Sends[i])
		}
		r.Sample.Sends = some
		runs[name] = expecting(r)
	}
	runs["two-groups"] = grouped(coarsened(twoMastersDown()))
	runs["two-groups"].Sample.Sends = nil
	w := coarsened(edgeWorlds()["interrupted"])
	runs["interrupted"] = detailed(w)
	runs["interrupted"].Sample.Sends = nil
	return runs
}

const everyFigure = "timeline latency-raw latency-hdr latency-ecdf fault-table selection-share recovery " +
	"attempts queue-depth"

// The figures of a run are always the same, in the same order; those with nothing to show are left out.
func TestFiguresThatThereAre(t *testing.T) {
	runs := figureWorlds()
	for world, want := range map[string]string{
		"two-masters-down": everyFigure,
		"thirty-brokers":   everyFigure,
		"no-messages":      "timeline",
		"two-groups":       strings.Replace(everyFigure, "latency-raw ", "", 1),
	} {
		var names []string
		for _, f := range Figures(runs[world]) {
			names = append(names, f.Name)
			if f.Title == "" || f.Desc == "" || !strings.HasSuffix(f.Caption, ".") {
				t.Errorf("%s of %s: title %q, caption %q, description %q", f.Name, world, f.Title,
					f.Caption, f.Desc)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", world, got, want)
		}
	}
}

// Each figure of each world is compared byte for byte; no text is cut, covers another or is too small.
func TestFigureGoldens(t *testing.T) {
	for world, r := range figureWorlds() {
		for _, f := range Figures(r) {
			if f.Name == "timeline" {
				continue // it has a test of its own
			}
			t.Run(f.Name+"/"+world, func(t *testing.T) {
				svg, err := f.SVG()
				if err != nil {
					t.Fatal(err)
				}
				checkTexts(t, svg)
				if f.Raster {
					goldenPixels(t, filepath.Join("testdata", "figures", f.Name, world+".png"), f)
				} else {
					golden(t, filepath.Join("testdata", "figures", f.Name, world+".svg"), svg)
				}
				golden(t, filepath.Join("testdata", "figures", f.Name, world+".txt"), []byte(f.Caption+"\n"))
			})
		}
	}
}

// goldenPixels compares a figure with a PNG file pixel by pixel: another compressor may write other bytes.
func goldenPixels(t *testing.T, path string, f *Figure) {
	t.Helper()
	data, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		golden(t, path, data)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pixels(t, data), pixels(t, want)) {
		t.Errorf("%s differs (run with -update and look at it)", path)
	}
}

// pixels are the size and the colours of a PNG.
func pixels(t *testing.T, data []byte) []uint32 {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Max
	out := []uint32{uint32(size.X), uint32(size.Y)}
	for y := range size.Y {
		for x := range size.X {
			r, g, b, _ := img.At(x, y).RGBA()
			out = append(out, r>>8<<16|g>>8<<8|b>>8)
		}
	}
	return out
}

// Rendering everything of a run takes no longer for more messages: the drawings are bounded.
func BenchmarkRenderAll(b *testing.B) {
	r := expecting(detailed(twoMastersDown()))
	for b.Loop() {
		for _, f := range Figures(r) {
			if _, err := f.PNG(); err != nil {
				b.Fatal(err)
			}
			if f.Raster {
				continue
			}
			if _, err := f.SVG(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// No run that the fixtures make gives figures in which a text is cut or covers another.
func TestFiguresOfEdgeWorlds(t *testing.T) {
	for name, w := range edgeWorlds() {
		t.Run(name, func(t *testing.T) {
			r := detailed(coarsened(w))
			r.Sample.Sends = r.Sample.Sends[:min(len(r.Sample.Sends), 100)]
			for _, f := range Figures(r) {
				svg, err := f.SVG()
				if err != nil {
					t.Fatal(err)
				}
				checkTexts(t, svg)
			}
		})
	}
}

// Figures of the same results have the same bytes.
func TestFiguresAreDeterministic(t *testing.T) {
	first, again := Figures(figureWorlds()["two-masters-down"]), Figures(figureWorlds()["two-masters-down"])
	for i, f := range first {
		for _, format := range []string{"svg", "png"} {
			a, err := f.Render(format)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := again[i].Render(format); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s.%s differs when made again (%v)", f.Name, format, err)
			}
		}
	}
}

// Ids are unique over all figures, for they stand on one page.
func TestIDsAreUnique(t *testing.T) {
	var ids []string
	for _, f := range Figures(figureWorlds()["two-masters-down"]) {
		if f.Raster {
			continue
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(svg), ` id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			if slices.Contains(ids, id) {
				t.Errorf("id %q is used twice", id)
			}
			ids = append(ids, id)
		}
	}
	if len(ids) < 6 {
		t.Errorf("only %d ids", len(ids))
	}
}

// A line of latency-hdr stops where fewer than ten messages remain beyond: of 1 000 messages at p99.
func TestHDRStopsWhereTenRemain(t *testing.T) {
	s := result.Spectrum{Buckets: []result.Bucket{
		{UpToNS: 1e6, N: 900}, {UpToNS: 2e6, N: 95}, {UpToNS: 3e6, N: 5},
	}}
	steps := hdrSteps(curve{n: 1000, of: s})
	if n := len(steps); n != 2 || steps[1].x1 != 100 || steps[1].hi != 2 {
		t.Errorf("steps %v end at 1/(1-p) = 100", steps)
	}
	few := result.Spectrum{Buckets: []result.Bucket{{UpToNS: 1, N: 20}}}
	if steps := hdrSteps(curve{n: 20, of: few}); steps != nil {
		t.Errorf("of 20 messages the line is %v", steps)
	}
}

// Bars that cannot be told apart become one, of the highest level; no bar reaches into the next.
func TestMergeThin(t *testing.T) {
	const end = 462 * second // a point is a second
	row := []result.Isolation{
		{FromNS: 10 * second, UntilNS: 50 * second, LevelNS: 1, Explained: true},
		{FromNS: 40 * second, UntilNS: 40*second + 5e8, LevelNS: 2, Explained: true},
		{FromNS: 41 * second, UntilNS: 41*second + 5e8, LevelNS: 3},
	}
	got := mergeThin(row, end)
	if len(got) != 2 || got[0].UntilNS != 40*second || got[1].LevelNS != 3 || got[1].Explained {
		t.Errorf("merged: %+v", got)
	}
}

// A run of 1 000 instances that never calm down still has a figure of bounded size.
func TestFaultTableIsBounded(t *testing.T) {
	r := detailed(coarsened(twoMastersDown()))
	r.Setup.Producers[0].Count = 1000
	r.Isolations = nil
	for i := range 20_000 {
		from := int64(i/200) * 4 * second
		r.Isolations = append(r.Isolations, result.Isolation{
			Producer: "p", Instance: i % 200, Broker: brokerName(i % 3), FromNS: from,
			UntilNS: from + 3*second, LevelNS: 550e6, NotAvailableNS: 3 * second, Explained: i%2 == 0,
		})
	}
	f := FaultTable(r)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	checkTexts(t, svg)
	if len(svg) > 1_200_000 || f.height > 600 || !strings.Contains(string(svg), " of 1 000)") {
		t.Errorf("%d bytes, %v high", len(svg), f.height)
	}
}

// Drawings do not grow with the number of messages: they are of windows, buckets and bounded lists.
func TestFiguresDoNotGrowWithMessages(t *testing.T) {
	size := func(rate float64) (n int) {
		w := coarsened(twoMastersDown())
		w.rate = rate
		r := detailed(w)
		r.Sample.Sends = nil // bounded where it is made
		for _, f := range Figures(r) {
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			n += len(svg)
		}
		return n
	}
	if few, many := size(3200), size(320_000); float64(many) > 1.1*float64(few) {
		t.Errorf("%d bytes of 100 times the messages, %d of them", many, few)
	}
}
