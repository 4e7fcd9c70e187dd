// Command memory checks that the memory of a run grows with what is in flight, not with what was
// sent: one simulated hour at 10,000 messages a second peaks at no more than 1.2 times one minute; and
// that an hour of 1,000 instances with 1,000 messages a second stays below 1 GiB. All are whole processes
// of the command, as a user starts it, figures included. It needs Unix.
//
//	go run ./internal/bench/memory
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
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
	dir, err := os.MkdirTemp("", "simrun-memory-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory: nothing is lost with it
	bin := filepath.Join(dir, "simrun")
	build := exec.Command("go", "build", "-o", bin, "./cmd/simrun")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	minute, err := peak(bin, dir, "60s")
	if err != nil {
		return err
	}
	hour, err := peak(bin, dir, "3600s")
	if err != nil {
		return err
	}
	ratio := float64(hour) / float64(minute)
	_, err = fmt.Fprintf(os.Stdout,
		"peak memory: %d KiB for a minute, %d KiB for an hour, ratio %.2f (gate %.1f)\n",
		minute, hour, ratio, gate)
	if err != nil {
		return err
	}
	if ratio > gate {
		return fmt.Errorf("the ratio %.2f is above %.1f", ratio, gate)
	}
	return checkMany(bin, dir)
}

// checkMany looks at many instances.
func checkMany(bin, dir string) error {
	many, err := peak(bin, dir, "3600s", "producer.p.count=1000", "producer.p.rate=1000/s")
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

// peak runs the speed job for a simulated duration and returns the most memory it had resident.
func peak(bin, dir, duration string, set ...string) (kib int64, err error) {
	args := []string{"run", "./internal/bench/job.toml", "-o", filepath.Join(dir, "results"), "-q"}
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
