package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// readSets reads the --set flags. A flag names an existing table, or "*" for all of a kind, and a
// key, perhaps with steps into its value:
//
//	broker.a.slaves=2   broker.*.service.p99=8ms   producer.p.latency_max[4]=3s   duration=10s
//
// A flag whose address is wrong is reported and left out.
func (l *loader) readSets(flags []string) {
	l.sets = make(map[string][]assignment)
	for i, flag := range flags {
		name := fmt.Sprintf("--set[%d]", i+1)
		if from := l.opt.SetFrom; i < len(from) && from[i] != "" {
			name = from[i]
		}
		src := newSource(name, flag)
		src.flag, src.rank = true, i+1
		l.readSet(src)
	}
}

func (l *loader) readSet(src *source) {
	text, value, ok := strings.Cut(src.text, "=")
	if !ok {
		l.flag(src, span{0, len(src.text)}, "", "%q sets nothing; it is written as key=value", src.text)
		return
	}
	r := addressReader{l: l, src: src, text: text}
	to, ok := r.read()
	if !ok {
		return
	}
	for _, path := range to.paths() {
		n := flagValue(src, len(text)+1, value, to.key, to.inside, path)
		if n == nil {
			l.flag(src, span{len(text) + 1, len(src.text)}, path, "%s: %s is not a value; it must be %s",
				path, value, to.key.kind.want)
			return
		}
		l.sets[path] = append(l.sets[path], assignment{inside: to.inside, node: n})
	}
}

// addressReader reads the address of a key: broker.*.service.p99.
type addressReader struct {
	l   *loader
	src *source
	// text is the address; it begins at from in the source. What is wrong with it stands at whole, if that
	// is set: a text in quotes has places of its own.
	text  string
	from  int
	whole *span
}

// addressed is what an address leads to: a key, or a part of its value, of one table or of several.
type addressed struct {
	kind   *tableKind
	tables []string // their paths
	star   bool     // all that there are
	key    *key     // nil if the address ends at a named table
	inside []string
}

// paths are those of the key, in each table.
func (to *addressed) paths() []string {
	paths := make([]string, len(to.tables))
	for i, t := range to.tables {
		paths[i] = joinPath(t, to.key.name)
	}
	return paths
}

// place is where a part of the address stands.
func (r *addressReader) place(sp span) span {
	if r.whole != nil {
		return *r.whole
	}
	return span{r.from + sp.start, r.from + sp.end}
}

// read finds what the address leads to; false, and reported, if there is no such thing.
func (r *addressReader) read() (to addressed, ok bool) {
	l := r.l
	parts := split(r.text)
	tk, at := &schema[0], 0
	if inner := tableOf(parts[0].name); inner != nil {
		tk, at = inner, 1
	}
	to.kind = tk
	form := joinPath(tk.name, "KEY")
	if tk.named {
		at, form = 2, tk.name+".NAME.KEY"
	}
	isTable := r.src.own && !r.src.over && tk.named && len(parts) == at
	if len(parts) <= at && !isTable {
		l.flag(r.src, r.place(span{0, len(r.text)}), r.text, "%q is no key; it is written as %s=value",
			r.text, form)
		return to, false
	}
	to.tables = []string{tk.name}
	if tk.named {
		p := part{parts[1].name, r.place(parts[1].span)}
		if to.tables = l.namedTables(r.src, tk, p); to.tables == nil {
			return to, false
		}
		to.star = parts[1].name == "*"
	}
	if isTable {
		return to, true
	}
	if to.key = tk.key(parts[at].name); to.key == nil {
		l.flagUnknown(r.src, tk, part{parts[at].name, r.place(parts[at].span)})
		return to, false
	}
	for _, p := range parts[at+1:] {
		to.inside = append(to.inside, p.name)
	}
	return to, true
}

// flag reports a problem of a flag, or of an address.
func (l *loader) flag(src *source, sp span, path, format string, args ...any) *Problem {
	p := src.problem(sp, path, fmt.Sprintf(format, args...))
	l.problems = append(l.problems, &p)
	return &p
}

// flagUnknown reports a part of an address that the grammar does not have.
func (l *loader) flagUnknown(src *source, tk *tableKind, p part) {
	what := fmt.Sprintf("unknown key %q in %s", p.name, tk.header())
	if tk.name == "" {
		what = fmt.Sprintf("unknown key %q", p.name)
	}
	l.flag(src, p.span, "", "%s", what).Hint = suggest(tk, p.name)
}

// namedTables are the paths of the tables that a name, or "*", stands for; nil, and reported, if
// there are none.
func (l *loader) namedTables(src *source, tk *tableKind, p part) (paths []string) {
	var names []string
	for _, t := range l.tablesOf(tk.name) {
		names = append(names, t.name)
		if p.name == "*" || p.name == t.name {
			paths = append(paths, t.path)
		}
	}
	if paths != nil {
		return paths
	}
	problem := l.flag(src, p.span, "", "the scenario has no [%s.%s]", tk.name, p.name)
	if near := nearest(p.name, names); near != "" {
		problem.Hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(names) > 0 {
		problem.Hint = "it has " + andList(names)
	}
	return nil
}

// split cuts an address at its dots and before its brackets.
func split(address string) (parts []part) {
	start := 0
	for i := 0; i <= len(address); i++ {
		if i < len(address) && address[i] != '.' && address[i] != '[' {
			continue
		}
		if i > start || i < len(address) && address[i] == '.' || len(parts) == 0 {
			parts = append(parts, part{address[start:i], span{start, i}})
		}
		start = i + 1
		if i < len(address) && address[i] == '[' {
			end := strings.IndexByte(address[i:], ']')
			if end < 0 {
				end = len(address) - i - 1
			}
			parts = append(parts, part{address[i : i+end+1], span{i, i + end + 1}})
			i += end
			start = i + 1
			if start < len(address) && address[start] == '.' {
				i, start = start, start+1
			}
		}
	}
	return parts
}

// flagValue turns the text behind the = of a flag into a node, quoted if the key wants a string.
// It returns nil if the text is not a value.
func flagValue(src *source, offset int, value string, k *key, inside []string, path string) *node {
	for _, step := range inside {
		path += "." + step
		path = strings.ReplaceAll(path, ".[", "[")
	}
	text := strings.TrimSpace(value)
	form := k.kind.bare
	if len(inside) > 0 {
		form = bareEither
	}
	if strings.ContainsAny(text, "\r\n") {
		return nil
	}
	written := newSource(src.name, "v = "+text)
	n := parseValue(written, path)
	isTOML := n != nil && (n.kind != nodeScalar || strings.ContainsAny(text[:1], `"'`))
	if form == bareNumbers && (n == nil || n.kind == nodeScalar) {
		written = newSource(src.name, "v = ["+text+"]")
		n, isTOML = parseValue(written, path), true
	}
	switch {
	case isTOML, form == bareTOML, form == bareEither && n != nil:
	case form == bareList:
		items := strings.Split(text, ",")
		for i := range items {
			items[i] = quote(strings.TrimSpace(items[i]))
		}
		written = newSource(src.name, "v = ["+strings.Join(items, ", ")+"]")
		n = parseValue(written, path)
	default:
		written = newSource(src.name, "v = "+quote(text))
		n = parseValue(written, path)
	}
	if n != nil {
		whole := span{offset, len(src.text)}
		relocate(n, src, whole)
	}
	return n
}

// relocate makes a node and what is in it stand at one span of a flag.
func relocate(n *node, src *source, sp span) {
	n.src, n.at, n.val = src, sp, sp
	for _, c := range slices.Concat(n.fields, n.elems) {
		relocate(c, src, sp)
	}
}
