// Command tiecurve measures how often a send that hangs ends in an exact tie with its budget, over how
// late timers wake, and holds it against a formula of clock and timer alone. It writes docs/tie-curve.svg
// and the section of docs/model.md between its markers.
//
//	go run ./internal/tiecurve
package main

import (
	"fmt"
	"os"
)

const (
	figurePath = "docs/tie-curve.svg"
	pagePath   = "docs/model.md"
)

func main() {
	if err := rewrite(); err != nil {
		fmt.Fprintln(os.Stderr, "tiecurve:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

// rewrite measures everything and writes both files.
func rewrite() error {
	points, err := measureAll()
	if err != nil {
		return err
	}
	page, err := os.ReadFile(pagePath)
	if err != nil {
		return err
	}
	text, err := splice(string(page), section(points))
	if err != nil {
		return err
	}
	if err := os.WriteFile(figurePath, []byte(figure(points)), 0o644); err != nil {
		return err
	}
	return os.WriteFile(pagePath, []byte(text), 0o644)
}
