// Command tuning makes docs/tuning-guide.md: which settings of a producer to choose when. It looks for them
// on some seeds, over situations, latencies and loads, and reports what they do on other seeds.
//
//	go run ./internal/tuning
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
	flag.Parse()
	if err := write(context.Background(), *dir, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "tuning:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}
