package sweep

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/scenarios"
)

// Goal: "Latin hypercube or Halton points for many dimensions". Laws: a Latin hypercube has one point in each
// slice of each axis; the first b^k points of a Halton axis of base b have one in each of b^k slices; a seed
// makes one design.
func TestDesignLaws(t *testing.T) {
	slice := func(u [][]float64, axis, n int) []int {
		var out []int
		for i := range n {
			out = append(out, int(u[i][axis]*float64(n)))
		}
		slices.Sort(out)
		return out
	}
	one := func(n int) []int {
		var out []int
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		n, axes, seed := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "axes"),
			rapid.Uint64().Draw(t, "seed")
		u := places(result.DesignLatin, n, axes, seed)
		for j := range axes {
			if got := slice(u, j, n); !slices.Equal(got, one(n)) {
				t.Fatalf("axis %d has points in slices %v of %d", j, got, n)
			}
		}
		again := places(result.DesignLatin, n, axes, seed)
		for i := range u {
			if !slices.Equal(u[i], again[i]) {
				t.Fatal("one seed, two designs")
			}
		}
		h := places(result.DesignHalton, 27, 2, seed)
		for j, powers := range [][]int{{2, 4, 8, 16}, {3, 9, 27}} {
			for _, b := range powers {
				if got := slice(h, j, b); !slices.Equal(got, one(b)) {
					t.Fatalf("Halton axis %d: %v", j, got)
				}
			}
		}
	})
}

// Law: what a span gives lies in it, rises with the place, and reads back as it is.
func TestSpanLaws(t *testing.T) {
	forms := []string{"%dms", "%ds", "%d", "%d.5", "%dus", "%d/s", "%dKiB", "%d%%"}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		a, d := rapid.IntRange(1, 5000).Draw(t, "a"), rapid.IntRange(1, 5000).Draw(t, "d")
		text := fmt.Sprintf(form+".."+form, a, a+d)
		if rapid.Bool().Draw(t, "log") {
			text += "@log"
		}
		r, ok := readRange(level{text: text})
		if !ok || r.span == nil {
			t.Fatalf("%s is no span: %+v", text, r)
		}
		last := r.span.low.Value
		for i := range 21 {
			q := r.span.at(float64(i) / 20.0001)
			back, ok := scenarios.ParseQuantity(q.Text())
			unit := 1.0
			if form == "%d%%" {
				unit = 1 + 1e-11
			}
			if !ok || back.Value != q.Value || q.Value < last || q.Value > r.span.high.Value*unit {
				t.Fatalf("%s at %d/20 is %s after %v; read back as %v", text, i, q.Text(), last, back.Value)
			}
			last = q.Value
		}
	})
}

// Law: the levels of a range with a step begin with its lower end, are evenly apart and end within one step
// of the upper end.
func TestStepLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, s := rapid.IntRange(0, 500).Draw(t, "a"), rapid.IntRange(1, 500).Draw(t, "step")
		n, more := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(0, 499).Draw(t, "more")
		for _, form := range []string{"%d..%d/%d", "%[1]dms..%[2]dms/%[3]dms", "0.%03[1]d..0.%03[2]d/0.%03[3]d"} {
			high := a + n*s + more%s
			if form[0] == '0' && high > 999 {
				continue
			}
			text := fmt.Sprintf(form, a, high, s)
			r, ok := readRange(level{text: text})
			if !ok || len(r.levels) != n+1 {
				t.Fatalf("%s: %d levels, want %d (%s)", text, len(r.levels), n+1, r.why)
			}
			first, _ := scenarios.ParseQuantity(r.levels[0].text)
			step, _ := scenarios.ParseQuantity(r.levels[1].text)
			last, _ := scenarios.ParseQuantity(r.levels[n].text)
			width := step.Value - first.Value
			if d := last.Value - first.Value - float64(n)*width; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%s: %v", text, r.levels)
			}
		}
	})
}

// Law: a list that is scaled and bent is a list of whole milliseconds in the same order, zeros where they
// were and nowhere else; by 1 and 1 it is itself; the largest is scaled alone.
func TestChangeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 100_000), 1, 9).Draw(t, "list")
		slices.Sort(list)
		text := "["
		for i, ms := range list {
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%q", fmt.Sprintf("%dms", ms))
		}
		text += "]"
		read := func(text string) []scenarios.Quantity {
			q, ok := quantitiesOf(splitValues(text[1:len(text)-1], 0))
			if !ok {
				t.Fatalf("%s is no list", text)
			}
			return q
		}
		was := read(text)
		same, ok := change{1, 1}.apply(text)
		if now := read(same); !ok || !slices.Equal(was, now) {
			t.Fatalf("%s became %s", text, same)
		}
		c := change{rapid.Float64Range(0.1, 4).Draw(t, "shape"), rapid.Float64Range(0.01, 100).Draw(t, "scale")}
		bent, ok := c.apply(text)
		if !ok {
			t.Fatal(text)
		}
		now := read(bent)
		for i, q := range now {
			whole := q.Value == float64(int64(q.Value/1e6)*1e6)
			rises := i == 0 || (was[i].Value > was[i-1].Value) == (q.Value > now[i-1].Value)
			if !whole || !rises || (q.Value == 0) != (was[i].Value == 0) {
				t.Fatalf("%v of %s is %s", c, text, bent)
			}
		}
	})
}
