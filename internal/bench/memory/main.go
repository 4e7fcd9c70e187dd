// Command memory checks that the memory of a run grows with what is in flight, not with what was
// sent: one simulated hour at 10,000 messages a second peaks at no more than 1.2 times one minute; and
// that an hour of 1,000 instances with 1,000 messages a second stays below 1 GiB; and that exporting every
// attempt of an hour at 1,000 messages a second takes no more than 1.2 times what a minute takes. All are
// whole processes of the command, as a user starts it, figures included. It needs Unix.
//
//	go run ./internal/bench/memory
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"simrun/internal/bench/product"
)

// gate is the largest ratio that passes, manyGate the largest peak of many instances, in KiB.
const (
	gate     = 1.2
	manyGate = 1 << 20
)

func main() {
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func check() error {
	dir, bin, err := product.Build()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory: nothing is lost with it
	run := []string{"run", "./internal/bench/job.toml", "-o", filepath.Join(dir, "results"), "-q"}
	errs := []error{checkRatio("a run", bin, run)} // the other rows are worth knowing, too
	for _, format := range []string{"sends-csv", "trace"} {
		export := []string{"export", "./internal/bench/job.toml", "--format", format, "-q"}
		errs = append(errs, checkRatio(format, bin, export, "producer.p.rate=1000/s"))
	}
	return errors.Join(append(errs, checkMany(bin, run))...)
}

// checkRatio holds an hour against a minute.
func checkRatio(what, bin string, args []string, set ...string) error {
	minute, err := usualPeak(bin, args, "60s", set...)
	if err != nil {
		return err
	}
	hour, err := usualPeak(bin, args, "3600s", set...)
	if err != nil {
		return err
	}
	ratio := float64(hour) / float64(minute)
	_, err = fmt.Fprintf(os.Stdout,
		"peak memory of %s: %d KiB for a minute, %d KiB for an hour, ratio %.2f (gate %.1f)\n",
		what, minute, hour, ratio, gate)
	if err == nil && ratio > gate {
		return fmt.Errorf("the ratio %.2f of %s is above %.1f", ratio, what, gate)
	}
	return err
}

// checkMany looks at many instances.
func checkMany(bin string, args []string) error {
	many, err := peak(bin, args, "3600s", "producer.p.count=1000", "producer.p.rate=1000/s")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "peak memory: %d KiB for an hour of 1,000 instances and 1,000 messages "+
		"a second (gate %d KiB)\n", many, manyGate)
	if err == nil && many >= manyGate {
		return fmt.Errorf("the peak of %d KiB is not below %d KiB", many, manyGate)
	}
	return err
}

// usualPeak is the median of three runs: when the collector happens to run makes a tenth of a peak.
func usualPeak(bin string, args []string, duration string, set ...string) (int64, error) {
	var peaks []int64
	for range 3 {
		p, err := peak(bin, args, duration, set...)
		if err != nil {
			return 0, err
		}
		peaks = append(peaks, p)
	}
	slices.Sort(peaks)
	return peaks[len(peaks)/2], nil
}

// peak runs the speed job for a simulated duration and returns the most memory it had resident.
func peak(bin string, args []string, duration string, set ...string) (kib int64, err error) {
	args = slices.Clone(args)
	for _, s := range append(set, "duration="+duration) {
		args = append(args, "--set", s)
	}
	cmd := exec.Command(bin, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("this system does not tell the memory of a process")
	}
	return usage.Maxrss, nil
}
