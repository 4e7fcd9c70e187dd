// Command replay replays recorded decisions of RocketMQ releases against package strategy.
//
//	go run ./strategy/internal/conformance/replay [-vectors DIR]
//
// It prints every disagreement and, last, "conformance: N of N decisions, M releases, K files". It
// exits with 1 if anything disagrees or cannot be replayed, or if there is nothing to replay.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"simrun/strategy/internal/conformance"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) //nolint:forbidigo // the one exit of this main
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("vectors", "strategy/testdata/vectors",
		"directory with selector/ and send-loop/")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		_, _ = fmt.Fprintf(stderr, "replay: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	report, err := conformance.Run(os.DirFS(*dir))
	for _, p := range report.Problems {
		_, _ = fmt.Fprintln(stdout, p)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "replay: %s: %v\n", *dir, err)
	}
	_, _ = fmt.Fprintln(stdout, report)
	if err != nil || !report.OK() {
		return 1
	}
	return 0
}
