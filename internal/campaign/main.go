// Command campaign runs thousands of random scenarios, faults interleaved at will, and holds each run
// against what must be true of every one: the ledger sums, nothing durable vanishes without a fault of
// a disk, time only goes forward, each send is answered once and takes no longer than it may, the same
// seed gives the same run, so does a change that must not matter (relations.go), and a cluster whose
// faults are over returns to what it was, or the reason is a known one. A failure is printed with its
// seed, a scenario as small as it could be made, and the command that shows it again.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"
)

func main() {
	if code := command(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); code != 0 {
		os.Exit(code) //nolint:forbidigo // this is main
	}
}

// command runs a campaign, or one scenario if an argument names its file ("-" is the input).
func command(args []string, in io.Reader, out, progress io.Writer) int {
	flags := flag.NewFlagSet("campaign", flag.ContinueOnError)
	flags.SetOutput(progress)
	n := flags.Int("n", 5000, "number of scenarios")
	seed := flags.Uint64("seed", 1, "seed of the first scenario; the others follow it")
	limit := flags.Duration("for", 0, "run for so long instead of a number of scenarios")
	workers := flags.Int("workers", runtime.NumCPU(), "scenarios run at the same time")
	show := flags.Bool("show", false, "print the scenarios instead of running them")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() > 0 {
		return one(flags.Arg(0), *seed, in, out)
	}
	if *show {
		return showAll(*seed, *n, out)
	}
	c := &campaign{first: *seed, n: *n, workers: *workers, progress: progress, known: newGrammar()}
	if *limit > 0 {
		c.n, c.until = 1<<40, time.Now().Add(*limit)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	c.stop = stop
	c.run()
	c.report(out)
	if len(c.failures) > 0 {
		return 1
	}
	return 0
}

// one runs a scenario file.
func one(path string, seed uint64, in io.Reader, out io.Writer) int {
	read := func() ([]byte, error) { return os.ReadFile(path) }
	if path == "-" {
		read = func() ([]byte, error) { return io.ReadAll(in) }
	}
	text, err := read()
	if err == nil {
		sc, loadErr := load(string(text))
		if err = loadErr; err == nil {
			v := judge(sc, seed)
			say(out, "%d messages, %d events, %d checks; baseline: %s\n", v.messages, v.events,
				v.checks, v.baseline)
			if v.problem != "" {
				say(out, "FAILED %s\n", v.problem)
				return 1
			}
			return 0
		}
	}
	say(out, "%v\n", err)
	return 2
}

// showAll prints scenarios without running them.
func showAll(seed uint64, n int, out io.Writer) int {
	known := newGrammar()
	for i := range uint64(n) {
		doc, _, err := draw(seed+i, known)
		if err != nil {
			say(out, "%v\n", err)
			return 1
		}
		say(out, "# campaign seed %d\n%s\n", seed+i, doc.text())
	}
	return 0
}

// say writes to a terminal or a pipe; that nobody reads it is no reason to stop.
func say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
