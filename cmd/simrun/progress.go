package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	"simrun/experiment"
	"simrun/internal/result"
)

// progress adds up how far all runs of a call are, and measures their wall time. Simulated time is
// the measure: it is what a run has a known amount of.
type progress struct {
	console *console
	now     func() time.Time

	mu      sync.Mutex
	total   time.Duration // to be simulated, by all runs
	reached time.Duration
	at      []time.Duration // by job
	began   []time.Time
	ended   []time.Time
}

// start watches the jobs of r, and shows a bar if there is a terminal for it.
func (p *progress) start(r *runs) {
	n := len(r.jobs)
	p.console, p.now = r.console, r.env.Now
	p.at, p.began, p.ended = make([]time.Duration, n), make([]time.Time, n), make([]time.Time, n)
	for i := range r.jobs {
		p.total += r.jobs[i].Scenario.Config.Duration
		which := ""
		if r.of[0] != r.of[n-1] {
			which = r.jobs[i].Scenario.Name + " "
		}
		if len(r.flags.seeds.seeds) > 1 {
			which += fmt.Sprintf("seed %d ", r.jobs[i].Scenario.Config.Seed)
		}
		r.jobs[i].Options.Progress = func(x experiment.Progress) { p.report(i, which, x) }
		p.began[i] = r.env.Now() // the first report corrects it
	}
	if !r.quiet {
		r.console.begin(p.total)
	}
}

func (p *progress) report(job int, which string, x experiment.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[job] == 0 {
		p.began[job] = p.now()
	}
	p.reached += x.At - p.at[job]
	p.at[job] = x.At
	p.ended[job] = p.now()
	p.console.advance(p.reached, fmt.Sprintf("%s%s of %s · %s",
		which, whole(x.At), whole(x.Duration), x.Phase))
}

// whole writes a simulated time in seconds, without digits that flicker.
func whole(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// secondsText is a time as flags and scenarios have it: "90s", "20.4113s".
func secondsText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// wall is how long a run took.
func (p *progress) wall(job int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended[job].IsZero() {
		return 0
	}
	return p.ended[job].Sub(p.began[job])
}

// speed says how fast a run was.
func (p *progress) speed(job int, run *result.Run) string {
	seconds := p.wall(job).Seconds()
	text := fmt.Sprintf("%s seed %d: key %s, digest %s, %d messages, %d events, %.2f s",
		run.Scenario, run.Seed, run.Key, run.Digest, run.Ledger.Sent, run.Events, seconds)
	if seconds > 0 {
		text += fmt.Sprintf(", %.0f messages/s", float64(run.Ledger.Sent)/seconds)
	}
	return text
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
