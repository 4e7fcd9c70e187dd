package main

import (
	"fmt"
	"sync"
	"time"

	"simrun/experiment"
)

// cellClock shows how far a sweep is, and what the rest will take, by what its cells took.
type cellClock struct {
	run *cellRuns
	now func() time.Time

	mu      sync.Mutex
	began   []time.Time // by job; zero: not yet
	part    []float64   // of each job, from 0 to 1
	reached float64     // of all jobs
	done    int
	worked  time.Duration // of all that are done
	weight  float64       // the same in messages
	left    float64       // messages to go
	said    time.Time
}

const (
	cellUnit  = time.Second // of the bar, for each cell
	saidEvery = 30 * time.Second
)

// start watches jobs, and shows a bar if there is a terminal for it.
func (c *cellClock) start(r *cellRuns, jobs []experiment.Job) {
	c.run, c.now, c.said = r, r.env.Now, r.env.Now()
	c.began, c.part = make([]time.Time, len(jobs)), make([]float64, len(jobs))
	have := map[int]int{}
	for _, x := range r.cells {
		have[x.Point]++
	}
	c.left = r.weight(func(p int) int { return len(r.points.Seeds) - have[p] })
	for i := range jobs {
		jobs[i].Options.Progress = func(x experiment.Progress) { c.report(i, x) }
	}
	if !r.quiet {
		r.console.begin(time.Duration(len(jobs)) * cellUnit)
	}
}

func (c *cellClock) report(job int, x experiment.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.began[job].IsZero() {
		c.began[job] = c.now()
	}
	part := float64(x.At) / float64(x.Duration)
	c.reached += part - c.part[job]
	c.part[job] = part
	c.run.console.advance(time.Duration(c.reached*float64(cellUnit)), c.words())
}

// words say how far it is.
func (c *cellClock) words() string {
	text := fmt.Sprintf("%d of %s", c.done, plural(len(c.part), "cell"))
	if left := c.toGo(); left > 0 {
		text += ", " + roughly(left) + " left"
	}
	return text
}

// toGo is how long the rest takes on all workers, 0 if that is not known.
func (c *cellClock) toGo() time.Duration {
	if c.done == 0 {
		return 0
	}
	return time.Duration(float64(c.cost()) / float64(min(c.run.flags.jobs, len(c.part))))
}

// cost is how long the rest takes on one CPU.
func (c *cellClock) cost() time.Duration {
	if c.weight > 0 {
		return time.Duration(float64(c.worked) / c.weight * c.left)
	}
	return c.worked / time.Duration(c.done) * time.Duration(len(c.part)-c.done)
}

// finished counts a cell. What the first took is the estimate for all.
func (c *cellClock) finished(job, point int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := c.now().Sub(c.began[job])
	c.done++
	c.worked += took
	if w := c.run.points.Weights[point]; w > 0 {
		c.weight += w
		c.left -= w
	}
	r := c.run
	if r.flags.verbose {
		r.say("point %d took %s; %s\n", point, roughly(took), c.words())
	}
	switch {
	case c.done == 1 && len(c.part) > 1:
		cost := c.cost()
		r.say("the first cell took %s: the other %d about %s of CPU, %s with %d at once\n", roughly(took),
			len(c.part)-1, roughly(cost), roughly(c.toGo()), min(r.flags.jobs, len(c.part)))
		if c.toGo() > longSweep {
			r.say("simrun: that is long; an interrupt keeps what has finished, and fewer seeds or points, or " +
				"--design halton --points N, take less\n")
		}
		c.said = c.now()
	case !r.console.tty && c.now().Sub(c.said) >= saidEvery:
		r.say("%s\n", c.words())
		c.said = c.now()
	}
}
