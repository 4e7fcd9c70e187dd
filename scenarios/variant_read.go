package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// unsetWord as a value takes a key away, or a table.
const unsetWord = "unset"

// isUnset says whether a value takes away what the scenario has.
func isUnset(n *node) bool { return n.kind == nodeScalar && n.scalar == unsetWord }

// addTables puts in the tables that only the variant has. Flags and addresses of the variant then find them.
func (l *loader) addTables() {
	if l.variant == nil || l.variant.table == nil {
		return
	}
	v := l.variant
	own := *v.table.src
	own.own = true
	v.table = l.ownCopy(v.table, &own)
	for _, f := range v.table.fields {
		tk := tableOf(f.name)
		if tk == nil || f.kind != nodeTable || f.doubled {
			continue
		}
		if !tk.named {
			if l.root.child(tk.name) == nil {
				l.addTable(l.root, f, tk.name)
			}
			continue
		}
		for _, g := range f.fields {
			parent := l.root.child(tk.name)
			if g.kind != nodeTable || !isName(g.name) || parent.child(g.name) != nil {
				continue
			}
			if parent == nil {
				parent = newTable(l.root, part{name: tk.name}, l.src)
				parent.implied = true
			}
			if parent.kind == nodeTable {
				l.addTable(parent, g, joinPath(tk.name, g.name))
			}
		}
	}
}

// addTable adds a table of the variant to the scenario.
func (l *loader) addTable(parent, from *node, path string) {
	n := clone(from, path)
	parent.fields = append(parent.fields, n)
	l.variant.adds = append(l.variant.adds, change{path: path, node: from})
	if slices.ContainsFunc(l.base.tables, func(t *table) bool { return t.path == path }) {
		return // the scenario has it, by default
	}
	l.notes = append(l.notes, fmt.Sprintf("[%s] is added", path))
	kind, name, named := strings.Cut(path, ".")
	if !named {
		return
	}
	var names []string
	for _, t := range l.base.tables {
		if t.kind.name == kind {
			names = append(names, t.name)
		}
	}
	if near := nearest(name, names); near != "" {
		l.doubt(from, "[%s] is added: the scenario has no %s %q", path, strings.ReplaceAll(kind, "_", " "),
			name).Hint = didYouMean(near)
	}
}

// doubt warns of something that only a variant can have.
func (l *loader) doubt(n *node, format string, args ...any) *Problem {
	p := n.src.problem(n.at, n.path, fmt.Sprintf(format, args...))
	p.Warning = true
	l.doubts = append(l.doubts, &p)
	return &p
}

// ownCopy copies a node of the variant and what is in it, marked as such.
func (l *loader) ownCopy(n *node, src *source) *node {
	c := *n
	c.index, c.src, c.origin = nil, src, l.originOf(src)
	c.fields, c.elems = slices.Clone(n.fields), slices.Clone(n.elems)
	for i, f := range c.fields {
		c.fields[i] = l.ownCopy(f, src)
	}
	for i, e := range c.elems {
		c.elems[i] = l.ownCopy(e, src)
	}
	return &c
}

// originOf is what the effective scenario says of values of a source of the variant.
func (l *loader) originOf(src *source) string {
	if src.over {
		return src.name
	}
	return l.variant.origin()
}

// overFlags are the flags that are laid over each variant.
func (l *loader) overFlags() (list []*source) {
	for i, text := range l.opt.Over {
		name := fmt.Sprintf("--over[%d]", i+1)
		if from := l.opt.OverFrom; i < len(from) && from[i] != "" {
			name = from[i]
		}
		src := newSource(name, text)
		src.flag, src.own, src.over, src.rank = true, true, true, overFlagRank+i
		list = append(list, src)
	}
	return list
}

// variantTable reads a [variant.NAME] table.
func (l *loader) variantTable(v *node) {
	for _, f := range v.fields {
		tk := tableOf(f.name)
		switch {
		case f.name == variantStory: // checkVariants looks after it
		case strings.ContainsAny(f.name, ".[*"):
			l.variantAddress(f, f.name)
		case tk == nil:
			l.variantKey(&schema[0], []string{""}, false, f)
		case f.doubled:
			l.failKey(f, "[[%s]] is a list of tables; a variant changes tables by their names", f.name)
		case f.kind != nodeTable:
			l.fail(f, "%s is %s; it must be a table, %s", f.name, f.describe(), tk.header())
		case tk.named:
			l.variantNamed(tk, f)
		case !l.isAdded(tk.name):
			for _, k := range f.fields {
				l.variantKey(tk, []string{tk.name}, false, k)
			}
		}
	}
}

// variantNamed reads what a variant says of the tables of a kind.
func (l *loader) variantNamed(tk *tableKind, parent *node) {
	for _, f := range parent.fields {
		path := joinPath(tk.name, f.name)
		isTable := f.kind == nodeTable
		switch {
		case f.doubled:
			l.failKey(f, "[[%s]] is a list of tables; a %s is one table", path, tk.name)
		case strings.ContainsAny(f.name, ".[") || !isTable && isUnset(f), f.name == "*" && !isTable:
			l.variantAddress(f, path)
		case !isTable && tk.key(f.name) != nil:
			l.failKey(f, "[%s] needs a name: %s", tk.name, tk.header())
		case !isTable:
			p := l.fail(f, "%s is %s; it must be a table", path, f.describe())
			p.Hint = fmt.Sprintf("%q leaves one out", unsetWord)
		case f.name == "*":
			paths := l.namedTables(f.src, tk, part{f.name, f.at})
			for _, k := range f.fields {
				if paths != nil {
					l.variantKey(tk, paths, true, k)
				}
			}
		case !l.isAdded(path): // checkNames looks after the name of one that is added
			for _, k := range f.fields {
				l.variantKey(tk, []string{path}, false, k)
			}
		}
	}
}

// isAdded says whether the variant adds a table whole: it is read as any other is then.
func (l *loader) isAdded(path string) bool {
	return slices.ContainsFunc(l.variant.adds, func(c change) bool { return c.path == path })
}

// variantKey reads a key of one table or several: its name, or one with steps into its value.
func (l *loader) variantKey(tk *tableKind, tables []string, star bool, n *node) {
	steps := split(n.name)
	to := addressed{kind: tk, tables: tables, star: star, key: tk.key(steps[0].name)}
	switch {
	case tk.name == "" && n.name == "seed":
		p := l.failKey(n, "a variant has no seed of its own: variants are compared on the same seeds")
		p.Hint = "--seed and --seeds are for all of them"
		return
	case tk.name == "" && steps[0].name == "variant":
		l.failKey(n, "a variant has no variants of its own")
		return
	case to.key == nil:
		c := clone(n, joinPath(tables[0], "x"))
		c.name = steps[0].name
		c.path = joinPath(tables[0], c.name)
		l.unknown(tk, c)
		return
	}
	for _, s := range steps[1:] {
		to.inside = append(to.inside, s.name)
	}
	l.setParts(&to, n)
}

// variantAddress reads a key in quotes that is an address, as --set has them.
func (l *loader) variantAddress(n *node, address string) {
	r := addressReader{l: l, src: n.src, text: address, whole: &n.at}
	to, ok := r.read()
	switch {
	case !ok:
	case to.key == nil && isUnset(n):
		for _, path := range to.tables {
			if to.star && l.isAdded(path) {
				continue // all that the scenario has
			}
			l.variant.drops = append(l.variant.drops, change{path: path, node: n, star: to.star})
		}
	case to.key == nil:
		p := l.fail(n, "%s is a table; a key of it can be set", address)
		p.Hint = fmt.Sprintf("%q leaves it out", unsetWord)
	case to.kind.name == "" && to.key.name == "seed":
		l.variantKey(to.kind, to.tables, false, n)
	default:
		l.setParts(&to, n)
	}
}

// setParts sets a value: the whole of it, or the parts that dotted keys name.
func (l *loader) setParts(to *addressed, n *node) {
	isParts := n.kind == nodeTable && !n.header && !strings.HasPrefix(n.raw(), "{")
	if !isParts {
		l.setAt(to, n, 0)
		return
	}
	for _, f := range n.fields {
		inner := *to
		inner.inside = append(slices.Clip(to.inside), f.name)
		l.setParts(&inner, f)
	}
}

// setAt notes a change of each table that an address leads to.
func (l *loader) setAt(to *addressed, n *node, rank int) {
	for _, path := range to.paths() {
		at := path
		for _, step := range to.inside {
			at = strings.ReplaceAll(at+"."+step, ".[", "[")
		}
		l.variant.changes = append(l.variant.changes, change{
			path: path, inside: to.inside, node: clone(n, at), unset: len(to.inside) == 0 && isUnset(n),
			rank: rank, star: to.star,
		})
	}
}

// variantFlag reads the assignment of a --variant flag, or of one that is laid over it.
func (l *loader) variantFlag(src *source, rank int) {
	from := 0
	if !src.over {
		from = strings.IndexByte(src.text, ':') + 1
	}
	address, value, _ := strings.Cut(src.text[from:], "=")
	r := addressReader{l: l, src: src, text: address, from: from}
	to, ok := r.read()
	if !ok {
		return
	}
	at := span{from + len(address) + 1, len(src.text)}
	isUnset := strings.TrimSpace(value) == unsetWord && len(to.inside) == 0
	n := &node{name: address, path: address, src: src, at: span{from, at.start - 1}, val: at, scalar: unsetWord}
	n.origin = l.originOf(src)
	switch {
	case to.kind.name == "" && to.key.name == "seed":
		l.variantKey(to.kind, to.tables, false, n)
		return
	case to.key == nil:
		if !isUnset {
			n.scalar = nil
		}
		l.variantAddress(n, address)
		return
	case isUnset:
		l.setAt(&to, n, rank)
		return
	}
	for i, path := range to.paths() {
		n := flagValue(src, at.start, value, to.key, to.inside, path)
		if n == nil {
			l.flag(src, at, path, "%s: %s is not a value; it must be %s", path, value, to.key.kind.want)
			return
		}
		one := to
		one.tables = to.tables[i : i+1]
		l.setAt(&one, l.ownCopy(n, src), rank)
	}
}

// makeChange does what a flag such as --versions asks for.
func (l *loader) makeChange(m *madeChange) {
	for _, t := range l.base.tables {
		if !slices.Contains(m.kinds, t.kind.name) || m.javaOnly && t.isGo() {
			continue
		}
		tk := t.kind
		to := addressed{kind: tk, tables: []string{t.path}, key: tk.key(m.key)}
		n := parseValue(newSource(m.src.name, "v = "+m.text), joinPath(t.path, m.key))
		relocate(n, m.src, span{0, len(m.src.text)})
		l.setAt(&to, l.ownCopy(n, m.src), 1)
	}
}
