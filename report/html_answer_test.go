package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

// The answer is one sentence, of any run: issue 6, "verdict, headline numbers".
func TestAnswer(t *testing.T) {
	worlds := edgeWorlds()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		answer := Answer(fixture(worlds[name]))
		if strings.Count(answer, ". ") > 0 || !strings.HasSuffix(answer, ".") {
			t.Errorf("%s: no sentence: %q", name, answer)
		}
		b.WriteString(name + ": " + answer + "\n")
	}
	golden(t, "testdata/html/answers.txt", []byte(b.String()))
}

// The fault that hurt most is the one with most failed sends, then with the longest tail; one that did not
// begin is none.
func TestWorstFault(t *testing.T) {
	run := func(failed, p99 [2]int64, began bool) *result.Run {
		r := &result.Run{Faults: []result.Fault{{Name: "a", Began: true}, {Name: "b", Began: began}}}
		for i, name := range []string{"a", "b"} {
			r.Stats = append(r.Stats, result.Stats{
				Phase: result.FaultPrefix + name, Dim: result.DimAll, Failed: failed[i],
				Latency: result.Latency{P99NS: p99[i]},
			})
		}
		return r
	}
	for _, c := range []struct {
		failed, p99 [2]int64
		began       bool
		want        string
	}{
		{[2]int64{1, 2}, [2]int64{9, 1}, true, "b"},
		{[2]int64{2, 2}, [2]int64{1, 9}, true, "b"},
		{[2]int64{2, 2}, [2]int64{1, 1}, true, "a"},
		{[2]int64{1, 2}, [2]int64{1, 1}, false, "a"},
	} {
		if f := worstFault(run(c.failed, c.p99, c.began)); f == nil || f.Name != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
	if f := worstFault(&result.Run{}); f != nil {
		t.Errorf("%+v of no faults", f)
	}
}

// Numbers are not torn apart at the end of a line.
func TestWholeNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{"of 1 439 169 acknowledged", "of 1\u00A0439\u00A0169 acknowledged"},
		{"× 2 910", "×\u00A02\u00A0910"},
		{"4 brokers, 120–300 s", "4 brokers, 120–300\u00A0s"},
		{"a 12 b", "a 12 b"},
	} {
		if got := wholeNumbers(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
