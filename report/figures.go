package report

import (
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Figures are the figures of a run, always in the same order: timeline, latency-raw, latency-hdr,
// latency-ecdf, fault-table, selection-share, recovery, attempts, queue-depth. Each is drawn from the
// results alone. One that has nothing to show is left out:
//
//   - latency-raw, latency-hdr, latency-ecdf and attempts, if no message was answered, or the results lack
//     what they are drawn from;
//   - fault-table, if no fault table ever refused a broker;
//   - selection-share, if nothing was sent or there is only one broker;
//   - recovery, if no fault struck a broker;
//   - queue-depth, if nothing was ever in flight.
func Figures(r *result.Run) []*Figure {
	var figures []*Figure
	for _, draw := range []func(*result.Run) *Figure{
		Timeline, LatencyRaw, LatencyHDR, LatencyECDF, FaultTable, SelectionShare, Recovery, Attempts, QueueDepth,
	} {
		if f := draw(r); f != nil {
			figures = append(figures, f)
		}
	}
	return figures
}

// subtitle is where the numbers of a figure come from.
func subtitle(r *result.Run) string {
	s := r.Title() + " · "
	if p := captionWords(r.Setup); p != "" {
		s += p + " · "
	}
	s += "seed " + strconv.FormatUint(r.Seed, 10) + " · " +
		tickNumber(float64(r.Ledger.Sent)) + " messages"
	if r.Digest != "" {
		s += " · digest " + r.Digest
	}
	if !r.Complete {
		s += " · interrupted at " + seconds(r.SimulatedNS) + " of " + seconds(r.DurationNS)
	}
	return s
}

// drawHead makes the ground of a figure white and writes its title and subtitle.
func drawHead(c draw.Canvas, title, sub string) {
	box(c, white, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
	head := textStyle(titleSize, true, textInk)
	quiet := textStyle(labelSize, false, quietInk)
	const width = figureWidth - leftMargin - 8
	c.FillText(head, vg.Point{X: leftMargin, Y: c.Max.Y - 16}, shorten(head, title, width))
	c.FillText(quiet, vg.Point{X: leftMargin, Y: c.Max.Y - 31}, shorten(quiet, sub, width))
}

// sheet is a figure without a time axis: a head, and below it whatever body draws from the top down.
func sheet(r *result.Run, f Figure, height vg.Length, body func(c draw.Canvas, top vg.Length)) *Figure {
	f.width, f.height = figureWidth, headHeight+height
	f.Desc += " " + subtitle(r) + "."
	f.draw = func(c draw.Canvas) {
		drawHead(c, f.Title, subtitle(r))
		body(c, c.Max.Y-headHeight)
	}
	return &f
}

// faultPhases are the phases of faults that were reached, in their order.
func faultPhases(r *result.Run) []result.Phase {
	var out []result.Phase
	for _, p := range reached(r) {
		if p.IsFault() {
			out = append(out, p)
		}
	}
	return out
}

// worstPhase is the phase of a fault with the longest p99; false if no message of one was answered.
func worstPhase(r *result.Run) (result.Stats, bool) {
	var worst result.Stats
	found := false
	for _, p := range faultPhases(r) {
		s, ok := r.StatsOf(p.Name)
		if ok && s.Latency.N > 0 && (!found || s.Latency.P99NS > worst.Latency.P99NS) {
			worst, found = s, true
		}
	}
	return worst, found
}

// timelineCaption says what the faults did to latency and success.
func timelineCaption(r *result.Run) string {
	all, _ := r.StatsOf(result.PhaseAll)
	if answered(all) == 0 {
		return "No message was answered."
	}
	failed := plural(all.Failed, "message") + " failed"
	if all.Failed == 0 {
		failed = "no message failed"
	}
	if all.AckedLost > 0 {
		failed += " and " + count(all.AckedLost) + " were lost after they had been acknowledged"
	}
	worst, ok := worstPhase(r)
	if !ok {
		return "The 99th percentile of latency is " + duration(all.Latency.P99NS) + "; " + failed + "."
	}
	was := ""
	if before, ok := r.StatsOf(result.PhaseBefore); ok && before.Latency.N > 0 {
		was = ", where it was " + duration(before.Latency.P99NS) + " before"
	}
	return "The 99th percentile of latency is " + duration(worst.Latency.P99NS) + " in " + worst.Phase + was +
		"; in all, " + failed + "."
}
