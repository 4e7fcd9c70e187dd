package report

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"simrun/internal/result"
)

// comparedWorlds are comparisons that figures have to cope with: a normal one, one of more variants than can
// be told apart, and one of so few seeds that nothing has an interval.
func comparedWorlds() map[string]*result.Comparison {
	return map[string]*result.Comparison{
		"three": comparison(10, "base", "ours", "hasty"),
		"nine": comparison(10, "base", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
			"java-4.9.8+broker-5.3.3+rocketmq"),
		"few-seeds": comparison(4, "base", "ours"),
	}
}

// Each figure of a comparison is compared byte for byte, and its caption; no text is cut or covers another.
func TestCompareFigureGoldens(t *testing.T) {
	for world, c := range comparedWorlds() {
		var names, captions []string
		for _, f := range CompareFigures(c) {
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			t.Run(f.Name+"/"+world, func(t *testing.T) {
				checkTexts(t, svg)
				if world == "three" {
					golden(t, filepath.Join("testdata", "compare", "figures", f.Name+".svg"), svg)
				}
			})
			names, captions = append(names, f.Name), append(captions, f.Name+": "+f.Caption)
		}
		const want = "timeline-compare differences latency-hdr-compare paired-success_rate paired-failed " +
			"paired-latency_p99 paired-time_to_avoid-power-cut paired-broker_imbalance"
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", world, got, want)
		}
		golden(t, filepath.Join("testdata", "compare", "figures", world+".txt"),
			[]byte(strings.Join(captions, "\n")+"\n"))
	}
}

// A single variant, or none that has a seed in common, is no comparison.
func TestCompareFiguresOfNothing(t *testing.T) {
	if f := CompareFigures(comparison(10, "base")); len(f) > 0 {
		t.Errorf("%d figures of one variant", len(f))
	}
	c := comparison(6, "base", "ours")
	c.Seeds = nil
	if f := CompareFigures(c); len(f) > 0 {
		t.Errorf("%d figures without seeds", len(f))
	}
}

// Of more variants than have colours, those that differ most from the reference are drawn: "above that the
// most different ones with a note".
func TestCompareFiguresChooseWhatDiffers(t *testing.T) {
	c := comparedWorlds()["nine"]
	c.Reference = 3 // half of the others are like it, and four are not
	drawn := lookNames(looksOf(c))
	if want := "v3, base, v1, v2, v5, v6"; drawn != want {
		t.Errorf("drawn are %s, want %s", drawn, want)
	}
	for _, f := range CompareFigures(c)[:3] {
		told := strings.Contains(f.Caption, "the 5 of 8 variants that differ most")
		if told != (f.Name != "differences") {
			t.Errorf("%s: %s", f.Name, f.Caption)
		}
	}
}

// F10: "one dot per seed, sorted, zero line", and "n of m lower" in words. Ties and what never came count.
func TestPairedCounts(t *testing.T) {
	inf := math.Inf(1)
	for want, p := range map[string]result.Paired{
		"18 of 20 seeds lower, 2 higher":                    {Pairs: 20, Lower: 18, Higher: 2},
		"3 of 6 seeds higher, 2 equal, 1 lower":             {Pairs: 6, Lower: 1, Equal: 2, Higher: 3},
		"20 of 20 seeds equal":                              {Pairs: 20, Equal: 20},
		"10 of 18 seeds lower, 8 higher, 2 without a value": {Pairs: 18, Lower: 10, Higher: 8},
		"1 of 1 seed lower, 19 without a value":             {Pairs: 1, Lower: 1},
	} {
		seeds := 20
		if p.Pairs == 6 {
			seeds = 6
		}
		if got := pairedCounts(&p, seeds); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	d := pairedAxis{seeds: 3}
	never, none := result.SeedValue(inf), result.SeedValue(math.NaN())
	p := result.Paired{Differences: []result.SeedValue{2e9, never, none}}
	d.stretch(&p)
	d.finish(result.UnitNS)
	if !d.never || d.came || d.scale.name != "s" {
		t.Errorf("%+v", d)
	}
	if y := d.y(result.SeedValue(inf)); y <= d.hi || d.y(2e9) != 2 || d.lo >= 0 {
		t.Errorf("never is at %v, the axis is from %v to %v", y, d.lo, d.hi)
	}
}

func TestDifferenceText(t *testing.T) {
	for _, c := range []struct {
		unit result.Unit
		give float64
		want string
	}{
		{result.UnitNS, -965.2e6, "−965ms"},
		{result.UnitNS, 2.0149e9, "+2.01s"},
		{result.UnitNS, math.Inf(1), "never"},
		{result.UnitNS, math.Inf(-1), "came"},
		{result.UnitNS, math.NaN(), "–"},
		{result.UnitRatio, 0.000612, "+0.0612 pp"},
		{result.UnitRatio, -0.5, "−50 pp"},
		{result.UnitCount, -2561, "−2 561"},
		{result.UnitCount, 0, "0"},
		{result.UnitPer, 0.00484, "+0.00484"},
		{result.UnitPer, -1.25, "−1.25"},
	} {
		if got := differenceText(c.unit, result.SeedValue(c.give)); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.give, c.unit, got, c.want)
		}
	}
	if turnOf(result.HigherIsBetter, -1) != turnWorse ||
		turnOf(result.LowerIsBetter, math.Inf(-1)) != turnBetter ||
		turnOf(result.Neutral, 1) != turnNone || turnOf(result.LowerIsBetter, 0) != turnNone {
		t.Error("a difference is for the wrong side")
	}
}

// Names of releases and policies, joined, are broken where they were joined.
func TestTwoLines(t *testing.T) {
	sty := textStyle(labelSize, false, black)
	got := twoLines(sty, "java-4.9.8+broker-5.3.3", 70)
	if strings.Join(got, " ") != "java-4.9.8+ broker-5.3.3" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"a-name-without-an-end-that-nobody-chooses", strings.Repeat("m", 60), "a"} {
		for _, l := range twoLines(sty, name, 88) {
			if sty.Width(l) > 88 {
				t.Errorf("%q is too wide", l)
			}
		}
	}
}

// Names that begin alike can be told apart in every figure: what is left out is their middle.
func TestCompareFiguresTellLongNamesApart(t *testing.T) {
	const long = "a-name-that-says-all-of-what-the-variant-does-and-then-some-more-"
	c := comparison(10, "base", long+"1", long+"2")
	for _, f := range CompareFigures(c) {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		checkTexts(t, svg)
		text := string(svg[strings.Index(string(svg), "</desc>"):])
		for _, end := range []string{"-1<", "-2<"} {
			if !strings.Contains(text, end) {
				t.Errorf("%s: no name ends with %s", f.Name, end)
			}
		}
	}
	for _, name := range []string{"a", "ab", strings.Repeat("m", 60)} {
		sty := textStyle(labelSize, false, black)
		if got := shortenName(sty, name, 40); sty.Width(got) > 40 && len(got) > 4 {
			t.Errorf("%q is too wide", got)
		}
	}
}

// Faults are drawn as the reference has them; where a variant has others the figure says so.
func TestCompareTimelineTellsOtherFaults(t *testing.T) {
	c := comparison(10, "base", "ours", "hasty")
	const told = "The faults are those of base; hasty has others, or at other times."
	if f := CompareTimeline(c); strings.Contains(f.Caption, "The faults are") {
		t.Error(f.Caption)
	}
	c.Variants[2].Set.Faults = append(c.Variants[2].Set.Faults, result.SeedFault{
		Name: "second", Kind: "kill", Targets: []string{"c:0"}, Began: 10, FromNS: 60 * second, ToNS: 90 * second,
	})
	f := CompareTimeline(c)
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	checkTexts(t, svg)
	if !strings.Contains(f.Caption, told) || !strings.Contains(string(svg), "faults: of the reference") {
		t.Error(f.Caption)
	}
}

// "never with X" stands only where X has a seed in which it never came.
func TestPairedSeedsSayNeverWhereItIs(t *testing.T) {
	c := comparison(10, "base", "ours", "hasty")
	svg, err := PairedSeeds(c, &c.Rows[3]).SVG()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(svg); strings.Contains(text, "never with ours") ||
		!strings.Contains(text, "never with hasty") {
		t.Error("the strip is labelled where no mark is, or not where one is")
	}
}
