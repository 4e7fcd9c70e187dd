package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/internal/sweep"
)

// messagesPerSecond is about what one CPU simulates: an order of magnitude, where nothing could be measured.
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

// name is the scenario, with the variant of it that is swept.
func (s *sweeping) name() string {
	if s.spec.Variant == "" {
		return s.spec.Scenario
	}
	return s.spec.Scenario + " " + s.spec.Variant
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

// guess is the cost of what is missing, before any of it is run: by a trial of the default, which is cut
// short, or by what one CPU usually does.
func (s *sweeping) guess(ctx context.Context, done []sweep.Cell) string {
	have := map[int]int{}
	for _, c := range done {
		have[c.Point]++
	}
	missing := func(point int) int { return len(s.points.Seeds) - have[point] }
	runs := s.points.Cells() - len(done)
	messages := s.weight(missing)
	var parts []string
	if messages > 0 {
		parts = append(parts, "about "+rough(messages)+" messages")
	}
	usual := time.Duration(messages / messagesPerSecond * float64(time.Second))
	cost, by := usual, "as one simulates "+rough(messagesPerSecond)+" messages a second"
	if one := s.trial(ctx, usual); one > 0 {
		cost, by = one*time.Duration(runs), "by a trial"
		if w := s.points.Weights[s.points.Default]; w > 0 && messages > 0 {
			cost = time.Duration(float64(one) * messages / w)
		}
	}
	if cost > 0 {
		text := roughly(cost) + " of CPU, " + by
		if n := min(s.flags.jobs, runs); n > 1 {
			text += "; " + roughly(cost/time.Duration(n)) + " with " + strconv.Itoa(n) + " at once"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "what it costs is not known before it is run"
	}
	return strings.Join(parts, "; ")
}

// How long a trial takes at least, at most, and as a part of what all usually takes.
const (
	leastTrial = 250 * time.Millisecond
	mostTrial  = 500 * time.Millisecond
	trialPart  = 10
)

// trial is how long a run of the default takes here, by how far it comes in a moment; 0 if nothing is known.
// It is no cell, and nothing is kept of it.
func (s *sweeping) trial(ctx context.Context, usual time.Duration) time.Duration {
	sc, err := s.points.Load(s.points.Default)
	if err != nil {
		return 0 // it is told when it is run
	}
	ctx, cancel := context.WithTimeout(ctx, min(max(usual/trialPart, leastTrial), mostTrial))
	defer cancel()
	began, from, at := s.worked(), 0.0, 0.0
	job := experiment.Job{
		Scenario: sc.WithSeed(s.points.Seeds[0]), Keep: func(run *result.Run) {
			if run.Complete {
				at = 1
			}
		},
		Options: experiment.Options{Progress: func(p experiment.Progress) {
			now := float64(p.At) / float64(p.Duration)
			if at == 0 { // what comes before is the start of a process more than that of a run
				began, from = s.worked(), now
			}
			at = max(at, now)
		}},
	}
	err = experiment.RunAll(ctx, []experiment.Job{job}, 1, func(int, *result.Run) error { return nil })
	const least = 0.005 // less of a run says nothing
	took := s.worked() - began
	if took <= 0 || at-from < least || err != nil && ctx.Err() == nil {
		return 0
	}
	return time.Duration(float64(took) / (at - from))
}

// worked is how much CPU this process has had; the time where that is not known.
func (s *sweeping) worked() time.Duration {
	if used, ok := cpuTime(); ok {
		return used
	}
	return time.Duration(s.env.Now().UnixNano())
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
func (s *sweeping) dry(ctx context.Context) {
	p := s.points
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s\n%s\n\n", s.name(), s.size(0), s.guess(ctx, nil))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	header := []string{"point"}
	for i := range p.Axes {
		header = append(header, p.Axes[i].Param)
	}
	lines := []string{strings.Join(header, "\t")}
	for i, x := range p.Points {
		row := append([]string{strconv.Itoa(i)}, x.Values...)
		if i == p.Default {
			row = append(row, "as it stands")
		}
		lines = append(lines, strings.Join(row, "\t"))
	}
	_, _ = io.WriteString(table, strings.Join(lines, "\n")+"\n") // a Builder takes all
	_ = table.Flush()
	fmt.Fprintf(&b, "\nof each run:\n%s\nnothing is kept; it would go to %s\n",
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
