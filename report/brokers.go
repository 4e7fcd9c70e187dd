package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mostBrokers is how many rows of brokers a figure has at most. Beyond it brokers that a fault
// strikes come first, and the rest becomes one row "others (n)".
const mostBrokers = 8

// brokerRow is a broker, or several, in the panels of brokers.
type brokerRow struct {
	name    string
	members []int // indices into Series.Brokers
	faulted bool
	fair    float64 // share of sends if nothing were avoided
}

// brokerRows picks the rows, in the order of the scenario with the others last.
func brokerRows(r *result.Run) []brokerRow {
	faulted := r.FaultedBrokers()
	fair := fairShares(r)
	own := ownRows(r)
	var rows []brokerRow
	others := brokerRow{faulted: true} // only if all of them are
	for i, name := range r.Series.Brokers {
		struck := slices.Contains(faulted, name)
		if slices.Contains(own, name) {
			row := brokerRow{name: name, members: []int{i}, faulted: struck, fair: fair[i]}
			rows = append(rows, row)
			continue
		}
		others.members = append(others.members, i)
		others.faulted = others.faulted && struck
		others.fair += fair[i]
	}
	if n := len(others.members); n > 0 {
		others.name = "others (" + count(int64(n)) + ")"
		rows = append(rows, others)
	}
	return rows
}

// ownRows names the brokers with a row of their own: the first one of each fault, then the second
// of each, and so on, then those that no fault strikes.
func ownRows(r *result.Run) []string {
	names := r.Series.Brokers
	if len(names) <= mostBrokers {
		return names
	}
	var own []string
	take := func(name string) {
		if len(own) < mostBrokers-1 && !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	for k := range names {
		for _, f := range r.Faults {
			if struck := struckBy(f, names); k < len(struck) {
				take(struck[k])
			}
		}
	}
	for _, name := range names {
		take(name)
	}
	return own
}

// struckBy names the brokers that a fault strikes.
func struckBy(f result.Fault, names []string) []string {
	var struck []string
	for _, n := range names {
		if f.HasTarget(n) {
			struck = append(struck, n)
		}
	}
	return struck
}

// fairShares is the share of each broker's queues among the queues that messages go to.
func fairShares(r *result.Run) []float64 {
	shares := make([]float64, len(r.Series.Brokers))
	total := 0.0
	for _, t := range r.Setup.Topics {
		each := topicRate(r, t.Name) / float64(len(t.Brokers))
		for i, b := range r.Series.Brokers {
			if slices.Contains(t.Brokers, b) {
				shares[i] += each
				total += each
			}
		}
	}
	for i := range shares {
		if total > 0 {
			shares[i] /= total
		} else {
			shares[i] = 1 / float64(len(shares))
		}
	}
	return shares
}

// topicRate is the rate of messages to a topic. A group whose load has no rate counts with the messages
// that it sent.
func topicRate(r *result.Run, topic string) float64 {
	sum := 0.0
	for _, p := range r.Setup.Producers {
		rate := p.Rate
		for _, s := range r.Stats {
			if rate == 0 && s.Phase == result.PhaseAll && s.Dim == result.DimProducer && s.Name == p.Name &&
				r.SimulatedNS > r.WarmupNS {
				rate = float64(s.Messages) / (float64(r.SimulatedNS-r.WarmupNS) / 1e9)
			}
		}
		for _, t := range p.Topics {
			if t.Name == topic {
				sum += rate * t.Share
			}
		}
	}
	return sum
}

// shade is the grey of the i-th broker; neighbours differ. It lets the bands behind shine through.
func shade(i int) colour { return translucent(black, []uint8{0x58, 0x34, 0x48, 0x24}[i%4]) }

// hatchStyle marks brokers that a fault strikes.
var hatchStyle = line(gray(0x48), 0.5)

// sharesHeight is that of the shares in the timeline.
const sharesHeight = 84

// shares is the panel of sends by broker, stacked to 100 %.
func (t *timeline) shares(height vg.Length, last bool) panel {
	p := t.panel(t.sharesTitle(), height, last)
	p.plot.Y.Min, p.plot.Y.Max = 0, 100
	p.plot.Y.Tick.Marker = roundTicks{about: 4, suffix: " %"}
	windows := t.run.Series.Windows
	lower := make([]float64, len(windows))
	sent := false
	// Stacked from below, so that the first broker is at the top as in the panel of lanes.
	for k := len(t.rows) - 1; k >= 0; k-- {
		row := t.rows[k]
		var steps []step
		last := math.NaN()
		for i, w := range windows {
			x0, x1 := t.span(w)
			s := step{x0: x0, x1: x1, lo: lower[i], hi: math.NaN()}
			if total := sum(w.Sends, nil); total > 0 {
				s.hi = lower[i] + 100*float64(sum(w.Sends, row.members))/float64(total)
				lower[i] = s.hi
				last = (s.lo + s.hi) / 2
				sent = true
			}
			steps = append(steps, s)
		}
		area := stepArea{steps: steps, fill: shade(k), edge: line(white, 0.6)}
		if row.faulted {
			area.hatch = hatchStyle
		}
		p.plot.Add(area)
		if !math.IsNaN(last) {
			p.direct = append(p.direct, directLabel{text: row.name, at: last, bold: row.faulted})
		}
	}
	if !sent {
		p.empty = "nothing was sent"
		return p
	}
	p.plot.Add(t.fairLines()...)
	return p
}

// sharesTitle explains the marks that the panel has.
func (t *timeline) sharesTitle() string {
	var marks []string
	if slices.ContainsFunc(t.rows, func(b brokerRow) bool { return b.faulted }) {
		marks = append(marks, "hatched: struck by a fault")
	}
	if len(t.rows) > 1 {
		marks = append(marks, "dashed: fair share")
	}
	title := "share of sends by broker"
	if len(marks) > 0 {
		title += " (" + strings.Join(marks, "; ") + ")"
	}
	return title
}

// fairLines are where the borders between brokers would be if nothing were avoided; borders too
// close to be told apart are left out.
func (t *timeline) fairLines() []plot.Plotter {
	const apart = 7 // %
	var lines []plot.Plotter
	fair, last := 0.0, 0.0
	for k := len(t.rows) - 1; k > 0; k-- {
		fair += 100 * t.rows[k].fair
		if fair-last < apart && last > 0 {
			continue
		}
		last = fair
		dashed := line(gray(0x30), 0.5)
		dashed.Dashes = []vg.Length{2, 2}
		lines = append(lines, level{at: fair, style: dashed})
	}
	return lines
}

// sum adds up the values of some members, or all of them for nil.
func sum(values []int64, members []int) int64 {
	var n int64
	if members == nil {
		for _, v := range values {
			n += v
		}
		return n
	}
	for _, m := range members {
		n += values[m]
	}
	return n
}

// mean of the values of some members.
func mean(values []float64, members []int) float64 {
	var x float64
	for _, m := range members {
		x += values[m]
	}
	return x / float64(len(members))
}

// level is a horizontal line through the panel.
type level struct {
	at    float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	rule(c, l.style, c.Min.X, y(l.at), c.Max.X, y(l.at))
}
