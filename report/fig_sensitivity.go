package report

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Layout of the figure of sensitivities.
const (
	mostSensitive  = 8 // metrics
	mostAxisBars   = 8 // axes of each
	sensitiveRow   = 13
	sensitiveHead  = 16
	sensitiveGap   = 8
	sensitiveLeft  = 190
	sensitiveRight = 168
)

// SensitivityFigure draws how much of the spread of each metric over the points each axis explains by itself,
// and what no axis alone explains. Metrics that are the same everywhere are left out. It is nil if there are
// no others, or only one axis.
func SensitivityFigure(s *result.Sweep) *Figure {
	var shown []result.Sensitivity
	for _, x := range s.Sensitivity {
		if !same(&s.Metrics[x.Metric]) && len(x.Effects) > 0 && len(shown) < mostSensitive {
			shown = append(shown, x)
		}
	}
	if len(shown) == 0 || len(s.Axes) < 2 {
		return nil
	}
	height := vg.Length(axisHeight)
	for _, x := range shown {
		height += sensitiveHead + vg.Length(min(len(x.Effects), mostAxisBars)+1)*sensitiveRow + sensitiveGap
	}
	f := Figure{
		Name: "sensitivity", Title: "Which setting matters for what", Caption: sensitivityCaption(s, shown),
		Desc: "Bars: share of the variance over the points that each axis explains by itself.",
	}
	return sweepSheet(s, f, height, func(c draw.Canvas, top vg.Length) { drawSensitivity(c, top, s, shown) })
}

// ranked are the effects, the largest first.
func ranked(x result.Sensitivity) []result.AxisEffect {
	effects := slices.Clone(x.Effects)
	slices.SortStableFunc(effects, func(a, b result.AxisEffect) int { return sign(b.Share - a.Share) })
	return effects
}

// sensitivityX is the place of a share.
func sensitivityX(share float64) vg.Length {
	const width = figureWidth - sensitiveLeft - sensitiveRight
	return sensitiveLeft + width*vg.Length(min(max(share, 0), 1))
}

func drawSensitivity(c draw.Canvas, top vg.Length, s *result.Sweep, shown []result.Sensitivity) {
	bottom := c.Min.Y + axisHeight
	label := textStyle(labelSize, false, textInk)
	label.XAlign = draw.XCenter
	for share := 0.0; share <= 1; share += 0.25 {
		x := sensitivityX(share)
		rule(c, line(gridInk, 0.5), x, bottom, x, top)
		c.FillText(label, vg.Point{X: x, Y: bottom - 8}, tickNumber(100*share)+" %")
	}
	c.FillText(label, vg.Point{X: sensitivityX(0.5), Y: bottom - 20},
		"share of the variance over the points that the axis explains by itself, with its 95 % interval")
	names := axisNames(s)
	y := top
	for _, x := range shown {
		m := &s.Metrics[x.Metric]
		y -= sensitiveHead
		c.FillText(textStyle(panelSize, true, textInk), vg.Point{X: 16, Y: y + 7}, shorten(
			textStyle(panelSize, true, textInk), sweepLabel(m), figureWidth-32))
		effects := ranked(x)
		for _, e := range effects[:min(len(effects), mostAxisBars)] {
			y -= sensitiveRow
			drawEffect(c, y, names[e.Axis], m, e)
		}
		y -= sensitiveRow
		quiet := textStyle(labelSize, false, quietInk)
		box(c, gray(0xC4), sensitivityX(0), y+2.5, sensitivityX(x.Rest), y+sensitiveRow-2.5)
		at := vg.Point{X: figureWidth - sensitiveRight + 8, Y: y + sensitiveRow/2.0}
		c.FillText(quiet, at, wholeShare(x.Rest))
		quiet.XAlign = draw.XRight
		c.FillText(quiet, vg.Point{X: sensitiveLeft - 6, Y: y + sensitiveRow/2.0}, "no axis alone")
		y -= sensitiveGap
	}
}

// drawEffect draws the bar of an axis.
func drawEffect(c draw.Canvas, y vg.Length, name string, m *result.SweepMetric, e result.AxisEffect) {
	mid := y + sensitiveRow/2.0
	label := textStyle(labelSize, false, textInk)
	label.XAlign = draw.XRight
	c.FillText(label, vg.Point{X: sensitiveLeft - 6, Y: mid}, shorten(label, name, sensitiveLeft-24))
	box(c, okabeSky, sensitivityX(0), y+2.5, sensitivityX(e.Share), y+sensitiveRow-2.5)
	if e.Low != nil && e.High != nil {
		lo, hi := sensitivityX(*e.Low), sensitivityX(*e.High)
		rule(c, line(textInk, 1.2), lo, mid, hi, mid)
		for _, x := range []vg.Length{lo, hi} {
			rule(c, line(textInk, 1.2), x, mid-2.5, x, mid+2.5)
		}
	}
	text := wholeShare(e.Share)
	if e.Low != nil && e.High != nil {
		lo, hi := wholeShare(*e.Low), wholeShare(*e.High)
		if lo != hi {
			text += " (" + lo[:len(lo)-len(" %")] + "–" + hi + ")"
		}
	}
	right := textStyle(labelSize, false, textInk)
	c.FillText(right, vg.Point{X: figureWidth - sensitiveRight + 8, Y: mid}, shorten(right,
		text+signWords(m.Better, e.Sign), sensitiveRight-14))
}

// wholeShare is a share without decimals: "62 %".
func wholeShare(x float64) string { return strconv.Itoa(int(math.Round(100*x))) + " %" }

// signWords say what a metric does as an axis rises.
func signWords(better result.Direction, sign int) string {
	var words string
	switch {
	case sign > 0:
		words = ", ↑ rises with it"
	case sign < 0:
		words = ", ↓ falls with it"
	default:
		return ""
	}
	switch int(better) * sign {
	case 1:
		words += ": better"
	case -1:
		words += ": worse"
	}
	return words
}

// sensitivityCaption names the axis that matters most for each of a few metrics.
func sensitivityCaption(s *result.Sweep, shown []result.Sensitivity) string {
	names := axisNames(s)
	words := ""
	const most = 3
	for i, x := range shown {
		if i == most {
			break
		}
		if i > 0 {
			words += "; "
		}
		e, label := ranked(x)[0], sweepLabel(&s.Metrics[x.Metric])+" depends most on "
		if x.Rest > e.Share {
			words += label + "several axes together (" + wholeShare(x.Rest) + ")"
			continue
		}
		words += label + names[e.Axis] + " (" + wholeShare(e.Share) + ")"
	}
	return upperFirst(words) + "."
}
