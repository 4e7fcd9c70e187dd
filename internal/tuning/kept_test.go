package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/scenarios"
)

const docs = "../../docs"

// The page, its numbers and its figures are what the text and the numbers by seed give: whoever changes the
// text, the statistics or a figure sees it here, without a run.
func TestGuideIsOfItsNumbers(t *testing.T) {
	t.Parallel()
	w, err := again(docs)
	if err != nil {
		t.Fatal(err)
	}
	numbers, pages, err := w.files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(numbers, pages) {
		have, err := os.ReadFile(filepath.Join(docs, f.name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(have, f.data) {
			t.Errorf("docs/%s is not what the numbers in docs/tuning-guide give; run: make tuning-text", f.name)
		}
	}
	names, err := filepath.Glob(docs + "/tuning-*")
	if err != nil || len(names) != len(pages)+1 {
		t.Errorf("%d files and a directory are of the guide, docs has %q (%v)", len(pages), names, err)
	}
}

// Nor are the numbers of figures and of the table of gains from another model or scenario: of each the first
// run is made again.
func TestFiguresAreOfThisModel(t *testing.T) {
	t.Parallel()
	old, err := again(docs)
	if err != nil {
		t.Fatal(err)
	}
	load := func() (*scenarios.Scenario, error) { return scenarios.Load(gainScenario, scenarios.Options{}) }
	first := []wanted{{place: gainScenario, setting: scenarios.BaseName, load: load}}
	for i := range sweeps {
		plan, err := sweeps[i].plan()
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, sweeps[i].wanted(plan)[0])
	}
	for _, w := range first {
		at := slices.IndexFunc(old.shelf.all, func(k *kept) bool {
			return k.place == w.place && k.setting == w.setting
		})
		if at < 0 {
			t.Fatalf("there is no %s with %s", w.place, w.setting)
		}
		rows := old.shelf.all[at].rows
		now, err := (&shelf{jobs: 1}).get(context.Background(), []wanted{w}, rows, heldOut()[:1])
		if err != nil {
			t.Fatal(err)
		}
		if now[0].digest != old.shelf.all[at].digest {
			t.Errorf("%s with %s has another digest than the guide was made from"+remake, w.place, w.setting)
		}
	}
}

// Another number makes another page.
func TestNumbersMakeThePage(t *testing.T) {
	t.Parallel()
	w, err := again(docs)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(docs, "tuning-guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	k := w.shelf.all[1]
	at := slices.Index(k.rows, ensemble.Row{Metric: "latency_mean", Phase: result.PhaseAll})
	for i := range k.values[at] {
		k.values[at][i] *= 1.01
	}
	_, pages, err := w.files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(pages[0].data, want) {
		t.Error("the page does not depend on the numbers")
	}
}

// Of a study that has no numbers nothing is made, and nothing is run: what is missing is named.
func TestWhatWasNotMeasured(t *testing.T) {
	t.Parallel()
	l := newSearch(1)
	l.closed = true
	err := l.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "silent/ssd with 5.x was not measured on seed 1") {
		t.Error(err)
	}
	s := &shelf{closed: true}
	_, err = gains(context.Background(), s, scenarios.Options{}, heldOut())
	if err == nil || !strings.Contains(err.Error(), `tuning with "base" was not measured`) {
		t.Error(err)
	}
	// Numbers of other conditions are none of these, nor are those of fewer rows or seeds.
	rows := []ensemble.Row{{Metric: "failed", Phase: result.PhaseAll}}
	s.all = []*kept{{place: "a", setting: "b", key: "c", rows: rows, values: [][]float64{{1, 2}}}}
	ask := func(key string, seeds int, rows ...ensemble.Row) error {
		want := []wanted{{place: "a", setting: "b", key: key}}
		_, err := s.get(context.Background(), want, rows, heldOut()[:seeds])
		return err
	}
	if err := ask("c", 2, rows...); err != nil {
		t.Error(err)
	}
	other := ensemble.Row{Metric: "success_rate", Phase: result.PhaseAll}
	for _, err := range []error{ask("d", 2, rows...), ask("c", 3, rows...), ask("c", 2, other)} {
		if err == nil {
			t.Error("something is found that was not measured")
		}
	}
}

// What is read is what was written, to the last digit.
func TestKeptNumbersReturn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "place,setting,key,digest,row,101,102,103,104,105,106,107,108,109,110," +
		"111,112,113,114,115,116,117,118,119,120\n" +
		"silent/ssd,x=1,c,d,success_rate@all,0.9638023985036858,1" + strings.Repeat(",", 18) + "\n" +
		"silent/ssd,x=1,c,d,starved_time@death,15850245843,never" + strings.Repeat(",", 18) + "\n"
	s := &shelf{}
	if err := s.read(write("seeds.csv", []byte(text))); err != nil {
		t.Fatal(err)
	}
	if len(s.all) != 1 || s.all[0].rows[1] != (ensemble.Row{Metric: "starved_time", Fault: "death"}) {
		t.Fatalf("%+v", s.all)
	}
	if len(s.csv()) > len(text)/2 {
		t.Error("what nobody asked for is kept")
	}
	s.all[0].used = true
	if got := string(s.csv()); got != text {
		t.Errorf("%s, want %s", got, text)
	}
	for _, bad := range []string{"", "place\n", strings.Replace(text, "never", "later", 1)} {
		if err := (&shelf{}).read(write("bad.csv", []byte(bad))); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
