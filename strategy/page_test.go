package strategy_test

import (
	"os"
	"strings"
	"testing"

	"simrun/strategy"
)

// The page for users shows the table of the code. Paste what the failure prints.
func TestVersionsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "```\nbehaviour              value              releases\n" + strategy.VersionTable() + "```\n"
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/versions.md does not have the table:\n%s", want)
	}
}
