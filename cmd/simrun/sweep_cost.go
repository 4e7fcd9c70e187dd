package main

import (
	"fmt"
	"strings"
	"time"
)

// messagesPerSecond is about what one CPU simulates: an order of magnitude, for what is said before anything
// is measured.
const messagesPerSecond = 300_000

// longSweep is what somebody should be told of before.
const longSweep = time.Hour

// weight is how many messages some cells of each point are.
func (s *sweeping) weight(cells func(point int) int) float64 {
	n := 0.0
	for p, w := range s.points.Weights {
		n += w * float64(cells(p))
	}
	return n
}

// size says what the sweep comes to, done cells of which are there already.
func (s *sweeping) size(done int) string {
	p := s.points
	var b strings.Builder
	fmt.Fprintf(&b, "%s × %s = %s", plural(len(p.Points), "point"), plural(len(p.Seeds), "seed"),
		plural(p.Cells(), "cell"))
	var notes []string
	if p.Added {
		notes = append(notes, "the scenario as it stands is one more point")
	}
	if p.Alike > 0 {
		notes = append(notes, plural(p.Alike, "point")+" of the design came out as another")
	}
	if p.Skipped > 0 {
		notes = append(notes, plural(p.Skipped, "point")+" that the scenario refuses left out")
	}
	if done > 0 {
		notes = append(notes, plural(done, "cell")+" finished before")
	}
	if len(notes) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(notes, "; "))
	}
	return b.String()
}

// guess is the cost before anything is measured.
func (s *sweeping) guess() string {
	n := s.weight(func(int) int { return len(s.points.Seeds) })
	if n == 0 {
		return "how many messages they are is not known before they are run"
	}
	cost := time.Duration(n / messagesPerSecond * float64(time.Second))
	return fmt.Sprintf("about %s messages; %s of CPU, if one simulates %s a second", rough(n),
		roughly(cost), rough(messagesPerSecond))
}

// roughly is a time as one would say it.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// dry shows the plan.
func (s *sweeping) dry() {
	p := s.points
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s\n%s\n\n", s.spec.Scenario, s.size(0), s.guess())
	header := []string{"point"}
	for i := range p.Axes {
		header = append(header, p.Axes[i].Param)
	}
	table := [][]string{header}
	for i, x := range p.Points {
		row := append([]string{fmt.Sprint(i)}, x.Values...)
		if i == p.Default {
			row = append(row, "as it stands")
		}
		table = append(table, row)
	}
	widths := make([]int, len(header))
	for _, row := range table {
		for i := range widths {
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	for _, row := range table {
		line := ""
		for i, cell := range row {
			if i < len(widths) {
				cell += strings.Repeat(" ", widths[i]-len([]rune(cell)))
			}
			line += cell + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "\nof each run:\n%s\nnothing was run; it would go to %s\n",
		wrap(strings.Join(s.spec.Metrics, ", "), 76, "    "), s.dir)
	s.stdout.print(b.String())
}

// rough is a large number as one would say it: "36 M", "1.2 M", "450 k".
func rough(n float64) string {
	switch {
	case n >= 10e6:
		return fmt.Sprintf("%.0f M", n/1e6)
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f k", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}
