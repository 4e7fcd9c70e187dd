package sweep

import (
	"fmt"
	"slices"
	"strings"

	"simrun/scenarios"
)

// Ways to change a value by a number instead of giving it.
const (
	opScale = "scale"
	opShape = "shape"
)

// param is a --param flag.
type param struct {
	// name is what stands before a problem, text the flag.
	name, text string
	targets    []target
	levels     []level
	// span is what a space-filling design fills; nil for levels.
	span *span
	// log: the levels come from factors.
	log bool
}

// target is one of the addresses of a flag.
type target struct {
	address, op string
	from, to    int // in the flag
}

// level is one value of a list, as --set takes it.
type level struct {
	text     string
	from, to int
}

// span is a range without steps.
type span struct {
	low, high scenarios.Quantity
	log       bool
	from, to  int
}

// parser reads flags and collects what is wrong with them.
type parser struct {
	problems []scenarios.Problem
}

// fail reports a mistake at some bytes of a flag.
func (p *parser) fail(f *param, from, to int, message, hint string) {
	p.problems = append(p.problems, scenarios.FlagProblem(f.name, f.text, from, to, message, hint))
}

const paramForm = "it is written as KEY=v1,v2 or KEY=a..b/step"

// parse reads a flag. It reports what is wrong with its form; addresses and values are for the scenario to
// judge.
func (p *parser) parse(name, text string) *param {
	f := &param{name: name, text: text}
	keys, values, ok := strings.Cut(text, "=")
	if !ok {
		p.fail(f, 0, len(text), fmt.Sprintf("%q has no values", text), paramForm)
		return f
	}
	at := 0
	for part := range strings.SplitSeq(keys, "&") {
		address, op, has := strings.Cut(part, "~")
		t := target{strings.TrimSpace(address), op, at, at + len(part)}
		at += len(part) + 1
		switch {
		case t.address == "":
			p.fail(f, t.from, t.to, "a key is missing", paramForm)
		case t.address == "seed":
			p.fail(f, t.from, t.to, "the seed is no setting", "--seeds says which seeds each point is run with")
		case t.address == "expect" || strings.HasPrefix(t.address, "expect."):
			p.fail(f, t.from, t.to, "an expectation changes nothing of a run",
				"--require 'METRIC<=VALUE' marks the points that miss a bound")
		case has && op != opScale && op != opShape:
			p.fail(f, t.from, t.to, fmt.Sprintf("%q is nothing that is done to a value", op),
				"it can be ~scale or ~shape")
		}
		f.targets = append(f.targets, t)
	}
	p.values(f, values, len(keys)+1)
	return f
}

// values reads what stands behind the = of a flag, at an offset in it.
func (p *parser) values(f *param, text string, offset int) {
	items := splitValues(text, offset)
	for _, it := range items {
		if strings.TrimSpace(it.text) == "" {
			p.fail(f, it.from, it.to, "a value is missing", paramForm)
			continue
		}
		r, isRange := readRange(it)
		switch {
		case !isRange:
			f.levels = append(f.levels, it)
		case r.why != "":
			p.fail(f, it.from, it.to, r.why, r.fix)
		case r.span != nil && len(items) > 1:
			p.fail(f, it.from, it.to, fmt.Sprintf("%q has no step, and stands in a list", it.text),
				"write "+it.text+"/step")
		case r.span != nil:
			f.span = r.span
		default:
			f.levels, f.log = append(f.levels, r.levels...), f.log || r.log
		}
	}
	p.order(f)
	for _, t := range f.targets {
		p.numbers(f, t)
	}
}

// numbers checks that what is done to values is done with numbers above 0.
func (p *parser) numbers(f *param, t target) {
	if t.op == "" {
		return
	}
	for _, l := range f.levels {
		if x, ok := plainNumber(l.text); !ok || x <= 0 || x > maxFactor {
			p.fail(f, l.from, l.to, fmt.Sprintf("%q is no number to ~%s with", l.text, t.op),
				"it is above 0 and at most 1000; 1 leaves the value as it is")
		}
	}
	if s := f.span; s != nil {
		_, low := plainNumber(s.low.Text())
		_, high := plainNumber(s.high.Text())
		if !low || !high || s.low.Value <= 0 || s.high.Value > maxFactor {
			p.fail(f, s.from, s.to, fmt.Sprintf("%q is no range to ~%s with", f.text[s.from:s.to], t.op),
				"it is above 0 and at most 1000; 1 leaves the value as it is")
		}
	}
}

// maxFactor bounds scales and shapes.
const maxFactor = 1000

// plainNumber reads a number without a unit.
func plainNumber(text string) (float64, bool) {
	q, ok := scenarios.ParseQuantity(text)
	return q.Value, ok && q.Like(scenarios.Quantity{}) // the zero value is a whole number
}

// order sorts levels that are on one scale, and reports those that are there twice.
func (p *parser) order(f *param) {
	quantities, ok := quantitiesOf(f.levels)
	seen := map[string]bool{}
	for i, l := range f.levels {
		key := l.text
		if ok {
			key = quantities[i].Text()
		}
		if seen[key] {
			p.fail(f, l.from, l.to, fmt.Sprintf("%s is there twice", l.text), "each point is run once")
		}
		seen[key] = true
	}
	if !ok {
		return
	}
	value := func(l level) float64 {
		q, _ := scenarios.ParseQuantity(l.text)
		return q.Value
	}
	slices.SortStableFunc(f.levels, func(a, b level) int {
		switch x, y := value(a), value(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// quantitiesOf reads levels that are all on one scale; false if they are not.
func quantitiesOf(levels []level) ([]scenarios.Quantity, bool) {
	var out []scenarios.Quantity
	for _, l := range levels {
		q, ok := scenarios.ParseQuantity(l.text)
		if !ok || len(out) > 0 && !q.Like(out[0]) {
			return nil, false
		}
		out = append(out, q)
	}
	return out, len(out) > 0
}

// splitValues splits a list at its commas, but for those within brackets and quotes.
func splitValues(text string, offset int) []level {
	var out []level
	depth, quoted, start := 0, false, 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == ',' && depth == 0 && !quoted {
			out = append(out, level{text[start:i], offset + start, offset + i})
			start = i + 1
			continue
		}
		switch text[i] {
		case '"':
			quoted = !quoted
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return out
}

// param is what the axis is called.
func (f *param) param() string {
	keys, _, _ := strings.Cut(f.text, "=")
	return keys
}
