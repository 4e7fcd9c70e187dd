package releases

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// The page for users shows the tables of the code and explains each behaviour; -rewrite (of package
// datadriven) puts the tables there anew.
func TestVersionsPage(t *testing.T) {
	t.Parallel()
	const path, head = "../../docs/versions.md", "```\nbehaviour              value              releases\n"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(file)
	for heading, table := range map[string]string{
		"## The client on the wire": Clients.VersionTable(), "## The broker": Brokers.VersionTable(),
		"## The name server": NameServers.VersionTable(),
	} {
		before, rest, _ := strings.Cut(page, heading+"\n")
		text, rest, _ := strings.Cut(rest, head)
		shown, rest, found := strings.Cut(rest, "```\n")
		if !found {
			t.Fatalf("%s has no table below %q", path, heading)
		}
		for line := range strings.Lines(table) {
			if key, _, _ := strings.Cut(line, " "); key != "" && !strings.Contains(text, "| `"+key+"` |") {
				t.Errorf("%s does not explain %s", path, key)
			}
		}
		if shown != table && !rewriting() {
			t.Errorf("%s is out of date; run: go test ./model/releases -rewrite", path)
		}
		page = before + heading + "\n" + text + head + table + "```\n" + rest
	}
	if rewriting() && page != string(file) {
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}

// TestGoVersionsPage: docs/versions.md has the table of the Go client on the wire, and explains it.
func TestGoVersionsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```\n" + GoVersionTable() + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("docs/versions.md does not have the table:\n%s", want)
	}
	for _, b := range goBehaviours {
		if !strings.Contains(string(page), "| `"+b.key+"` |") {
			t.Errorf("docs/versions.md does not explain %s", b.key)
		}
	}
}
