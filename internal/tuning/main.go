// Command tuning makes docs/tuning-guide.md: which settings of a producer to choose when. It looks for them
// on some seeds, over situations, latencies and loads, and reports what they do on other seeds.
//
//	go run ./internal/tuning         # runs the study
//	go run ./internal/tuning -text   # only writes the page anew
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	jobs := flag.Int("j", runtime.NumCPU(), "runs at once; the page does not depend on it")
	dir := flag.String("o", "docs", "directory of the guide")
	text := flag.Bool("text", false, "make the page of the numbers that are in the directory, without a run")
	flag.Parse()
	if err := guide(*dir, *jobs, *text); err != nil {
		fmt.Fprintln(os.Stderr, "tuning:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

// guide writes the guide of new numbers, or of those that are there.
func guide(dir string, jobs int, old bool) error {
	w := fresh(jobs)
	if old {
		var err error
		if w, err = again(dir); err != nil {
			return err
		}
	}
	return w.write(context.Background(), dir)
}
