package scenarios

import (
	"strings"

	"simrun/model/rate"
	"simrun/sim"
)

// shape is a way in which a rate changes.
type shape struct {
	name   string
	fields []string
	doc    string
	read   func(*inlineReader) rate.Shape
}

// shapes are the shapes by the name that stands in shape = "…".
func shapes() []shape {
	return []shape{
		{
			"bursts",
			[]string{"factor", "for", "at", "every"},
			"`factor` times the rate, `for` so long, first at `at` (default `\"0s\"`) and then, if it has " +
				"`every`, once in each such time", readBursts,
		},
		{
			"ramp",
			[]string{"from", "to", "at", "over"},
			"from `from` times the rate (default 1) to `to` times, evenly `over` a time that begins at `at` " +
				"(default `\"0s\"`); before and after it stays", readRamp,
		},
		{
			"daily",
			[]string{"factors", "day"},
			"a curve through `factors`, evenly spaced over a `day` (default `\"24h\"`, which can be " +
				"shortened) and back to the first: 24 of them are one each hour", readDaily,
		},
		{
			"points",
			[]string{"points", "every"},
			"a curve through points `{ at = \"10s\", factor = 2 }`, the first at `\"0s\"`; two at one time are " +
				"a step. It stays at the last, or begins anew with `every`", readPoints,
		},
	}
}

func shapeNames() (names []string) {
	for _, s := range shapes() {
		names = append(names, s.name)
	}
	return names
}

const shapeWant = `a shape such as { shape = "bursts", factor = 5, for = "10s", every = "60s" }`

// shapeKind is how a rate goes up and down.
var shapeKind = kind{
	name: "shape", want: shapeWant,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeTable {
			l.mismatch(n, shapeWant)
			return nil, "", false
		}
		name := n.child("shape")
		if name == nil {
			l.fail(n, "%s does not say which shape it is", n.path).Hint = "it is written as " +
				strings.TrimPrefix(shapeWant, "a shape such as ")
			return nil, "", false
		}
		i, text, ok := enum(shapeNames()).read(l, name)
		if !ok {
			return nil, "", false
		}
		s := shapes()[i.(int)]
		r := inlineReader{l: l, n: n}
		r.say("shape", text)
		r.only("a load of shape "+s.name, append([]string{"shape"}, s.fields...)...)
		v := s.read(&r)
		if !r.failed && top(v) == 0 {
			r.fail("", "all factors are 0, nothing is ever sent")
		}
		return v, r.done(), !r.failed
	},
}

// factorKind is a factor of a rate.
var factorKind = number(0, 1e6)

// top is the highest factor of a shape.
func top(s rate.Shape) (factor float64) {
	for _, p := range s.Points {
		factor = max(factor, p.Factor)
	}
	return factor
}

func readBursts(r *inlineReader) (s rate.Shape) {
	factor, _ := field[float64](r, "factor", factorKind, "")
	length, good := field[sim.Duration](r, "for", durationKind, "")
	at, alsoGood := field[sim.Duration](r, "at", durationKind, `"0s"`)
	every, again := optional[sim.Duration](r, "every", durationKind)
	switch good = good && alsoGood; {
	case good && length == 0:
		r.fail("for", "a burst of no length changes nothing")
	case good && again && at+length > every:
		r.fail("every", "a burst of %s that begins at %s does not fit into %s", formatDuration(length),
			formatDuration(at), formatDuration(every))
	}
	if at > 0 {
		s.Points = append(s.Points, rate.Point{Factor: 1}, rate.Point{At: at, Factor: 1})
	}
	end := at + length
	s.Points = append(s.Points, rate.Point{At: at, Factor: factor},
		rate.Point{At: end, Factor: factor})
	if !again || end < every {
		s.Points = append(s.Points, rate.Point{At: end, Factor: 1})
	}
	s.Period = every
	return s
}

func readRamp(r *inlineReader) (s rate.Shape) {
	from, _ := field[float64](r, "from", factorKind, "1")
	to, _ := field[float64](r, "to", factorKind, "")
	at, _ := field[sim.Duration](r, "at", durationKind, `"0s"`)
	over, _ := field[sim.Duration](r, "over", durationKind, "")
	if at > 0 {
		s.Points = append(s.Points, rate.Point{Factor: from})
	}
	s.Points = append(s.Points, rate.Point{At: at, Factor: from},
		rate.Point{At: at + over, Factor: to})
	return s
}

// maxPoints bounds the points of a curve: ten years of hours.
const maxPoints = 100_000

func readDaily(r *inlineReader) (s rate.Shape) {
	factors, good := field[[]float64](r, "factors", listOf[float64](factorKind, "list of numbers",
		"an array of numbers, such as [0.2, 1, 1.5, 1]"), "")
	day, alsoGood := field[sim.Duration](r, "day", durationKind, `"24h"`)
	n := len(factors)
	switch {
	case !good || !alsoGood:
		return s
	case n == 0 || n > maxPoints:
		r.fail("factors", "there are %d factors; it needs 1 to %d", n, maxPoints)
		return s
	case day < sim.Duration(n):
		r.fail("day", "a day of %s is too short for %d factors", formatDuration(day), n)
		return s
	}
	step := day / sim.Duration(n)
	for i, f := range factors {
		s.Points = append(s.Points, rate.Point{At: sim.Duration(i) * step, Factor: f})
	}
	s.Points = append(s.Points, rate.Point{At: day, Factor: factors[0]})
	s.Period = day
	return s
}

func readPoints(r *inlineReader) (s rate.Shape) {
	s.Points, _ = field[[]rate.Point](r, "points",
		listOf[rate.Point](pointKind, "list of points", "an array of points, such as "+pointExample), "")
	every, again := optional[sim.Duration](r, "every", durationKind)
	if r.failed {
		return s
	}
	list := r.n.child("points")
	fail := func(i int, format string, args ...any) {
		r.l.fail(list.elems[i], list.elems[i].path+" "+format, args...)
		r.failed = true
	}
	switch n := len(s.Points); {
	case n == 0 || n > maxPoints:
		r.fail("points", "there are %d points; it needs 1 to %d", n, maxPoints)
		return s
	case s.Points[0].At != 0:
		fail(0, `is at %s; the first point is at "0s"`, formatDuration(s.Points[0].At))
	case again && every < s.Points[n-1].At:
		r.fail("every", "it begins anew after %s, before its last point (%s)", formatDuration(every),
			formatDuration(s.Points[n-1].At))
	case again && every == 0:
		r.fail("every", "it begins anew after no time")
	}
	for i := 1; i < len(s.Points); i++ {
		if before := s.Points[i-1].At; s.Points[i].At < before {
			fail(i, "is at %s, before the point in front of it (%s)", formatDuration(s.Points[i].At),
				formatDuration(before))
		}
	}
	s.Period = every
	return s
}

const pointExample = `{ at = "10s", factor = 2 }`

var pointKind = kind{
	name: "point", want: "a point such as " + pointExample,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeTable {
			l.mismatch(n, "a point such as "+pointExample)
			return nil, "", false
		}
		r := inlineReader{l: l, n: n}
		r.only("a point", "at", "factor")
		at, _ := field[sim.Duration](&r, "at", durationKind, "")
		factor, _ := field[float64](&r, "factor", factorKind, "")
		return rate.Point{At: at, Factor: factor}, r.done(), !r.failed
	},
}
