package main

import (
	"fmt"
	"strings"
	"time"
)

// Markers of the section in docs/model.md.
const (
	beginMark = "<!-- tie curve: begin, written by make tie-curve -->\n"
	endMark   = "<!-- tie curve: end -->\n"
)

// splice puts the section between the markers of a page.
func splice(page, section string) (string, error) {
	before, rest, begins := strings.Cut(page, beginMark)
	_, after, ends := strings.Cut(rest, endMark)
	if !begins || !ends {
		return "", fmt.Errorf("%s: a marker of the section is missing", pagePath)
	}
	return before + beginMark + section + endMark + after, nil
}

// section is what stands between the markers.
func section(points []point) string {
	var b strings.Builder
	b.WriteString("| median of `timer_wakeup` | 99th percentile | by the formula | simulated | of hangs |\n" +
		"|---:|---:|---:|---:|---:|\n")
	for _, p := range points {
		note := ""
		if p.median == defaultMedian {
			note = " (default)"
		}
		fmt.Fprintf(&b, "| %s%s | %s | %s | %s | %d |\n", milliseconds(p.median), note,
			milliseconds(time.Duration(float64(p.median)*p99Factor)), percent(tieShare(p.median)),
			percent(p.share()), p.hangs)
	}
	b.WriteString("\n![Share of hangs that end in an exact tie, over the median delay of wake-ups]" +
		"(tie-curve.svg)\n")
	return b.String()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
