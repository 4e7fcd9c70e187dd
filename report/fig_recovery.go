package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mostRecoveries is how many brokers struck by faults the figure has rows for, over all faults.
const mostRecoveries = 8

// recoveryBar is a row: a time on the median producer instance, and on the last one.
type recoveryBar struct {
	name string
	// solid and pale are where the bar ends, in nanoseconds: the median and the last instance, or the
	// longest and the sum. A negative one does not exist.
	solid, pale int64
	label       string
	fill        colour
	// open: some instance had not come so far when the run ended.
	open bool
	// quiet: there is nothing but the label.
	quiet bool
}

// recoveryBlock is a fault and one broker of it, or all messages.
type recoveryBlock struct {
	name    string
	bold    bool
	started []recoveryBar // counted from the start of the fault
	ended   []recoveryBar // counted from its end
	back    string        // what the rows at the right are about
}

// recoveryFault is a fault with its blocks.
type recoveryFault struct {
	title  string
	blocks []recoveryBlock
}

// Recovery draws how long it took after each fault began to notice, to avoid and to lose the routes of
// each broker it struck, how long callers were without service, and how long it took after it ended until
// all was as before. It is nil if no fault struck a broker.
func Recovery(r *result.Run) *Figure {
	faults, more := recoveryFaults(r)
	if len(faults) == 0 {
		return nil
	}
	d := recoveryDrawing{faults: faults}
	d.scale()
	height := d.height() + axisHeight
	foot := recoveryLegend()
	if more > 0 {
		foot = append(foot, legendEntry{text: plural(int64(more), "more broker") + " struck: see " + SummaryFile})
	}
	height += legendHeight(foot)
	f := Figure{
		Name: "recovery", Title: "How long it took to notice, to avoid and to return",
		Desc: "Bars for each fault and broker, in seconds: solid to the median producer instance, pale to " +
			"the last one.",
		Caption: recoveryCaption(r),
	}
	return sheet(r, f, height, func(c draw.Canvas, top vg.Length) {
		d.draw(c, top)
		flowLegend(c, foot, leftMargin, c.Min.Y+legendHeight(foot)-4)
	})
}

// recoveryFaults are the faults that struck brokers, and how many struck brokers have no rows.
func recoveryFaults(r *result.Run) (faults []recoveryFault, more int) {
	used := 0
	for _, f := range r.Faults {
		if !f.Began || len(f.Effects) == 0 {
			continue
		}
		x := recoveryFault{title: faultLabel(f) + ", " + whenWords(r, f)}
		for _, e := range f.Effects {
			if used == mostRecoveries {
				more++
				continue
			}
			if e.Detect.Instances == 0 {
				continue // only a slave of it is struck: producers do not talk to it
			}
			used++
			x.blocks = append(x.blocks, effectBlock(r, f, e))
		}
		if len(x.blocks) == 0 {
			continue
		}
		if b := serviceBlock(r, f); len(b.started)+len(b.ended) > 0 {
			x.blocks = append(x.blocks, b)
		}
		faults = append(faults, x)
	}
	return faults, more
}

// effectBlock is about one broker of a fault.
func effectBlock(r *result.Run, f result.Fault, e result.FaultEffect) recoveryBlock {
	b := recoveryBlock{name: e.Broker, bold: true}
	fills := []colour{okabeSky, okabeBlue, gray(0x80), okabeGreen}
	for i, a := range aspects {
		why := absenceOf(r, f, e, a)
		bar := spreadBar(a.group, a.of(e), why.word, fills[i])
		switch {
		case a.afterwards && bar.quiet && why.word == none:
			// The fault had not ended.
		case a.afterwards:
			b.ended = append(b.ended, bar)
		default:
			b.started = append(b.started, bar)
		}
	}
	return b
}

// spreadBar is the row of a time over producer instances; absent is what to say if it came on none.
func spreadBar(name string, s result.Spread, absent string, fill colour) recoveryBar {
	b := recoveryBar{name: name, fill: fill, solid: -1, pale: -1}
	if s.Reached == 0 && s.MedianNS == nil {
		b.label, b.open, b.quiet = absent, absent == "never", absent != "never"
		return b
	}
	if s.MedianNS != nil {
		b.solid, b.label = *s.MedianNS, span(*s.MedianNS)
	}
	if s.Reached < s.Instances {
		b.open = true
		if b.label != "" {
			b.label += ", "
		}
		b.label += count(int64(s.Reached)) + " of " + count(int64(s.Instances))
		return b
	}
	if s.MaxNS != nil {
		b.pale = *s.MaxNS
		if last := span(*s.MaxNS); last != b.label {
			b.label += ", last " + last
		}
	}
	return b
}

// serviceBlock is about all messages while a fault lasted, and after it.
func serviceBlock(r *result.Run, f result.Fault) recoveryBlock {
	b := recoveryBlock{name: "all messages"}
	for _, a := range r.Availability {
		if a.Phase != result.FaultPrefix+f.Name || a.Dim != result.DimAll {
			continue
		}
		none := recoveryBar{name: "no success", solid: -1, pale: -1, label: "at no time", quiet: true}
		if a.Outages > 0 {
			none.solid, none.pale, none.quiet = a.LongestNS, a.OutageNS, false
			none.label, none.fill, none.open = span(a.OutageNS), okabeVermilion, a.Open
			if a.Outages > 1 {
				none.label += " in " + plural(int64(a.Outages), "outage")
			}
		}
		b.started = append(b.started, none)
		if w, ok := belowLevel(a); ok {
			b.started = append(b.started, recoveryBar{
				name: "below " + tickNumber(100*w.Level) + "%", solid: w.LongestNS, pale: w.NS,
				label: span(w.NS) + ", longest " + span(w.LongestNS), fill: okabeOrange,
			})
		}
		if a.WorstNS > 0 {
			b.started = append(b.started, recoveryBar{
				name: "one instance", solid: a.WorstNS, pale: -1,
				label: span(a.WorstNS) + ", " + a.WorstInstance, fill: okabeVermilion,
			})
		}
	}
	switch {
	case f.Baseline == nil:
	case f.Baseline.Reason != "" || !baselineKnown(r, f):
		why := cmp.Or(f.Baseline.Reason, "can't be told")
		b.ended = append(b.ended, recoveryBar{name: "as before", solid: -1, pale: -1, label: why, quiet: true})
	default:
		b.back = "back to what it was before the fault"
		for _, x := range []struct {
			name string
			ns   *int64
		}{{"success", f.Baseline.SuccessNS}, {"p99", f.Baseline.P99NS}, {"share", f.Baseline.ShareNS}} {
			b.ended = append(b.ended, baselineBar(x.name, x.ns))
		}
	}
	return b
}

// baselineKnown says whether there is anything to compare the time after a fault with: a phase before all
// faults, and no other fault that goes on.
func baselineKnown(r *result.Run, f result.Fault) bool {
	before := slices.ContainsFunc(r.Phases, func(p result.Phase) bool { return p.Name == result.PhaseBefore })
	return before && !slices.ContainsFunc(r.Faults, func(other result.Fault) bool {
		return other.Began && other.FromNS < f.ToNS && other.ToNS > f.ToNS
	})
}

// belowLevel is the lowest level that success was below for longest: the highest that says something.
func belowLevel(a result.Availability) (result.Below, bool) {
	var found result.Below
	for _, w := range a.Below {
		if w.NS > 0 && (found.NS == 0 || w.Level <= 0.99) {
			found = w
		}
	}
	return found, found.NS > 0
}

// baselineBar is the row of a return to what was before.
func baselineBar(name string, ns *int64) recoveryBar {
	b := recoveryBar{name: name, fill: gray(0x80), solid: -1, pale: -1}
	switch {
	case ns == nil:
		b.label, b.open = "not in this run", true
	case *ns == 0:
		b.label, b.quiet = "at once", true
	default:
		b.solid, b.label = *ns, span(*ns)
	}
	return b
}

// recoveryCaption tells of the broker that took longest to avoid, and to return to.
func recoveryCaption(r *result.Run) string {
	var slow *result.FaultEffect
	var fault result.Fault
	for _, f := range r.Faults {
		for i, e := range f.Effects {
			if !f.Began || e.Detect.Instances == 0 {
				continue
			}
			if slow == nil || worth(e) > worth(*slow) {
				slow, fault = &f.Effects[i], f
			}
		}
	}
	if slow == nil {
		return ""
	}
	words := "In " + result.FaultPrefix + fault.Name + " "
	of := " of " + plural(int64(slow.Avoid.Instances), "producer instance") + " "
	switch {
	case slow.Avoid.MedianNS == nil && slow.Avoid.Reached == 0:
		words += "no fault table avoided " + slow.Broker
	case slow.Avoid.MaxNS != nil:
		words += "the last" + of + "avoided " + slow.Broker + " after " + span(*slow.Avoid.MaxNS)
	default:
		words += count(int64(slow.Avoid.Reached)) + of + "avoided " + slow.Broker
	}
	switch {
	case slow.Return.MaxNS != nil:
		words += "; " + span(*slow.Return.MaxNS) + " after its end none did any more"
	case fault.ToNS < r.SimulatedNS && slow.Return.Instances > slow.Return.Reached:
		words += "; when the run ended not all had returned to it"
	}
	return words + "."
}

// worth orders effects: the longest time to avoid first, one that never came before all.
func worth(e result.FaultEffect) int64 {
	switch {
	case e.Avoid.MaxNS != nil:
		return *e.Avoid.MaxNS
	case e.Avoid.Reached > 0:
		return 1 << 61
	}
	return 0
}
