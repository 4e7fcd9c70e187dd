package sweep

import (
	"fmt"
	"math"
	"strings"

	"simrun/scenarios"
)

// maxLevels bounds the values of one range: a longer one is a slip of the keyboard.
const maxLevels = 1000

// ranged is what a range comes to: levels, a span, or what is wrong with it and how it is mended.
type ranged struct {
	levels   []level
	span     *span
	log      bool
	why, fix string
}

// readRange reads "a..b/step", "a..b*factor", "a..b" or "a..b@log"; false if the text is no range.
func readRange(it level) (ranged, bool) {
	left, rest, ok := strings.Cut(it.text, "..")
	if !ok || strings.ContainsAny(left, `"[{`) || left == "" {
		return ranged{}, false
	}
	right, by, kind := rest, "", byte(0)
	if i := strings.LastIndexAny(rest, "*@"); i >= 0 {
		right, by, kind = rest[:i], rest[i+1:], rest[i]
	} else if i := stepAt(rest); i >= 0 {
		right, by, kind = rest[:i], rest[i+1:], '/'
	}
	low, okLow := scenarios.ParseQuantity(left)
	high, okHigh := scenarios.ParseQuantity(right)
	bad := func(why, fix string) (ranged, bool) { return ranged{why: why, fix: fix}, true }
	switch {
	case !okLow && !okHigh:
		return ranged{}, false
	case !okLow:
		return bad(fmt.Sprintf("%q begins with %q, which is on no scale", it.text, left), paramForm)
	case !okHigh:
		return bad(fmt.Sprintf("%q ends with %q, which is on no scale", it.text, right), paramForm)
	case !low.Like(high):
		return bad(fmt.Sprintf("%q has two kinds of quantities", it.text), "both ends are of one kind")
	case low.Value == high.Value:
		return bad(fmt.Sprintf("%q has a single value", it.text), "write "+left)
	case low.Value > high.Value:
		return bad(fmt.Sprintf("%q runs backwards", it.text), "write the lesser end first")
	}
	r := ranged{log: kind == '*' || kind == '@'}
	if r.log && low.Value <= 0 {
		return bad(fmt.Sprintf("%q begins at 0, of which nothing is a multiple", it.text), "begin above 0")
	}
	switch kind {
	case '/':
		r.steps(it, low, high, by)
	case '*':
		r.factors(it, low, high, by)
	default:
		if kind == '@' && by != "log" {
			return bad(fmt.Sprintf("%q is no way to fill a range", by), "write a..b or a..b@log")
		}
		r.span = &span{low, high, r.log, it.from, it.to}
	}
	return r, true
}

// stepAt finds the slash before a step: not the one of a rate, "400/s".
func stepAt(text string) int {
	for i := len(text) - 1; i > 0; i-- {
		if text[i] != '/' {
			continue
		}
		_, okEnd := scenarios.ParseQuantity(text[:i])
		if _, okStep := scenarios.ParseQuantity(text[i+1:]); okEnd && okStep {
			return i
		}
	}
	if i := strings.LastIndexByte(text, '/'); i > 0 {
		if _, ok := scenarios.ParseQuantity(text); !ok {
			return i
		}
	}
	return -1
}

// steps are the levels of "a..b/step".
func (r *ranged) steps(it level, low, high scenarios.Quantity, by string) {
	step, ok := scenarios.ParseQuantity(by)
	if !ok || !step.Like(low) || step.Value <= 0 {
		r.why, r.fix = fmt.Sprintf("%q is no step from %s", by, low.Text()), "it is a quantity of the same kind"
		return
	}
	n := math.Floor((high.Value-low.Value)/step.Value + 1e-9)
	if n < 1 {
		r.why, r.fix = fmt.Sprintf("%q has a step that is longer than it", it.text), "take a shorter step"
		return
	}
	if n >= maxLevels {
		r.why, r.fix = fmt.Sprintf("%q has more than %d values", it.text, maxLevels), "take a longer step"
		return
	}
	for i := range int(n) + 1 {
		r.add(it, finer(low, step).With(low.Value+float64(i)*step.Value, 0))
	}
}

// factors are the levels of "a..b*factor".
func (r *ranged) factors(it level, low, high scenarios.Quantity, by string) {
	factor, ok := plainNumber(by)
	if !ok || factor <= 1 {
		r.why, r.fix = fmt.Sprintf("%q is no factor", by), "it is a number above 1"
		return
	}
	if low.Value*factor > high.Value*(1+1e-9) {
		r.why, r.fix = fmt.Sprintf("%q has a factor that leads out of it", it.text), "take a smaller factor"
		return
	}
	if math.Log(high.Value/low.Value)/math.Log(factor) >= maxLevels {
		r.why, r.fix = fmt.Sprintf("%q has more than %d values", it.text, maxLevels), "take a larger factor"
		return
	}
	grain := min(low.Grain(), high.Grain())
	for x := low.Value; x <= high.Value*(1+1e-9); x *= factor {
		if q := low.With(x, grain); len(r.levels) == 0 || q.Text() != r.levels[len(r.levels)-1].text {
			r.add(it, q)
		}
	}
}

// add adds a level that stands for a part of the flag.
func (r *ranged) add(it level, q scenarios.Quantity) {
	r.levels = append(r.levels, level{q.Text(), it.from, it.to})
}

// finer is the one of two quantities that is not of whole numbers, if one is.
func finer(a, b scenarios.Quantity) scenarios.Quantity {
	if a.Grain() == 1 && b.Grain() == 0 {
		return b
	}
	return a
}

// at is the value at a place from 0 up to 1 in the span. Values are as fine as its ends are written, and no
// finer than a thousandth of it (by ratios: of themselves); each is as likely as the others.
func (s *span) at(u float64) scenarios.Quantity {
	low, high := s.low.Value, s.high.Value
	least := min(s.low.Grain(), s.high.Grain())
	grain := func(size float64) float64 {
		g := math.Pow(10, math.Floor(math.Log10(size/1000)))
		if least > 0 {
			g = math.Max(least, math.Floor(g/least)*least)
		}
		return g
	}
	var x float64
	if s.log {
		x = low * math.Pow(high/low, u)
		g := grain(x)
		x = math.Round(x/g) * g
	} else {
		g := grain(high - low)
		steps := math.Floor((high-low)/g + 1e-9)
		x = low + math.Floor(u*(steps+1))*g
	}
	return finer(s.low, s.high).With(math.Min(math.Max(x, low), high), 0)
}
