// Command powerloss runs the published power-loss table: twelve scenarios, two ways to die, three
// clusters, and writes docs/power-loss-table.md.
//
//	go run ./internal/powerloss > docs/power-loss-table.md
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	text, err := write()
	if err != nil {
		fmt.Fprintln(os.Stderr, "powerloss:", err)
		os.Exit(70) //nolint:forbidigo // this is main
	}
	if _, err := os.Stdout.WriteString(text); err != nil {
		fmt.Fprintln(os.Stderr, "powerloss:", err)
		os.Exit(74) //nolint:forbidigo // this is main
	}
}

// write measures everything and makes the page.
func write() (string, error) {
	all, err := measureAll(keys(false), false, runtime.NumCPU())
	if err != nil {
		return "", err
	}
	avoiding, err := measureAll(keys(true), true, runtime.NumCPU())
	if err != nil {
		return "", err
	}
	return page(all, avoiding), nil
}
