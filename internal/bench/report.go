package main

import (
	"fmt"
	"io"
	"runtime"
)

// holdGates are the least ratios of the hold model, by the number of pending events.
var holdGates = []struct {
	pending int
	events  int // executed in each run
	gate    float64
}{
	{1_000, 3_000_000, 1.95},
	{100_000, 2_000_000, 2.1},
	{1_000_000, 1_000_000, 1.15},
}

// jobGates are the least ratios of the job.
var jobGates = []struct {
	name     string
	messages int
	timeouts bool
	gate     float64
}{
	// The boxed program has no put lock, bounded queue, fast failure and account of a broker's load; the
	// model has them all on. With timeouts the gate is that of everything on; without, it was 1.4 before.
	{"without timeouts", 500_000, false, 1.0},
	{"with timeouts", 500_000, true, 3.0},
}

// The instances gate: a total rate is sent by few instances, then by many. Cost per message may grow by
// less than a quarter, so the speed stays above four fifths.
const (
	fewInstances, manyInstances = 10, 1_000
	instancesMessages           = 1_500_000
	instancesGate               = 0.8
)

// Options say what to time.
type Options struct {
	// Job is the job as the simulator does it, on the path that a user's run takes. If
	// it is nil, the reference is timed alone, and no ratio of the job is checked.
	Job Job
	// Spread does the job with a number of instances; nil is not timed.
	Spread func(messages, instances int) error
}

// Report times everything, writes the tables to w, and reports whether each ratio is at
// least its gate.
func Report(w io.Writer, opts Options) (ok bool, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the collector's work counts as well
	out := &printer{w: w}
	out.printf("%s %s/%s; median (low to high) of %d runs in turns, processor time\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runs)
	holdOK, err := reportHold(out)
	if err != nil {
		return false, err
	}
	jobOK, err := reportJob(out, opts.Job)
	if err != nil {
		return false, err
	}
	spreadOK, err := reportSpread(out, opts.Spread)
	if err != nil {
		return false, err
	}
	return holdOK && jobOK && spreadOK, out.err
}

func reportSpread(out *printer, spread func(messages, instances int) error) (bool, error) {
	if spread == nil {
		return true, nil
	}
	header(out, "one rate, M messages/s", fmt.Sprint(fewInstances, " instances"), fmt.Sprint(manyInstances))
	timed := func(instances int) func() error {
		return func() error { return spread(instancesMessages, instances) }
	}
	c, err := compare(instancesMessages, timed(fewInstances), timed(manyInstances))
	if err != nil {
		return false, err
	}
	return row(out, "by many instances", c, instancesGate), nil
}

// printer writes as long as that works, and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func reportHold(out *printer) (bool, error) {
	header(out, "hold, M events/s", "boxed", "sim")
	allOK := true
	for _, g := range holdGates {
		reference, ours := newBoxedHold(g.pending), newSimHold(g.pending)
		reference.run(g.pending)
		ours.run(g.pending)
		c, err := compare(g.events,
			func() error { reference.run(g.events); return nil },
			func() error { ours.run(g.events); return nil })
		if err != nil {
			return false, err
		}
		allOK = row(out, fmt.Sprintf("%d pending", g.pending), c, g.gate) && allOK
	}
	return allOK, nil
}

func reportJob(out *printer, job Job) (bool, error) {
	header(out, "job, M messages/s", "boxed", "simrun")
	allOK := true
	for _, g := range jobGates {
		var boxed, ours JobResult
		timed := func(job Job, result *JobResult) func() error {
			if job == nil {
				return nil
			}
			return func() (err error) {
				*result, err = job(g.messages, g.timeouts)
				return err
			}
		}
		c, err := compare(g.messages, timed(RunBoxedJob, &boxed), timed(job, &ours))
		if err != nil {
			return false, err
		}
		if job == nil {
			out.printf("%-20s %20s\n", g.name, millions(c.reference))
			continue
		}
		allOK = row(out, g.name, c, g.gate) && allOK
		out.printf("%-20s %20v %20v\n", "  p99 of the answers", boxed.P99, ours.P99)
	}
	return allOK, nil
}

func header(out *printer, title, reference, ours string) {
	out.printf("\n%-20s %20s %20s %20s %6s\n", title, reference, ours, "ratio", "gate")
}

// row writes a line of a table and reports whether the ratio is at least the gate.
func row(out *printer, name string, c comparison, gate float64) bool {
	ok := c.ratio.median() >= gate
	verdict := "ok"
	if !ok {
		verdict = "MISSED"
	}
	ratio := fmt.Sprintf("%.2f (%.2f to %.2f)", c.ratio.median(), c.ratio.low(), c.ratio.high())
	out.printf("%-20s %20s %20s %20s %6.2f %s\n",
		name, millions(c.reference), millions(c.ours), ratio, gate, verdict)
	return ok
}

func millions(s sample) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median()/1e6, s.low()/1e6, s.high()/1e6)
}
