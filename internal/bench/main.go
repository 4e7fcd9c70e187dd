// Command bench times the simulator against plain Go programs that do the same: events in a
// container/heap, which boxes each in an interface, as textbooks write it. Both sides run in turns in
// one process, and what counts is their ratio, so that a slow or busy machine does not
// decide. It exits with 1 if a ratio is below its gate.
//
//	go run ./internal/bench
package main

import (
	"fmt"
	"os"
)

func main() {
	ok, err := Report(os.Stdout, Options{Job: runSimrunJob, Spread: runSpreadJob})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(70) //nolint:forbidigo // this is main
	}
	if !ok {
		os.Exit(1) //nolint:forbidigo // this is main
	}
}
