package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
)

// drop leaves out an inherited setting that has no meaning in the variant.
func (l *loader) drop(t *table, k *key, path, text, why string) {
	note := fmt.Sprintf("%s = %s is dropped: %s", path, text, why)
	if hint := refusalHint(t, k); hint != "" {
		note += "; " + hint
	}
	l.notes = append(l.notes, note)
}

// isSame says whether two problems are one and the same.
func isSame(a, b *Problem) bool {
	return a.rank == b.rank && a.offset == b.offset && a.Path == b.Path && a.Message == b.Message
}

// charge makes the problems that only the variant has stand at what it says: the text of the scenario is
// innocent.
func (l *loader) charge(base []Problem) {
	for _, p := range l.problems {
		if p.own || slices.ContainsFunc(base, func(b Problem) bool { return isSame(p, &b) }) {
			continue
		}
		src, sp := l.suspect(p)
		q := src.problem(sp, p.Path, p.Message)
		q.Hint, q.Warning, q.order = p.Hint, p.Warning, p.order
		*p = q
	}
}

// told are the problems to tell of a variant beside those of the scenario as it stands. Where that is not
// valid itself, what follows from both is left out.
func (l *loader) told(base []Problem, valid bool) (problems []Problem) {
	for _, p := range l.sorted() {
		if slices.ContainsFunc(base, func(b Problem) bool { return isSame(&p, &b) }) || !valid && !p.own {
			continue
		}
		problems = append(problems, p)
	}
	return problems
}

// suspect is the place of what the variant says that most likely makes a problem: of the same path, or of one
// that the message names, or of the same table, or the last it says at all.
func (l *loader) suspect(p *Problem) (*source, span) {
	v := l.variant
	all := slices.Concat(v.changes, v.adds, v.drops)
	words := strings.FieldsFunc(p.Message, func(r rune) bool { return !isName(string(r)) && r != '.' })
	table := func(path string) string {
		parts := strings.SplitN(path, ".", 3)
		if len(parts) == 3 || tableOf(parts[0]) != nil && len(parts) == 2 && !tableOf(parts[0]).named {
			return strings.Join(parts[:len(parts)-1], ".")
		}
		return path
	}
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	for _, fits := range []func(c *change) bool{
		func(c *change) bool {
			return p.Path != "" && (p.Path == c.path || strings.HasPrefix(p.Path, c.path+".") ||
				strings.HasPrefix(p.Path, c.path+"["))
		},
		func(c *change) bool { return slices.Contains(words, c.path) },
		func(c *change) bool { return table(c.path) == table(p.Path) && slices.Contains(words, last(c.path)) },
		func(c *change) bool { return slices.Contains(words, last(c.path)) },
		func(c *change) bool { return table(c.path) == table(p.Path) },
		func(*change) bool { return true },
	} {
		for _, c := range slices.Backward(all) {
			if fits(&c) {
				return c.node.src, c.node.val
			}
		}
	}
	return v.place(l)
}

// Differences are the settings that one scenario has otherwise than another, but for the seed: those that
// either of them writes, as an effective scenario does with all that is no default.
func Differences(base, s *Scenario) []result.VariantSetting { return differences(base, s) }

// differences are the settings that a variant has otherwise than the scenario as it stands: those that
// either of them writes.
func differences(base, s *Scenario) []result.VariantSetting {
	list := []result.VariantSetting{}
	add := func(a, b *table) {
		one := a
		if one == nil {
			one = b
		}
		for i := range one.kind.keys {
			name := one.kind.keys[i].name
			x, xWritten := written(a, name)
			y, yWritten := written(b, name)
			if name != "seed" && x != y && (xWritten || yWritten) && !saysNothing(a, b, name) {
				list = append(list, result.VariantSetting{Path: joinPath(one.path, name), Base: x, Text: y})
			}
		}
	}
	at := func(tables []*table, path string) *table {
		i := slices.IndexFunc(tables, func(t *table) bool { return t.path == path })
		if i < 0 {
			return nil
		}
		return tables[i]
	}
	for _, t := range base.tables {
		add(t, at(s.tables, t.path))
	}
	for _, t := range s.tables {
		if at(base.tables, t.path) == nil {
			add(nil, t)
		}
	}
	return list
}

// saysNothing says whether one of two tables lacks a key, and the other says what its absence says.
func saysNothing(a, b *table, name string) bool {
	if a == nil || b == nil {
		return false
	}
	x, y := a.vals[name], b.vals[name]
	return x.text == "" && x.implied == y.text || y.text == "" && y.implied == x.text
}

// written is the text of a value, and whether it stands somewhere.
func written(t *table, name string) (text string, is bool) {
	if t == nil {
		return "", false
	}
	v := t.vals[name]
	return v.text, v.node != nil
}
