package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// mostFrontRows is how many points of a front the text shows.
const mostFrontRows = 12

// sweepFront writes the front: the medians of its points, and how they differ from the default, seed by seed.
// It returns the points that it names.
func (p *page) sweepFront(s *result.Sweep) []int {
	f := s.Front
	if f == nil || len(f.Points) == 0 {
		return nil
	}
	alike := alikePoints(s)
	first := make([]int, len(alike))
	for i, points := range alike {
		first[i] = points[0]
	}
	rows := evenly(first, mostFrontRows)
	t := &table{}
	var shown []int
	for _, points := range alike {
		if slices.Contains(rows, points[0]) {
			t.stub = append(t.stub, cell{text: fewPoints(s, points)})
			shown = append(shown, points[:min(len(points), mostAlike)]...)
		}
	}
	extra := s.Default >= 0 && !slices.Contains(f.Points, s.Default)
	if extra {
		name := "default"
		if s.Misses(s.Default) {
			name += " " + missMark
		}
		t.stub = append(t.stub, cell{text: name, ink: dim})
	}
	for _, m := range frontMetrics(s) {
		p.frontColumns(t, s, m, rows, extra)
	}
	if len(t.cols) == 0 {
		return nil
	}
	p.gap()
	p.wrapped("", "the front: no point is better in one of these without being worse in another", 0, bold)
	p.table(t)
	p.footnotes()
	var notes []string
	if n := len(alike) - len(rows); n > 0 {
		notes = append(notes, "and "+strconv.Itoa(n)+" more on the front")
	}
	if len(f.Near) > 0 {
		notes = append(notes, "near it, behind perhaps by luck: "+pointList(f.Near))
	}
	if len(notes) > 0 {
		p.wrapped("", strings.Join(notes, "; "), 2, dim)
	}
	return shown
}

// alikePoints are the points of the front, those with the same medians together.
func alikePoints(s *result.Sweep) [][]int {
	var out [][]int
	for _, i := range s.Front.Points {
		k := slices.IndexFunc(out, func(points []int) bool {
			return !slices.ContainsFunc(frontMetrics(s), func(m *result.SweepMetric) bool {
				return m.Cells[i].Median != m.Cells[points[0]].Median
			})
		})
		if k < 0 {
			out = append(out, []int{i})
			continue
		}
		out[k] = append(out[k], i)
	}
	return out
}

// mostAlike is how many points that are alike have their number in a row of the front.
const mostAlike = 3

// fewPoints name points that are alike.
func fewPoints(s *result.Sweep, points []int) string {
	names := make([]string, len(points))
	for i, n := range points {
		names[i] = pointName(s, n)
	}
	if n := len(names) - mostAlike; n > 0 {
		return strings.Join(names[:mostAlike], ", ") + ", +" + strconv.Itoa(n)
	}
	return strings.Join(names, ", ")
}

// pointList names points by their numbers.
func pointList(points []int) string {
	const most = 10
	names := make([]string, len(points))
	for i, n := range points {
		names[i] = strconv.Itoa(n)
	}
	return listed(names, most)
}

// frontColumns adds the columns of a metric to the table of the front.
func (p *page) frontColumns(t *table, s *result.Sweep, m *result.SweepMetric, rows []int, extra bool) {
	if extra {
		rows = append(slices.Clone(rows), s.Default)
	}
	value := t.column("median")
	value.group = brief(sweepShort(s, m), longestHead)
	const narrow = 50
	var differ *column
	seeds := &column{}
	if s.Default >= 0 {
		differ = t.column("difference")
		differ.group = value.group
		if p.opt.width() >= narrow {
			seeds = t.column("seeds")
			seeds.group = value.group
		}
	}
	row := &result.PairedRow{Metric: m.Metric, Phase: m.Phase, Fault: m.Fault, Unit: m.Unit, Better: m.Better}
	for _, i := range rows {
		c := &m.Cells[i]
		value.put(sweepValue(m.Unit, float64(c.Median)))
		if differ == nil {
			continue // there is nothing to differ from
		}
		if c.Against == nil || c.Against.Pairs == 0 {
			differ.put(none)
			seeds.put(none)
			continue
		}
		text := differenceTexts(row, m.Cells[s.Default].Median, c.Against)[0]
		d := cell{text: text}
		if !leavesOutZero(c.Against) {
			d.mark = p.note("cannot be told from none: the interval of the differences holds 0")
		}
		differ.cells = append(differ.cells, d)
		seeds.put(signsText(c.Against))
	}
}

// sweepSensitivity writes which axis matters for what.
func (p *page) sweepSensitivity(s *result.Sweep) {
	names := axisNames(s)
	began := false
	for _, x := range s.Sensitivity {
		m := &s.Metrics[x.Metric]
		if same(m) || len(x.Effects) == 0 || len(s.Axes) < 2 {
			continue
		}
		if !began {
			p.gap()
			p.wrapped("", "which axis matters: its share of the variance over the points, by itself", 0, bold)
			began = true
		}
		var parts []string
		const least = 0.01
		for _, e := range ranked(x) {
			if e.Share < least && len(parts) > 0 {
				continue
			}
			text := names[e.Axis] + " " + tightShare(e.Share)
			if e.Low != nil && e.High != nil {
				lo, hi := tightShare(*e.Low), tightShare(*e.High)
				text += " (" + strings.TrimSuffix(lo, "%") + "–" + hi + ")"
			}
			switch {
			case e.Sign > 0:
				text += " rises"
			case e.Sign < 0:
				text += " falls"
			}
			parts = append(parts, text)
		}
		parts = append(parts, "no axis alone "+tightShare(x.Rest))
		p.wrapped("", sweepShort(s, m)+": "+strings.Join(parts, ", "), 2, plain)
	}
	if began {
		p.wrapped("", "rises: the metric rises as the axis does", 0, dim)
	}
}

// tightShare is a share without decimals and without a blank, at which a line would be broken: "62%".
func tightShare(x float64) string { return strings.ReplaceAll(wholeShare(x), " ", "") }

// sweepEvents writes at which points what should never happen did.
func (p *page) sweepEvents(s *result.Sweep) {
	var never []string
	began := false
	for _, e := range s.Events {
		points, worst := 0, -1
		for i := range e.Points {
			if e.Points[i].Seeds == 0 {
				continue
			}
			points++
			if worst < 0 || e.Points[i].Seeds > e.Points[worst].Seeds ||
				e.Points[i].Seeds == e.Points[worst].Seeds && e.Points[i].Mean > e.Points[worst].Mean {
				worst = i
			}
		}
		if points == 0 {
			never = append(never, eventText(e.Name))
			continue
		}
		if !began {
			p.gap()
			p.wrapped("", "what should not happen, and medians hide", 0, bold)
			began = true
		}
		text := eventText(e.Name) + ": at " + strconv.Itoa(points) + " of " +
			plural(int64(len(s.Points)), "point") + ", most often " + eventAt(s, &e.Points[worst], worst)
		if s.Default >= 0 && s.Default != worst {
			text += "; the default: " + eventAt(s, &e.Points[s.Default], -1)
		}
		p.wrapped("", text, 2, bad)
	}
	if len(never) > 0 {
		if !began {
			p.gap()
		}
		p.wrapped("", "on no seed of any point: "+strings.Join(never, "; "), 2, dim)
	}
}

// eventAt says how often an event was at a point.
func eventAt(s *result.Sweep, e *result.SeedEvents, point int) string {
	text := "on " + strconv.Itoa(e.Seeds) + " of " + plural(int64(len(e.Counts)), "seed")
	if e.Seeds > 0 {
		text += ", " + number(math.Round(e.Mean*10)/10) + " a run"
	}
	switch {
	case point < 0:
		return text
	case point == s.Default:
		return "at the default, " + text
	}
	return "at point " + strconv.Itoa(point) + " (" + pointWords(s, point) + "), " + text
}

// sweepFair writes the command that compares a point with the default.
func (p *page) sweepFair(s *result.Sweep) {
	words := FairCompare(s)
	if words == nil {
		if text := fairLack(s); text != "" {
			p.wrapped("", text, 0, plain)
		}
		return
	}
	p.wrapped("", fairWords(s), 0, plain)
	lines := wrap(words, " ", p.opt.width()-len(`      \`))
	for i, l := range lines {
		if i > 0 {
			l = "    " + l
		}
		if i < len(lines)-1 {
			l += ` \`
		}
		p.line("  " + l)
	}
}

// fairWords introduce the command.
func fairWords(s *result.Sweep) string {
	against := "the default"
	switch {
	case s.Variant != "":
		against += ", variant " + s.Variant
	case s.Default < 0:
		against = "the scenario as it stands"
	}
	return "to judge point " + strconv.Itoa(chosenPoint(s)) + " against " + against +
		", on seeds that did not choose it:"
}

// fairLack says why there is no command where one would be of use; empty where none would.
func fairLack(s *result.Sweep) string {
	if s.Variant == "" || chosenPoint(s) < 0 {
		return ""
	}
	return "to judge point " + strconv.Itoa(chosenPoint(s)) + " against the default, run both on other seeds " +
		"and compare their results: what variant " + s.Variant + " changes is more than flags of simrun " +
		"compare say"
}

// chosenPoint is the point that is worth a comparison, among those that miss no requirement if there are any:
// of the front the one that is no worse than the default in any metric and the first in that order, else its
// first that is not like the default in all; without a front the best of the first metric that has a better
// direction. It is -1 if that is the default, or there is none.
func chosenPoint(s *result.Sweep) int {
	if f := s.Front; f != nil && len(f.Points) > 0 {
		others := slices.DeleteFunc(slices.Clone(f.Points), func(i int) bool {
			return i == s.Default || s.Default >= 0 && sameMedians(s, i, s.Default)
		})
		for _, i := range others {
			if s.Default >= 0 && beatsDefault(s, i) != "" {
				return i
			}
		}
		if len(others) > 0 {
			return others[0]
		}
		return -1
	}
	for i := range s.Metrics {
		if best := bestPoint(s, &s.Metrics[i]); best >= 0 && best != s.Default && !same(&s.Metrics[i]) {
			return best
		}
	}
	return -1
}

// sameMedians says whether two points are alike in all metrics of the front.
func sameMedians(s *result.Sweep, a, b int) bool {
	return !slices.ContainsFunc(s.Front.Metrics, func(k int) bool {
		return s.Metrics[k].Cells[a].Median != s.Metrics[k].Cells[b].Median
	})
}

// FairCompare is the command, flag by flag, that compares the point worth it with the default on as many
// seeds as a comparison has by default, none of which the sweep had; nil if there is no such point, or no
// flags say what the variant is that was swept.
func FairCompare(s *result.Sweep) []string {
	chosen := chosenPoint(s)
	if chosen < 0 || len(s.Points[chosen].Set) == 0 || s.Variant != "" && s.VariantSet == nil {
		return nil
	}
	from, to := freshSeeds(s.Seeds)
	of := s.Scenario
	if s.Ref != "" {
		of = s.Ref
	}
	words := []string{"simrun compare " + ShellQuote(of)}
	for _, set := range slices.Concat(s.Overrides, s.VariantSet) {
		words = append(words, "--set "+ShellQuote(set))
	}
	if s.Variants > 0 {
		words = append(words, "--variant chosen") // and none of the file
	}
	for _, set := range s.Points[chosen].Set {
		words = append(words, "--variant "+ShellQuote("chosen:"+set))
	}
	return append(words, "--seeds "+strconv.FormatUint(from, 10)+".."+strconv.FormatUint(to, 10))
}

// freshSeeds are twenty in a row, as many as a comparison has by default, of which none is among others:
// those behind them, or the first ones that there are.
func freshSeeds(used []uint64) (from, to uint64) {
	const seeds = 20
	sorted := slices.Sorted(slices.Values(used))
	if n := len(sorted); n > 0 && sorted[n-1] <= math.MaxUint64-seeds {
		from = sorted[n-1]
	} else {
		for _, x := range sorted {
			if x <= from+seeds {
				from = x
			}
		}
	}
	return from + 1, from + seeds
}
