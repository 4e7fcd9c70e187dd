package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// inlineReader reads an inline table such as { resend = 3, delay = "200ms" } field by field. What it has
// read it writes down as canonical text.
type inlineReader struct {
	l      *loader
	n      *node
	failed bool
	text   []string
}

// only reports fields that the table does not have.
func (r *inlineReader) only(what string, names ...string) {
	for _, f := range r.n.fields {
		if slices.Contains(names, f.name) {
			continue
		}
		p := r.l.failKey(f, "%s: %s has no %q; it has %s", r.n.path, what, f.name, andList(names))
		if near := nearest(f.name, names); near != "" {
			p.Hint = didYouMean(near)
		}
		r.failed = true
	}
}

// fail reports what is wrong with a field, or with the table if it does not have that.
func (r *inlineReader) fail(name, format string, args ...any) {
	n := r.n.child(name)
	if n == nil {
		n = r.n
	}
	r.l.fail(n, "%s: %s", r.n.path, fmt.Sprintf(format, args...))
	r.failed = true
}

// done is the canonical text of the table.
func (r *inlineReader) done() string { return "{ " + strings.Join(r.text, ", ") + " }" }

// say writes a field down.
func (r *inlineReader) say(name, text string) { r.text = append(r.text, name+" = "+text) }

// field reads a field; def is its default as TOML, "" for a field that must be there.
func field[T any](r *inlineReader, name string, k kind, def string) (v T, ok bool) {
	n := r.n.child(name)
	if n == nil {
		if def == "" {
			r.l.fail(r.n, "%s has no %s", r.n.path, name).Hint = "it is " + k.want
			r.failed = true
			return v, false
		}
		src := newSource("default", "v = "+def)
		src.builtin = true
		n = parseValue(src, joinPath(r.n.path, name))
	}
	return readField[T](r, name, k, n)
}

// optional reads a field that may be absent.
func optional[T any](r *inlineReader, name string, k kind) (v T, ok bool) {
	n := r.n.child(name)
	if n == nil {
		return v, false
	}
	return readField[T](r, name, k, n)
}

func readField[T any](r *inlineReader, name string, k kind, n *node) (v T, ok bool) {
	value, text, good := k.read(r.l, n)
	if !good {
		r.failed = true
		return v, false
	}
	r.say(name, text)
	return value.(T), true
}

// queueKind is a queue of a topic.
var queueKind = kind{
	name: "queue", want: `a queue such as { broker = "a", id = 2 }`,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeTable {
			l.mismatch(n, `a queue such as { broker = "a", id = 2 }`)
			return nil, "", false
		}
		r := inlineReader{l: l, n: n}
		r.only("a queue", "broker", "id")
		broker, _ := field[string](&r, "broker", nameKind, "")
		id, _ := field[int](&r, "id", whole(0, 1023), "")
		return queue{broker, id, n.child("broker"), n.child("id")}, r.done(), !r.failed
	},
}

// queue is a queue and the places of its parts.
type queue struct {
	broker       string
	id           int
	brokerAt, at *node
}
