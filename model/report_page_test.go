package model

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"simrun/strategy"
)

// Each test that docs/reports.md names is there, in this package or in strategy's or experiment's, and each
// scenario or story.
func TestReportsPageNamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, pattern := range []string{"*_test.go", "../strategy/*_test.go", "../experiment/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b...)
		}
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllSubmatch(page, -1)
	if len(names) < 60 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, n := range names {
		if !bytes.Contains(code, []byte("func "+string(n[1])+"(")) {
			t.Errorf("there is no %s", n[1])
		}
	}
	for _, n := range regexp.MustCompile("`([a-z0-9]+(?:-[a-z0-9]+)+)`").FindAllSubmatch(page, -1) {
		name := string(n[1])
		if !exists("../scenarios/"+name+".toml") && !slices.Contains(strategy.Policies(), name) {
			t.Errorf("there is no scenario %s", name)
		}
	}
	for _, n := range regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)+)`").FindAllSubmatch(page, -1) {
		name := string(n[1])
		if !exists("../strategy/testdata/stories/"+name) && !exists("testdata/async/"+name) {
			t.Errorf("there is no story %s", name)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
