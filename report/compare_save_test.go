package report

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/internal/result"
	"simrun/report/store"
)

// compareFiles are what a fabricated comparison is saved with.
func compareFiles(c *result.Comparison) CompareFiles {
	var f CompareFiles
	for _, v := range c.Variants {
		f.Variants = append(f.Variants, VariantFiles{ScenarioTOML: []byte("# " + v.Name + "\n")})
	}
	return f
}

// saveComparison saves one in a directory of its own.
func saveComparison(t *testing.T, c *result.Comparison) string {
	t.Helper()
	dir := ComparePath(t.TempDir(), c, c.Seeds)
	if got, err := SaveComparison(dir, c, compareFiles(c), false); err != nil || got != store.Written {
		t.Fatalf("saved: %v, %v", got, err)
	}
	return dir
}

// Goal: simrun report shows a comparison from its own directory. Method: what is read is what was saved, to
// the last digit, and draws the same files.
func TestComparisonRoundTrip(t *testing.T) {
	c := comparison(10, "base", "ours", "hasty")
	dir := saveComparison(t, c)
	if want := "compare-1..10-" + c.Key; filepath.Base(dir) != want {
		t.Errorf("directory %s, want %s", dir, want)
	}
	got, err := LoadComparison(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got, sameValue, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-saved +read)\n%s", diff)
	}
	status, err := SaveComparison(dir, got, compareFiles(got), false)
	if err != nil || status != store.Unchanged {
		t.Errorf("saved again: %v, %v", status, err)
	}
	differ, n, err := VerifyComparison(dir, got, compareFiles(got))
	if err != nil || len(differ) > 0 || n < 10 {
		t.Errorf("verified: %v, %d, %v", differ, n, err)
	}
	csv := filepath.Join(dir, CompareCSVFile)
	whole, err := os.ReadFile(csv)
	if err == nil {
		err = errors.Join(os.WriteFile(csv, whole[1:], 0o600), os.Remove(filepath.Join(dir, CompareMarkdownFile)))
	}
	if err != nil {
		t.Fatal(err)
	}
	differ, _, err = VerifyComparison(dir, got, compareFiles(got))
	want := []store.Difference{{Path: CompareMarkdownFile, Missing: true}, {Path: CompareCSVFile}}
	if err != nil ||
		!slices.Equal(differ, want) {
		t.Errorf("verified: %v, %v", differ, err)
	}
	if err := os.WriteFile(csv, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := RerenderComparison(dir, got, compareFiles(got))
	if err != nil || !slices.Equal(written, []string{CompareMarkdownFile}) {
		t.Errorf("written again: %v, %v", written, err)
	}
}

// "A corrupted or truncated results file is detected and named, never merged."
func TestComparisonNamesWhatIsDamaged(t *testing.T) {
	dir := saveComparison(t, comparison(8, "base", "ours"))
	other := comparison(8, "base", "ours")
	other.Digest = "0123456789abcdef"
	foreign := saveComparison(t, other)
	for _, name := range []string{
		store.ManifestFile, CompareFile, "variants/ours/seeds.json", "variants/base/timeline-seeds.csv",
		"variants/ours/latency-seeds.csv", "variants/base/scenario.toml",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(whole), "\n")
		damages := map[string]string{
			"cut short": strings.Join(lines[:len(lines)/2], ""), "empty": "",
			"edited": strings.Replace(string(whole), "1", "2", 1), "missing": "",
		}
		if there, err := os.ReadFile(filepath.Join(foreign, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		} else if string(there) != string(whole) {
			damages["of another"] = string(there)
		}
		for what, text := range damages {
			if what == "edited" && name == store.ManifestFile || text == string(whole) && what != "missing" {
				continue // there are parts of a manifest that mean nothing to the numbers
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if what == "missing" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadComparison(dir)
			var files *store.IOError
			if !errors.As(err, &files) || !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := LoadComparison(dir); err != nil {
		t.Errorf("put right: %v", err)
	}
}

// What was interrupted is kept under another name until it is repeated to its end; another result with the
// same name is refused.
func TestComparisonIsSettled(t *testing.T) {
	c := comparison(10, "base", "ours")
	dir := ComparePath(t.TempDir(), c, c.Seeds)
	part := *c
	part.Complete = false
	save := func(c *result.Comparison, force bool) (store.Status, error) {
		return SaveComparison(dir, c, compareFiles(c), force)
	}
	partial := store.PartialPath(dir)
	if got, err := save(&part, false); err != nil || got != store.Partial || !IsComparison(partial) {
		t.Errorf("interrupted: %v, %v", got, err)
	}
	if got, err := save(c, false); err != nil || got != store.Written || IsComparison(partial) {
		t.Errorf("to its end: %v, %v", got, err)
	}
	other := *c
	other.Digest = "0123456789abcdef"
	var conflict *store.ConflictError
	if _, err := save(&other, false); !errors.As(err, &conflict) || conflict.Have != c.Digest {
		t.Errorf("another digest: %v", err)
	}
	if got, err := save(&other, true); err != nil || got != store.Written {
		t.Errorf("by force: %v, %v", got, err)
	}
}
