package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"simrun/internal/result"
)

// storyKinds reads the kinds of entries of a story from the source: name and value of each constant
// Story….
func storyKinds(t *testing.T) map[string]string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "../internal/result/story.go", nil,
		parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Story") {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds[spec.Names[0].Name] = value
		return true
	})
	return kinds
}

// silent are the kinds that need no words, because the entry after them says it better.
var silent = map[string]bool{result.StoryResponseCame: true} // the attempt ends

// Goal: whatever can happen to a message has its sentence. Method: an entry of each kind that the
// source knows, told on a page of its own.
func TestEveryKindOfEntryHasWords(t *testing.T) {
	kinds := storyKinds(t)
	if kinds["StoryTaken"] != result.StoryTaken || len(kinds) < 30 {
		t.Fatalf("only %d kinds were found", len(kinds))
	}
	for name, kind := range kinds {
		e := result.StoryEntry{
			Kind: kind, Attempt: 1, Broker: "a", SpanNS: 1e9, N: 1, Outcome: "SYSTEM_BUSY",
			From: "at_risk", To: "durable", Choice: &result.StoryChoice{}, Update: &result.StoryUpdate{},
		}
		teller := &teller{page: &page{}, story: &result.Story{}}
		teller.entry([]result.StoryEntry{e})
		if text := strings.TrimSpace(teller.b.String()); len(text) < len("0.000000s  connected") != silent[kind] {
			t.Errorf("result.%s has no words: %q", name, text)
		}
	}
}
