package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// expected is what a broken page says of itself: "<!-- finds: overflow -->", and in which view.
var expected = regexp.MustCompile(`<!-- finds (\S+): (.*) -->`)

// checkChecks opens pages that are broken on purpose. Each must be found out, for what is wrong with it and
// for nothing else.
func checkChecks(ctx context.Context, dir string) error {
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return errors.New("no broken pages in " + dir)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		m := expected.FindSubmatch(data)
		if m == nil {
			return fmt.Errorf("%s does not say what is to be found", page)
		}
		if err := checkBroken(ctx, page, string(m[1]), string(m[2])); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	fmt.Printf("%d broken pages were found out\n", len(pages))
	return nil
}

func checkBroken(ctx context.Context, page, in, want string) error {
	for _, v := range views() {
		if v.name != in {
			continue
		}
		s, err := open(ctx, page, v)
		if err != nil {
			return err
		}
		if want == "nothing" && len(s.complaints) == 0 {
			return nil
		}
		return foundOut(s.complaints, strings.Split(want, ", "))
	}
	return fmt.Errorf("no view %q", in)
}

// foundOut says whether complaints begin as they should: one of each kind at least, and none of another.
func foundOut(complaints, want []string) error {
	for _, w := range want {
		if !slices.ContainsFunc(complaints, func(c string) bool { return strings.HasPrefix(c, w) }) {
			return fmt.Errorf("found %q, and nothing of %q", complaints, w)
		}
	}
	for _, c := range complaints {
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(c, w) }) {
			return fmt.Errorf("found %q, want only %q", c, want)
		}
	}
	return nil
}
