// Command parity checks that two workers in one process are within 5 % of two processes of one worker each
// that are started together, on the same cells of a sweep: workers share a heap, a collector and caches, and
// must not pay for it. Whole processes of the command run in turns, and what counts is the ratio of
// neighbours, by the clock; the processor time stands beside it. It needs Unix, two CPUs, and nothing else
// on them.
//
//	go run ./internal/bench/parity [-rounds N] [-seeds N] [-duration D]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"simrun/internal/bench/product"
)

// gate is the largest median ratio that passes.
const gate = 1.05

var (
	rounds   = flag.Int("rounds", 9, "how often each side is timed")
	seeds    = flag.Int("seeds", 4, "seeds of each of two points in each process of one worker")
	duration = flag.Duration("duration", 20*time.Second, "what a cell simulates, 10,000 messages a second")
)

func main() {
	flag.Parse()
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, "parity:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

// spent is what some processes took together.
type spent struct{ wall, cpu time.Duration }

func check() error {
	dir, bin, err := product.Build()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory: nothing is lost with it
	var wall, cpu []float64
	for round := range *rounds {
		out := filepath.Join(dir, fmt.Sprint(round))
		sides := []func() (spent, error){
			func() (spent, error) { return together(sweep(bin, out+"-one", 2, 1, 2**seeds)) },
			func() (spent, error) {
				return together(sweep(bin, out+"-a", 1, 1, *seeds), sweep(bin, out+"-b", 1, *seeds+1, 2**seeds))
			},
		}
		var took [2]spent
		for i := range sides {
			side := (i + round) % 2 // whoever comes second finds a warmer machine
			if took[side], err = sides[side](); err != nil {
				return err
			}
		}
		wall = append(wall, took[0].wall.Seconds()/took[1].wall.Seconds())
		cpu = append(cpu, took[0].cpu.Seconds()/took[1].cpu.Seconds())
	}
	_, err = fmt.Printf( //nolint:forbidigo // this is a command
		"%s %s/%s, %d CPUs, %d cells of %v in turns, %d rounds\n"+
			"two workers by two processes: clock %s (gate %.2f), processor time %s\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), 4**seeds, *duration, *rounds,
		ratios(wall), gate, ratios(cpu))
	if err == nil && median(wall) > gate {
		return fmt.Errorf("the median ratio %.3f is above %.2f", median(wall), gate)
	}
	return err
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func ratios(x []float64) string {
	return fmt.Sprintf("%.3f (%.3f to %.3f)", median(x), x[0], x[len(x)-1])
}

// sweep is a process: two points with some seeds, on so many workers.
func sweep(bin, out string, workers, from, to int) *exec.Cmd {
	cmd := exec.Command(bin, "sweep", "./internal/bench/job.toml", "--param", "producer.p.threads=16,32",
		"--set", fmt.Sprintf("duration=%v", *duration), "--seeds", fmt.Sprintf("%d..%d", from, to),
		"--metrics", "failed", "--plots", "none", "--html=false", "-q", "-o", out, "-j", fmt.Sprint(workers))
	cmd.Stderr = os.Stderr
	return cmd
}

// together starts processes and waits for all of them.
func together(commands ...*exec.Cmd) (spent, error) {
	began := time.Now()
	for _, cmd := range commands {
		if err := cmd.Start(); err != nil {
			return spent{}, err
		}
	}
	var s spent
	for _, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			return s, err
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			return s, fmt.Errorf("no account of %v", cmd)
		}
		s.cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	s.wall = time.Since(began)
	return s, nil
}
