// Command browser opens reports in headless Chromium as readers do: in the light and the dark theme, at three
// widths, without scripts and in print. It fails on an error on the console, a request for anything but the
// page itself, a page that is wider than its window, text that is clipped, and texts that cover each other
// in the drawing of the topology. It first does the same to pages that are broken on purpose, so that a
// check that has become blind is found, too.
//
// It is a module of its own: who builds or tests simrun needs neither a browser nor its driver.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.simrun, "simrun", "bin/simrun", "the `program` that makes the reports")
	flag.StringVar(&o.testdata, "testdata", "internal/browser/testdata", "the `directory` of scenarios and broken pages")
	flag.StringVar(&o.out, "out", "", "the `directory` for screenshots (default: a new one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

type options struct{ simrun, testdata, out string }

// run looks at the pages that are named, or else at all that are broken on purpose and all reports.
func run(ctx context.Context, o options, pages []string) error {
	path, err := findChromium(os.Getenv, lookPath)
	if err != nil {
		return err
	}
	if o.out == "" {
		if o.out, err = os.MkdirTemp("", "simrun-browser-*"); err != nil {
			return err
		}
	} else if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	ctx, quit, err := start(ctx, path)
	if err != nil {
		return err
	}
	defer quit()
	if len(pages) == 0 {
		if err := checkChecks(ctx, filepath.Join(o.testdata, "broken")); err != nil {
			return err
		}
		if pages, err = makeReports(ctx, o); err != nil {
			return err
		}
	}
	wrong := 0
	for _, page := range pages {
		n, err := look(ctx, page, o.out)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		wrong += n
	}
	fmt.Printf("%d pages; screenshots and PDFs are in %s\n", len(pages), o.out)
	if wrong > 0 {
		return fmt.Errorf("%d complaints", wrong)
	}
	return nil
}

// look opens a page in all views, says what is wrong with it and keeps pictures; it returns the number of
// complaints.
func look(ctx context.Context, page, out string) (int, error) {
	name := pageName(page)
	wrong := 0
	for _, v := range views() {
		seen, err := open(ctx, page, v)
		if err != nil {
			return wrong, fmt.Errorf("%s: %w", v.name, err)
		}
		wrong += len(seen.complaints)
		const most = 8
		for i, c := range seen.complaints {
			if i == most {
				fmt.Printf("%s, %s: and %d more\n", name, v.name, len(seen.complaints)-most)
				break
			}
			fmt.Printf("%s, %s: %s\n", name, v.name, c)
		}
		for ext, data := range map[string][]byte{"png": seen.picture, "pdf": seen.pdf} {
			if len(data) == 0 {
				continue
			}
			if err := os.WriteFile(filepath.Join(out, name+"-"+v.name+"."+ext), data, 0o644); err != nil {
				return wrong, err
			}
		}
	}
	return wrong, nil
}

// pageName is the scenario of a report, of a comparison, a sweep or several seeds with its directory, or the
// name of the file.
func pageName(page string) string {
	dir := filepath.Dir(page)
	scenario := filepath.Base(filepath.Dir(dir))
	switch {
	case filepath.Base(page) != "report.html":
		return filepath.Base(page[:len(page)-len(filepath.Ext(page))])
	case strings.HasPrefix(filepath.Base(dir), "compare-"), strings.HasPrefix(filepath.Base(dir), "sweep-"),
		strings.HasPrefix(filepath.Base(dir), "seeds-"):
		return scenario + "-" + filepath.Base(dir)
	}
	return scenario
}
