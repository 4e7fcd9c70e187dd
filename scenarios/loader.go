package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// loader reads one scenario. It collects problems instead of stopping at the first.
type loader struct {
	opt      Options
	in       *input
	src      *source
	root     *node
	problems []*Problem
	// bad are the paths of values that are reported already, so that nothing that follows from them
	// is reported too.
	bad     map[string]bool
	sets    map[string][]assignment // --set flags and a variant's values, by the path of their key
	removed map[string]bool         // paths of tables that the variant leaves out
	// patching is the flag that changed a part of the value being read: the place of a problem that
	// the flag makes of a default.
	patching *node
	top      *table
	// effective is true for a text that Effective wrote: its comments say where values came from.
	effective bool
	// readBeside reads a file next to the scenario; besideName is its name for people.
	readBeside func(name string) ([]byte, error)
	besideName func(name string) string
	beside     []Beside
	files      int // read so far
	// variant is the one that is laid over the scenario; nil for the scenario as it stands, of which base is
	// what was read before. notes say what became of inherited settings.
	variant *variant
	base    *Scenario
	notes   []string
	doubts  []*Problem // of the variant, which its effective scenario would not raise
}

// table is one table of the scenario with all its values.
type table struct {
	kind *tableKind
	name string
	path string
	node *node // nil if the scenario does not have it
	vals map[string]*value
}

// value is the value of a key.
type value struct {
	// v is the typed value; nil when there is none.
	v any
	// text is its canonical TOML text, def that of its default ("" if there is none).
	text, def string
	// implied is the text of what the absence of a key without a value says.
	implied string
	// node is where it was written; nil for a default.
	node *node
	// origin is "FILE:LINE" or "--set"; empty for a default.
	origin string
	// bad is true when the value was refused; v is then the default, or nil.
	bad bool
}

// texts are the texts of a value, one or a list of them: each can be looked up, even if others of the list
// could not be read.
func (v *value) texts() []*node {
	switch {
	case v == nil || v.node == nil:
		return nil
	case v.node.kind == nodeArray:
		return slices.DeleteFunc(slices.Clone(v.node.elems), func(e *node) bool {
			_, ok := e.scalar.(string)
			return !ok
		})
	case v.bad:
		return nil
	}
	return []*node{v.node}
}

// get returns a typed value; zero if it has none.
func get[T any](t *table, name string) (zero T) {
	if v := t.vals[name]; v != nil && v.v != nil {
		return v.v.(T)
	}
	return zero
}

// has says whether a key has a value.
func (t *table) has(name string) bool {
	v := t.vals[name]
	return v != nil && v.v != nil
}

// said is a value as it was written, with its place: `duration = "60s", line 5`.
func (t *table) said(name string) string {
	v := t.vals[name]
	text := name + " = " + v.text
	switch {
	case v.node == nil:
		return text + ", the default"
	case v.node.src.flag:
		return text + ", " + v.node.src.name
	default:
		line, _ := v.node.src.position(v.node.at.start)
		return fmt.Sprintf("%s, line %d", text, line)
	}
}

// plain is a value as it was written, without its place: for warnings, which are part of the results.
func (t *table) plain(name string) string { return name + " = " + t.vals[name].text }

// fail reports a problem of the value of a node.
func (l *loader) fail(n *node, format string, args ...any) *Problem {
	return l.report(n, n.val, format, args...)
}

// failKey reports a problem of the key of a node.
func (l *loader) failKey(n *node, format string, args ...any) *Problem {
	return l.report(n, n.at, format, args...)
}

func (l *loader) report(n *node, sp span, format string, args ...any) *Problem {
	src := n.src
	if src.builtin && l.patching != nil {
		src, sp = l.patching.src, l.patching.val
	}
	p := src.problem(sp, n.path, fmt.Sprintf(format, args...))
	l.problems = append(l.problems, &p)
	return &p
}

// failTable reports a problem of a table as a whole, at its header if it has one.
func (l *loader) failTable(t *table, format string, args ...any) *Problem {
	return l.failAt(t.path, format, args...)
}

// failAt reports a problem of a path: at the value if it is written, else at the nearest table
// around it, else of the file as a whole.
func (l *loader) failAt(path string, format string, args ...any) *Problem {
	message := fmt.Sprintf(format, args...)
	n, exact := l.find(path)
	if n == nil || n == l.root || n.implied {
		p := &Problem{File: l.src.name, Path: path, Message: message, offset: math.MaxInt}
		l.problems = append(l.problems, p)
		return p
	}
	sp := n.at
	if exact {
		sp = n.val
	}
	p := n.src.problem(sp, path, message)
	l.problems = append(l.problems, &p)
	return &p
}

// find looks a path up in what was written: in the file, or by a --set flag.
func (l *loader) find(path string) (n *node, exact bool) {
	n = l.root
	for rest := path; rest != ""; {
		name := rest
		if i := strings.IndexByte(rest, '.'); i >= 0 {
			name, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		name, index, indexed := strings.Cut(name, "[")
		next := n.child(name)
		if set, ok := l.overridden(joinPath(n.path, name)); ok {
			next = set.node
			if set.unset {
				next = nil
			}
		}
		if next == nil {
			return n, false
		}
		n = next
		if !indexed {
			continue
		}
		i := 0
		if _, err := fmt.Sscanf(index, "%d]", &i); err != nil || i < 0 || i >= len(n.elems) {
			return n, true
		}
		n = n.elems[i]
	}
	return n, true
}

// spoil marks a path as reported.
func (l *loader) spoil(path string) { l.bad[path] = true }

// spoiled says whether a problem of this path could follow from one that is reported already.
func (l *loader) spoiled(path string) bool {
	within := func(a, b string) bool { // a is b or inside b
		return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(a, b+"[")
	}
	for b := range l.bad {
		if within(path, b) || within(b, path) {
			return true
		}
	}
	return false
}

// tablesOf are the tables of a named kind, in the order of the text.
func (l *loader) tablesOf(kind string) []*node {
	parent := l.root.child(kind)
	if parent == nil || parent.kind != nodeTable {
		return nil
	}
	var tables []*node
	for _, f := range parent.fields {
		if f.kind == nodeTable && !l.removed[f.path] {
			tables = append(tables, f)
		}
	}
	return tables
}

// release0 is the release of the top level.
func (l *loader) release0() string { return get[string](l.top, "release") }

// addDefaults puts in the tables that a scenario may leave out.
func (l *loader) addDefaults() {
	for _, name := range []string{tableNetwork, tableStart, tableNameServer + ".n1", tableTopic + ".orders"} {
		kind, name, named := strings.Cut(name, ".")
		if l.root.child(kind) != nil {
			continue
		}
		n := newTable(l.root, part{name: kind}, l.src)
		n.implied = true
		if named {
			newTable(n, part{name: name}, l.src).implied = true
		}
	}
}

// checkTop reports what stands at the top level and has no business there.
func (l *loader) checkTop() {
	for _, f := range l.root.fields {
		tk := tableOf(f.name)
		switch {
		case f.name == tableVariant:
			l.checkVariants(f)
		case tk == nil && schema[0].key(f.name) == nil:
			l.unknown(&schema[0], f)
		case tk == nil:
		case f.doubled:
			l.failKey(f, "[[%s]] is a list of tables; each %s has a name instead", f.name, f.name).Hint =
				"write " + tk.header()
			l.spoil(f.path)
		case f.kind != nodeTable:
			l.fail(f, "%s is %s; it must be a table, %s", f.name, f.describe(), tk.header())
			l.spoil(f.path)
		case tk.named:
			l.checkNames(tk, f)
		}
	}
}

// maxName bounds a name; it becomes part of file names and table columns.
const maxName = 64

// checkNames reports what stands right under the header of named tables without being one, and
// names that an address or a phase could not hold.
func (l *loader) checkNames(tk *tableKind, parent *node) {
	for _, f := range parent.fields {
		switch {
		case f.doubled:
			l.failKey(f, "[[%s]] is a list of tables; a %s is one table", f.path, tk.name)
			l.spoil(f.path)
		case f.kind != nodeTable && tk.key(f.name) != nil:
			l.failKey(f, "[%s] needs a name: %s", tk.name, tk.header())
			l.spoil(parent.path)
			return
		case f.kind != nodeTable:
			l.fail(f, "%s is %s; it must be a table", f.path, f.describe())
			l.spoil(f.path)
		case !isName(f.name):
			l.failKey(f, "%q is not a name; letters, digits, - and _ are, at most %d of them",
				f.name, maxName)
			l.spoil(f.path)
		case tk.name == tableBroker && slices.Contains(addressKinds, f.name):
			l.failKey(f, "a broker cannot be called %q; that is a kind of target", f.name)
			l.spoil(f.path)
		}
	}
}

// isName says whether a name consists of letters, digits, - and _, and is not too long.
func isName(name string) bool {
	for _, r := range name {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
		if !ok {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// unknown reports a key, or a table at the top level, that the grammar does not have.
func (l *loader) unknown(tk *tableKind, f *node) {
	l.spoil(f.path)
	where := tk.header()
	if tk.named {
		where = "[" + f.path[:len(f.path)-len(f.name)-1] + "]"
	}
	what := fmt.Sprintf("unknown key %s in %s", quote(f.name), where)
	switch {
	case tk.name == "" && (f.doubled || f.kind == nodeTable && !strings.HasPrefix(f.raw(), "{")):
		what = "unknown table [" + f.name + "]"
	case tk.name == "":
		what = "unknown key " + quote(f.name)
	}
	l.failKey(f, "%s", what).Hint = suggest(tk, f.name)
}

// suggest finds what was perhaps meant by an unknown key.
func suggest(tk *tableKind, name string) string {
	if k := tk.byJavaName(name); k != nil {
		return fmt.Sprintf("RocketMQ's %s is %q here", name, k.name)
	}
	if hint := absent(tk, name); hint != "" {
		return hint
	}
	candidates := tk.names()
	if tk.name == "" {
		candidates = append(candidates, tableNames()...)
	}
	if near := nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	for i := range schema {
		if k := schema[i].byJavaName(name); k != nil {
			return fmt.Sprintf("RocketMQ's %s is %q in %s", name, k.name, schema[i].header())
		}
	}
	homes := keyHome(name)
	if len(homes) == 0 {
		return ""
	}
	headers := make([]string, len(homes))
	for i, h := range homes {
		if headers[i] = h.header(); h.name == "" {
			headers[i] = "the top of the file, before the first table"
		}
	}
	if homes[0].name == "" {
		return "it belongs at " + headers[0]
	}
	return "it belongs in " + strings.Join(headers, " or ")
}
