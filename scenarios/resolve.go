package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"simrun/model/config"
)

// resolve reads the values of a table, in the order of the schema: a default may depend on keys
// above its own. node is the table as it was written.
func (l *loader) resolve(tk *tableKind, name string, n *node) *table {
	t := &table{kind: tk, name: name, node: n, vals: make(map[string]*value, len(tk.keys))}
	if t.path = tk.name; tk.named {
		t.path += "." + name
	}
	for i := range tk.keys {
		k := &tk.keys[i]
		t.vals[k.name] = l.resolveKey(t, k, n.child(k.name))
	}
	for _, f := range n.fields {
		if tk.name != "" && tk.key(f.name) == nil { // checkTop looks after the top level
			l.unknown(tk, f)
		}
	}
	return t
}

// resolveKey reads one value: what a --set flag says, else what is written, else the default.
func (l *loader) resolveKey(t *table, k *key, n *node) *value {
	v := &value{}
	path := joinPath(t.path, k.name)
	standard := l.standard(t, k)
	if standard != nil {
		v.v, v.def, _ = k.kind.read(l, standard)
		v.text = v.def
	}
	n = l.override(path, n, standard)
	if why := l.unfit(t, k); why != "" {
		l.refuse(t, n, k, v.def, path, why)
		if k.fixed {
			return &value{v: v.v, text: v.def, def: v.def, bad: l.bad[path]}
		}
		return &value{implied: v.def, bad: l.bad[path]}
	}
	if n == nil {
		if k.required && standard == nil && !l.bad[k.name] {
			l.failAt(path, "%s has no %s", t.label(), k.name).Hint = missingHint(l, k)
			l.spoil(path)
			v.bad = true
		}
		return v
	}
	v.node = n
	typed, text, ok := k.kind.read(l, n)
	l.patching = nil
	if !ok {
		l.spoil(path)
		v.bad = true
		return v
	}
	v.v, v.text, v.origin = typed, text, l.origin(n)
	return v
}

// refuse reports a key that has no meaning in its table, unless it says what its absence says:
// start_detector_enable = false is true of releases without a detector.
func (l *loader) refuse(t *table, n *node, k *key, def, path, why string) {
	if n == nil {
		return
	}
	if _, text, ok := k.kind.read(l, n); !ok {
		l.spoil(path)
	} else if l.variant != nil && l.variant.inherits(n) && text != def {
		l.drop(t, k, path, text, why)
	} else if text != def {
		l.failKey(n, "%s does not apply: %s", path, why).Hint = refusalHint(t, k)
		l.spoil(path)
	}
}

// refusalHint names the key that does apply where another one does not.
func refusalHint(t *table, k *key) string {
	if k.instead != "" && !hasSetting(t, "", k.until) {
		return fmt.Sprintf("it is %q now", k.instead)
	}
	return ""
}

// missingHint says how a required key is written.
func missingHint(l *loader, k *key) string {
	if k.name == "topic" {
		var names []string
		for _, t := range l.tablesOf(tableTopic) {
			names = append(names, t.name)
		}
		if len(names) > 0 {
			return "it can be " + orList(names)
		}
	}
	if len(k.kind.values) > 0 {
		return "it can be " + orList(k.kind.values)
	}
	return "it is " + k.kind.want
}

// label is the table in a sentence: "[fault.x]".
func (t *table) label() string {
	if t.path == "" {
		return "the scenario"
	}
	return "[" + t.path + "]"
}

// standard is the node of a key's default; nil if it has none.
func (l *loader) standard(t *table, k *key) *node {
	text := k.def
	if k.defaults != nil {
		text = k.defaults(l, t)
	}
	if text == "" {
		return nil
	}
	return clone(parsedStandard(text), joinPath(t.path, k.name))
}

// standards are defaults by their text, parsed, of all scenarios that are read: nobody changes them, as
// readers get clones. A sweep reads thousands of scenarios with the same ones.
var (
	standards     sync.Map
	manyStandards atomic.Int64
)

// parsedStandard is the node of a default's text.
func parsedStandard(text string) *node {
	if n, ok := standards.Load(text); ok {
		return n.(*node)
	}
	src := newSource("default", "v = "+text)
	src.builtin = true
	parsed := parseValue(src, "v")
	const most = 10_000 // texts with names of users in them would be without end
	if manyStandards.Add(1) <= most {
		standards.Store(text, parsed)
	}
	return parsed
}

// clone copies a node and what is in it, for another path.
func clone(n *node, path string) *node {
	c := *n
	c.index = nil
	c.path = path
	c.name = path[strings.LastIndexByte(path, '.')+1:]
	c.fields = slices.Clone(n.fields)
	for i, f := range n.fields {
		c.fields[i] = clone(f, joinPath(path, f.name))
	}
	c.elems = slices.Clone(n.elems)
	for i, e := range n.elems {
		c.elems[i] = clone(e, fmt.Sprintf("%s[%d]", path, i))
	}
	return &c
}

// parseValue reads the source "v = VALUE" as the value of a path; nil if it is not TOML.
func parseValue(src *source, path string) *node {
	root, problem := parse(src)
	if problem != nil || len(root.fields) != 1 {
		return nil
	}
	return clone(root.fields[0], path)
}

// unfit says why a key cannot be given in this table; "" if it can.
func (l *loader) unfit(t *table, k *key) string {
	name, release := t.release()
	switch {
	case release == "":
	case !hasSetting(t, k.since, ""):
		return fmt.Sprintf("%s %s does not have it, it came with %s", name, release, k.since)
	case !hasSetting(t, "", k.until):
		return fmt.Sprintf("%s %s has it no more, it went with %s", name, release, k.until)
	}
	if c, ok := t.client(); ok && c.lib == config.GoClient {
		if why := goLacks(c, k.goSince); why != "" {
			return why
		}
	}
	if k.unfit != nil {
		return k.unfit(t)
	}
	return ""
}

// origin says where a value comes from.
func (l *loader) origin(n *node) string {
	if n.origin != "" {
		return n.origin
	}
	if n.src.flag || n.patched {
		return "--set"
	}
	if l.effective && n.comment != "" {
		origin, _, _ := strings.Cut(n.comment, originEnd)
		return origin
	}
	line, _ := n.src.position(n.at.start)
	return baseName(n.src.name) + ":" + strconv.Itoa(line)
}

// assignment is what one --set flag or one key of a variant does.
type assignment struct {
	// inside are the steps from the key into its value: "p99" of a distribution, "[4]" of a list.
	inside []string
	node   *node
	// unset takes away what is written.
	unset bool
}

// override applies the --set flags and the variant's values of a key to what is written, or to the default.
func (l *loader) override(path string, n, standard *node) *node {
	l.patching = nil
	for _, a := range l.sets[path] {
		if a.unset {
			n = nil
			continue
		}
		if len(a.inside) == 0 {
			n = a.node
			continue
		}
		base := n
		if base == nil {
			base = standard
		}
		if base == nil {
			l.fail(a.node, "%s has no value of which a part could be set", path)
			continue
		}
		n = l.patch(base, a.inside, a.node)
		l.patching = a.node
	}
	return n
}

// overridden is the assignment of a whole value that a --set flag or a variant gives to a path; false if
// none does.
func (l *loader) overridden(path string) (assignment, bool) {
	for _, a := range slices.Backward(l.sets[path]) {
		if len(a.inside) == 0 {
			return a, true
		}
	}
	return assignment{}, false
}

// patch returns a copy of n with the part that the steps lead to replaced.
func (l *loader) patch(n *node, steps []string, with *node) *node {
	c := *n
	c.patched, c.index, c.origin = true, nil, with.origin
	step := steps[0]
	if strings.HasPrefix(step, "[") {
		i, ok := l.element(n, step, with)
		if !ok {
			l.spoil(n.path)
			return &c
		}
		c.elems = slices.Clone(n.elems)
		c.elems[i] = l.patchOrReplace(n.elems[i], steps[1:], with)
		return &c
	}
	old := n.child(step)
	if n.kind != nodeTable {
		l.fail(with, "%s is %s; it has no %s to set", n.path, n.describe(), step)
		l.spoil(n.path)
		return &c
	}
	c.fields = slices.Clone(n.fields)
	if old == nil {
		c.fields = append(c.fields, l.patchOrReplace(with, steps[1:], with))
		return &c
	}
	c.fields[slices.Index(n.fields, old)] = l.patchOrReplace(old, steps[1:], with)
	return &c
}

// element is the index that a step such as "[4]" names in an array; false, and reported, if there is
// no such element.
func (l *loader) element(n *node, step string, with *node) (int, bool) {
	if n.kind != nodeArray {
		l.fail(with, "%s is %s; it is not a list, and has no element %s", n.path, n.describe(), step)
		return 0, false
	}
	digits, closed := strings.CutSuffix(step[1:], "]")
	if closed && digits != "" && strings.Trim(digits, "0123456789") == "" {
		// A number that Atoi cannot hold is no element either.
		if i, err := strconv.Atoi(digits); err == nil && i < len(n.elems) {
			return i, true
		}
	}
	count := "there is none"
	switch len(n.elems) {
	case 0:
	case 1:
		count = "there is 1"
	default:
		count = "there are " + strconv.Itoa(len(n.elems))
	}
	l.fail(with, "%s has no element %s", n.path, step).Hint =
		"elements are counted from 0, and " + count
	return 0, false
}

func (l *loader) patchOrReplace(n *node, steps []string, with *node) *node {
	if len(steps) == 0 {
		return with
	}
	return l.patch(n, steps, with)
}
