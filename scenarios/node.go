package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// node is one value of the parsed text together with its place: a table, an array or a scalar.
type node struct {
	name string
	// path addresses the node in a scenario: "broker.a.service.p99", "fault.x.target[1]".
	path string
	src  *source
	// at is the span of the key, or of the value for an element of an array. val is the span of the
	// value; for a table under a header it is the span of the header's key.
	at, val span
	kind    nodeKind
	doubled bool    // an array of tables, written as [[...]]
	implied bool    // a table that the text leaves out
	patched bool    // a part of it comes from a --set flag
	header  bool    // a table under a header of its own
	origin  string  // what the effective scenario says of it: "variant.ours"; "" if where it stands
	scalar  any     // string, int64, float64, bool, a date, or hugeInt
	fields  []*node // of a table, in the order of the text
	elems   []*node // of an array
	// comment is the text after # behind the value, on its line.
	comment string
	index   map[string]*node // of fields, once there are many
}

type nodeKind uint8

const (
	nodeScalar nodeKind = iota
	nodeTable
	nodeArray
)

// child finds a field of a table; nil if there is none.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	if len(n.fields) <= fewFields {
		for _, f := range n.fields {
			if f.name == name {
				return f
			}
		}
		return nil
	}
	if n.index == nil {
		n.index = make(map[string]*node)
	}
	for i := len(n.index); i < len(n.fields); i++ { // fields are only ever appended
		n.index[n.fields[i].name] = n.fields[i]
	}
	return n.index[name]
}

// fewFields are found faster one by one.
const fewFields = 16

// raw is the value as it is written.
func (n *node) raw() string { return n.src.text[n.val.start:n.val.end] }

// describe names the type of a node and, if it is short, its value.
func (n *node) describe() string {
	var what string
	switch n.kind {
	case nodeTable:
		return "a table"
	case nodeArray:
		return "an array"
	default:
		switch n.scalar.(type) {
		case string:
			what = "a string"
		case int64:
			what = "a whole number"
		case hugeInt:
			what = "a whole number"
		case float64:
			what = "a number"
		case bool:
			what = "a boolean"
		default:
			what = "a date or time"
		}
	}
	if raw := n.raw(); len(raw) <= 40 && !strings.Contains(raw, "\n") {
		what += " (" + raw + ")"
	}
	return what
}

// joinPath appends a key to a path.
func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// newTable makes an empty table below parent.
func newTable(parent *node, p part, src *source) *node {
	sp := p.span
	n := &node{
		name: p.name, path: joinPath(parent.path, p.name), src: src,
		at: sp, val: sp, kind: nodeTable,
	}
	parent.fields = append(parent.fields, n)
	return n
}

// builder joins the places of a document with the decoded values.
type builder struct {
	src *source
}

// build makes the tree of a document; decoded are its values.
func (b *builder) build(doc document, decoded map[string]any) *node {
	root := &node{src: b.src, kind: nodeTable}
	table, values := root, decoded
	for i := range doc.statements {
		st := &doc.statements[i]
		if !st.header {
			b.assign(table, values, st)
			continue
		}
		table, values = b.open(root, decoded, st)
	}
	return root
}

// open finds or makes the table that a header names.
func (b *builder) open(root *node, decoded map[string]any, st *statement) (*node, map[string]any) {
	table, values := root, decoded
	for i, p := range st.parts {
		next := table.child(p.name)
		last := i == len(st.parts)-1
		if next == nil {
			next = newTable(table, p, b.src)
			if last && st.array {
				next.kind, next.doubled = nodeArray, true
			}
		}
		if last && next.kind == nodeTable {
			next.at, next.val = st.key(), st.key() // its own header is the best place
			next.header = true
		}
		table = next
		if table.kind == nodeArray {
			element := i == len(st.parts)-1 && st.array
			if element || len(table.elems) == 0 {
				at := fmt.Sprintf("%s[%d]", table.path, len(table.elems))
				table.elems = append(table.elems,
					&node{path: at, src: b.src, at: p.span, val: p.span, kind: nodeTable})
			}
			index := len(table.elems) - 1
			values = tableAt(values[p.name], index)
			table = table.elems[index]
			continue
		}
		values, _ = values[p.name].(map[string]any)
	}
	return table, values
}

// tableAt is element i of an array of tables.
func tableAt(array any, i int) map[string]any {
	if tables, ok := array.([]map[string]any); ok && i < len(tables) {
		return tables[i]
	}
	return nil
}

// assign adds the key and value of a statement to a table.
func (b *builder) assign(table *node, values map[string]any, st *statement) {
	for _, p := range st.parts[:len(st.parts)-1] {
		next := table.child(p.name)
		if next == nil {
			next = newTable(table, p, b.src)
		}
		table = next
		values, _ = values[p.name].(map[string]any)
	}
	last := st.parts[len(st.parts)-1]
	n := &node{name: last.name, path: joinPath(table.path, last.name), src: b.src, at: last.span}
	n.comment = trailingComment(b.src.text, st.value.end)
	b.fill(n, &st.value, values[last.name])
	table.fields = append(table.fields, n)
}

// fill sets the value of a node.
func (b *builder) fill(n *node, loc *located, value any) {
	n.val = loc.span
	switch loc.form {
	case formTable:
		n.kind = nodeTable
		values, _ := value.(map[string]any)
		for i := range loc.fields {
			b.assign(n, values, &loc.fields[i])
		}
	case formArray:
		n.kind = nodeArray
		for i := range loc.elems {
			e := &node{path: fmt.Sprintf("%s[%d]", n.path, i), src: b.src, at: loc.elems[i].span}
			b.fill(e, &loc.elems[i], element(value, i))
			n.elems = append(n.elems, e)
		}
	default:
		n.scalar = value
		if text := b.src.text[loc.start:loc.end]; isHuge(text) {
			n.scalar = hugeInt(text)
		}
	}
}

// element is element i of a decoded array.
func element(array any, i int) any {
	switch a := array.(type) {
	case []any:
		if i < len(a) {
			return a[i]
		}
	case []map[string]any:
		if i < len(a) {
			return a[i]
		}
	}
	return nil
}

// trailingComment is the comment behind a value that ends at offset end.
func trailingComment(text string, end int) string {
	rest := text[end:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimLeft(rest, " \t,")
	if !strings.HasPrefix(rest, "#") {
		return ""
	}
	return strings.TrimSpace(rest[1:])
}

// decode is toml.Decode for texts of any origin: the decoder answers some broken texts with a
// panic, which is an error here.
func decode(text string, v any) (md toml.MetaData, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the text cannot be read as TOML: %v", r)
		}
	}()
	return toml.Decode(text, v)
}

// errTooDeep guards the decoder's stack where the scan could not read the text itself.
var errTooDeep = errors.New("the text is broken, and has too many brackets to look for the reason")

// parse reads a TOML text into a tree. A syntax error is returned as the one problem.
func parse(src *source) (*node, *Problem) {
	doc := locate(src.text)
	if doc.limit != "" {
		p := src.problem(span{doc.stopped, doc.stopped + 1}, "", doc.limit)
		return nil, &p
	}
	if doc.stopped >= 0 {
		rest := src.text[doc.stopped:]
		if strings.Count(rest, "[")+strings.Count(rest, "{") > 10_000 {
			p := src.problem(span{doc.stopped, doc.stopped + 1}, "", errTooDeep.Error())
			return nil, &p
		}
	}
	var decoded map[string]any
	if _, err := decode(doc.maskHuge(src.text), &decoded); err != nil {
		p := syntaxProblem(src, doc, err)
		return nil, &p
	}
	b := builder{src: src}
	return b.build(doc, decoded), nil
}
