package report

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"simrun/internal/result"
	"simrun/report/store"
)

// docs/metrics.md says what the registry says; -update writes it.
func TestMetricsDocument(t *testing.T) {
	text := MetricsMarkdown()
	golden(t, filepath.Join("..", "docs", "metrics.md"), []byte(text))
	for _, m := range result.Metrics() {
		if !strings.Contains(text, "### `"+m.Name+"`\n") {
			t.Errorf("%s has no entry", m.Name)
		}
	}
}

// docs/results.md names every file and every column.
func TestResultsDocument(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := append([]string{
		SummaryFile, TextFile, ScenarioFile, store.ManifestFile, SeriesFile,
	}, seriesHeader([]string{"B"})...)
	for _, f := range Figures(figureWorlds()["two-masters-down"]) {
		names = append(names, "| `"+f.Name+"` |")
	}
	for _, name := range names {
		if !strings.Contains(string(data), name) {
			t.Errorf("%s is not explained", name)
		}
	}
}

// Of this module the package and its parts import the results and nothing else: they cannot run anything.
// Tests may sum up several.
func TestImportsOnlyResults(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "*/*.go", "internal/*/*.go"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			tested := path == "simrun/internal/ensemble" && strings.HasSuffix(name, "_test.go")
			if strings.HasPrefix(path, "simrun/") && path != "simrun/internal/result" &&
				!strings.HasPrefix(path, "simrun/report") && !tested {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
