package report

import (
	"math"
	"strconv"

	"simrun/internal/result"
)

// depth is something that piles up at brokers.
type depth struct {
	title string
	of    func(result.BrokerWindow) float64
	text  func(float64) string
	unit  string // in a sentence
}

var depths = []depth{
	{
		title: "attempts under way to the broker, mean of the window",
		of:    func(w result.BrokerWindow) float64 { return w.InFlight }, text: depthNumber,
		unit: "attempts were under way to ",
	},
	{
		title: "sends that wait for a send thread of the broker, mean of the window",
		of:    func(w result.BrokerWindow) float64 { return w.Queue }, text: depthNumber,
		unit: "sends waited for a thread of ",
	},
	{
		title: "bytes that the master has and no slave of it, at the end of the window",
		of:    func(w result.BrokerWindow) float64 { return float64(w.SingleBytes) },
		text:  func(x float64) string { return byteSize(int64(x)) },
		unit:  "were on no slave of ",
	},
}

// depthNumber is a mean for people: three digits.
func depthNumber(x float64) string {
	const least = 0.01
	switch {
	case x >= 100:
		return count(int64(math.Round(x)))
	case x > 0 && x < least:
		return "under 0.01"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// QueueDepth draws what piles up at each broker: attempts under way, sends that wait for a thread, bytes
// that no slave has. The lanes of a panel have one scale; each says the most it reached. A panel of which
// there is nothing is left out. It is nil if nothing was ever in flight.
func QueueDepth(r *result.Run) *Figure {
	t := newTimeline(r)
	var shown []depth
	var tops [][]float64
	for _, d := range depths {
		top := t.highest(d.of)
		for _, x := range top {
			if x > 0 {
				shown, tops = append(shown, d), append(tops, top)
				break
			}
		}
	}
	if len(shown) == 0 {
		return nil
	}
	for i, d := range shown {
		t.panels = append(t.panels, t.depthPanel(d, tops[i], i == len(shown)-1))
	}
	return t.figure("queue-depth", "What piles up at each broker", depthCaption(t, shown[0], tops[0]))
}

// highest is the most that each row reaches.
func (t *timeline) highest(of func(result.BrokerWindow) float64) []float64 {
	top := make([]float64, len(t.rows))
	for k, row := range t.rows {
		for _, w := range t.run.Series.Windows {
			top[k] = max(top[k], rowMean(w, row, of))
		}
	}
	return top
}

// rowMean is the mean over the brokers of a row.
func rowMean(w result.Window, row brokerRow, of func(result.BrokerWindow) float64) float64 {
	x := 0.0
	for _, m := range row.members {
		x += of(w.Brokers[m]) / float64(len(row.members))
	}
	return x
}

// depthPanel is a panel of lanes with one scale.
func (t *timeline) depthPanel(d depth, tops []float64, last bool) panel {
	full := 0.0
	for _, x := range tops {
		full = max(full, x)
	}
	p := t.lanePanel(d.title+"; a full lane: "+d.text(full), last)
	for k, row := range t.rows {
		steps := t.lane(k, func(w result.Window) float64 { return rowMean(w, row, d.of) / full })
		area := stepArea{steps: steps, fill: gray(0x8C)}
		if row.faulted {
			area.fill = gray(0x60)
		}
		p.plot.Add(area)
		p.direct = append(p.direct, directLabel{
			text: "most " + d.text(tops[k]), at: t.laneBase(k) + laneFill/2, bold: row.faulted,
		})
	}
	return p
}

// depthCaption says where most piled up, and when.
func depthCaption(t *timeline, d depth, tops []float64) string {
	worst := 0
	for k, x := range tops {
		if x > tops[worst] {
			worst = k
		}
	}
	when := int64(0)
	for _, w := range t.run.Series.Windows {
		if rowMean(w, t.rows[worst], d.of) == tops[worst] {
			when = w.FromNS
			break
		}
	}
	words := "At most, " + d.text(tops[worst]) + " " + d.unit + t.rows[worst].name + ", at " + seconds(when)
	if before := t.meanBefore(worst, d.of); before > 0 {
		words += "; before any fault " + d.text(before) + " in the mean"
	}
	return words + "."
}

// meanBefore is the mean of a row over the windows of the phase before all faults; 0 if there is none.
func (t *timeline) meanBefore(k int, of func(result.BrokerWindow) float64) float64 {
	x, n := 0.0, 0
	for _, p := range t.run.Phases {
		for _, w := range t.run.Series.Windows {
			if p.Name == result.PhaseBefore && w.FromNS >= p.FromNS && w.FromNS+t.run.Series.WindowNS <= p.ToNS {
				x += rowMean(w, t.rows[k], of)
				n++
			}
		}
	}
	return x / float64(max(1, n))
}
