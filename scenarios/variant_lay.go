package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// layOver reads what the variant changes and lays it over the scenario.
func (l *loader) layOver() {
	v := l.variant
	if v == nil {
		return
	}
	if v.table != nil {
		l.variantTable(v.table)
	}
	for i := range v.made {
		l.makeChange(&v.made[i])
	}
	for i, src := range v.flags {
		l.variantFlag(src, i+1)
	}
	for i, src := range v.over {
		l.variantFlag(src, len(v.flags)+i+1)
	}
	l.shadowed()
	slices.SortStableFunc(v.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), -cmp.Compare(truth(a.star), truth(b.star)),
			cmp.Compare(len(a.inside), len(b.inside)))
	})
	v.repeated(l)
	for i := range v.changes {
		c := &v.changes[i]
		l.sets[c.path] = append(l.sets[c.path], assignment{c.inside, c.node, c.unset})
	}
	l.removed = make(map[string]bool)
	for _, c := range v.drops {
		if !l.removed[c.path] {
			l.removed[c.path] = true
			l.notes = append(l.notes, fmt.Sprintf("[%s] is left out", c.path))
		}
	}
	for i := range v.changes {
		c := &v.changes[i]
		if table := c.path[:max(0, strings.LastIndexByte(c.path, '.'))]; l.removed[table] && !c.star {
			l.fail(c.node, "%s is set, and [%s] is left out", c.path, table)
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// repeated reports what the file says twice, in two ways of writing it.
func (v *variant) repeated(l *loader) {
	type what struct {
		path string
		star bool
	}
	first := make(map[what]*node)
	for i := range v.changes {
		c := &v.changes[i]
		if c.rank > 0 {
			continue
		}
		key := what{c.path + strings.Join(c.inside, "."), c.star}
		before := first[key]
		if before == nil {
			first[key] = c.node
			continue
		}
		a, b := before, c.node
		if b.at.start < a.at.start {
			a, b = b, a
		}
		line, _ := a.src.position(a.at.start)
		l.failKey(b, "%s is already set on line %d", b.path, line)
	}
}

// shadowed warns of --set flags that the variant does not feel, because it has a value of its own.
func (l *loader) shadowed() {
	told := make(map[*source]bool)
	for i := range l.variant.changes {
		c := &l.variant.changes[i]
		if len(c.inside) > 0 {
			continue
		}
		for _, a := range l.sets[c.path] {
			if told[a.node.src] {
				continue
			}
			told[a.node.src] = true
			p := a.node.src.problem(span{0, len(a.node.src.text)}, c.path,
				fmt.Sprintf("variant %s has a %s of its own", l.variant.name, c.path))
			p.Warning = true
			p.Hint = fmt.Sprintf("--variant %s:%s changes it there", l.variant.name, a.node.src.text)
			l.doubts = append(l.doubts, &p)
		}
	}
}
