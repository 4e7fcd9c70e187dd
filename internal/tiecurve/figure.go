package main

import (
	"fmt"
	"strings"
	"time"
)

// The frame of the figure, in pixels.
const (
	width, height = 760, 420
	left, right   = 64, 740
	top, bottom   = 24, 360
	// longest is the largest median shown.
	longest = 3 * time.Millisecond
)

func across(d time.Duration) float64 {
	return left + float64(d)/float64(longest)*(right-left)
}

func up(share float64) float64 { return bottom - share*(bottom-top) }

// Shares that were measured with real clients: 8 to 14 of 60 hangs in each of four releases, and the
// interval that holds 95 % of what such small samples may stand for.
const (
	realLow, realHigh   = 0.13, 0.23
	boundLow, boundHigh = 0.06, 0.36
)

// figure is the curve of the formula, the simulated points and the shares of real clients, as SVG.
func figure(points []point) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" aria-labelledby="tie-title tie-desc" width="%d" height="%d" `+
		`viewBox="0 0 %[1]d %[2]d" xmlns="http://www.w3.org/2000/svg" `+
		`font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="13" fill="#222">`+"\n",
		width, height)
	b.WriteString(`<title id="tie-title">Hangs that end in an exact tie with the budget</title>` + "\n" +
		`<desc id="tie-desc">A line falls from 100 % without delay to 0.3 % at a median delay of 3 ms; ` +
		`simulated points lie on it. The default of 0.9 ms lies in the band that real clients show.</desc>` +
		"\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	band(&b, boundLow, boundHigh, "#eef3f8", "what such samples may stand for")
	band(&b, realLow, realHigh, "#d3e2f0", "real clients, 8 to 14 of 60")
	axes(&b)
	line(&b)
	for _, p := range points {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="#c2410c"/>`+"\n", across(p.median),
			up(p.share()))
	}
	x := across(defaultMedian)
	fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#666" stroke-dasharray="4 3"/>`+"\n", x, top, bottom)
	label(&b, x+6, top+12, "start", "default of timer_wakeup")
	label(&b, across(longest/2), height-12, "middle", "median delay of a wake-up, ms")
	label(&b, left, top-8, "start", "share of hangs: line by the formula, points simulated")
	b.WriteString("</svg>\n")
	return b.String()
}

func band(b *strings.Builder, low, high float64, colour, text string) {
	fmt.Fprintf(b, `<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="%s"/>`+"\n", left, up(high),
		right-left, up(low)-up(high), colour)
	label(b, right-6, up(low)-6, "end", text)
}

func axes(b *strings.Builder) {
	for i := range 6 {
		share := float64(i) / 5
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`+"\n", left, up(share), right)
		label(b, left-8, up(share)+4, "end", fmt.Sprintf("%.0f %%", 100*share))
	}
	for i := range 7 {
		d := time.Duration(i) * longest / 6
		fmt.Fprintf(b, `<path d="M%.1f %dv5" stroke="#222"/>`+"\n", across(d), bottom)
		label(b, across(d), bottom+20, "middle", fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)))
	}
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" stroke="#222" fill="none"/>`+"\n", left, top, bottom, right)
}

// line is the curve of the formula.
func line(b *strings.Builder) {
	b.WriteString(`<path fill="none" stroke="#1d4ed8" stroke-width="2" d="`)
	const step = 50 * time.Microsecond
	for d := time.Duration(0); d <= longest; d += step {
		command := "L"
		if d == 0 {
			command = "M"
		}
		fmt.Fprintf(b, "%s%.1f %.1f", command, across(d), up(tieShare(d)))
	}
	b.WriteString("\"/>\n")
}

func label(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, text)
}
