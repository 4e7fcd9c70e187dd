package scenarios

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// The decoder reports no positions of keys, and wrong ones inside repeated tables. So the text is
// read a second time here, for places only: what is where, not what it means. The scan trusts that
// the decoder accepted the text and gives up, without harm, where it does not understand it.

// Limits of what is handed to the decoder: it recurses into nested values, and its work grows with
// the square of the number of parts of a dotted key.
const (
	maxDepth = 64
	maxParts = 16
)

// form is the outward shape of a value.
type form uint8

const (
	formScalar form = iota
	formArray
	formTable // an inline table
)

// part is one part of a dotted key.
type part struct {
	name string
	span
}

// statement is a header, or a key with its value.
type statement struct {
	header bool
	array  bool // [[...]]
	parts  []part
	value  located // of a key
}

// key is the span of the whole dotted key.
func (st *statement) key() span {
	return span{st.parts[0].start, st.parts[len(st.parts)-1].end}
}

// located is a value and the places within it.
type located struct {
	span
	form   form
	elems  []located   // of an array
	fields []statement // of an inline table
}

// document is what the scan found.
type document struct {
	statements []statement
	// stopped is the offset at which the scan gave up; -1 when it read everything.
	stopped int
	// limit says which limit was exceeded there; empty when none was.
	limit string
}

// scanner walks over the text.
type scanner struct {
	text  string
	pos   int
	depth int
	bad   bool
	limit string
}

// locate finds every header, key and value of a TOML document.
func locate(text string) document {
	sc := &scanner{text: text}
	doc := document{stopped: -1}
	for sc.blank(); sc.pos < len(text); sc.blank() {
		at := sc.pos
		st := sc.statement(true)
		if sc.bad {
			if doc.stopped, doc.limit = at, sc.limit; sc.limit != "" {
				doc.stopped = min(sc.pos, len(text)-1)
			}
			break
		}
		doc.statements = append(doc.statements, st)
	}
	return doc
}

func (sc *scanner) peek() byte {
	if sc.pos < len(sc.text) {
		return sc.text[sc.pos]
	}
	return 0
}

// take steps over c if it is next.
func (sc *scanner) take(c byte) bool {
	if sc.pos < len(sc.text) && sc.text[sc.pos] == c {
		sc.pos++
		return true
	}
	return false
}

func (sc *scanner) fail() { sc.bad = true }

func (sc *scanner) exceed(limit string) {
	sc.bad = true
	sc.limit = limit
}

// space steps over blanks within a line.
func (sc *scanner) space() {
	for sc.peek() == ' ' || sc.peek() == '\t' {
		sc.pos++
	}
}

// blank steps over blanks, line ends and comments.
func (sc *scanner) blank() {
	for sc.pos < len(sc.text) {
		switch sc.text[sc.pos] {
		case ' ', '\t', '\r', '\n':
			sc.pos++
		case '#':
			for sc.pos < len(sc.text) && sc.text[sc.pos] != '\n' {
				sc.pos++
			}
		default:
			return
		}
	}
}

// statement reads a header (if allowed here) or a key with its value.
func (sc *scanner) statement(headers bool) (st statement) {
	if headers && sc.take('[') {
		st.header, st.array = true, sc.take('[')
		st.parts = sc.dotted()
		if !sc.bad && (!sc.take(']') || st.array && !sc.take(']')) {
			sc.fail()
		}
		return st
	}
	st.parts = sc.dotted()
	if sc.bad || !sc.take('=') {
		sc.fail()
		return st
	}
	sc.space()
	st.value = sc.value()
	return st
}

// dotted reads the parts of a key and the blanks around them.
func (sc *scanner) dotted() []part {
	var parts []part
	for {
		sc.space()
		p, ok := sc.part()
		if !ok {
			sc.fail()
			return nil
		}
		if parts = append(parts, p); len(parts) > maxParts {
			sc.exceed("a key has more than 16 parts")
			return nil
		}
		sc.space()
		if !sc.take('.') {
			return parts
		}
	}
}

// part reads one part of a key: bare, or in quotes.
func (sc *scanner) part() (part, bool) {
	start := sc.pos
	if q := sc.peek(); q == '"' || q == '\'' {
		if strings.HasPrefix(sc.text[start:], strings.Repeat(string(q), 3)) || !sc.quoted(q) {
			return part{}, false
		}
		name, ok := unquote(sc.text[start:sc.pos])
		return part{name, span{start, sc.pos}}, ok
	}
	for sc.pos < len(sc.text) && !strings.ContainsRune(" \t\r\n.=[]{}#,\"'", rune(sc.text[sc.pos])) {
		sc.pos++
	}
	return part{sc.text[start:sc.pos], span{start, sc.pos}}, sc.pos > start
}

// unquote is the content of a string in quotes.
func unquote(quoted string) (string, bool) {
	if inner := quoted[1 : len(quoted)-1]; !strings.ContainsRune(inner, '\\') || quoted[0] == '\'' {
		return inner, true
	}
	var v struct{ S string }
	_, err := decode("S = "+quoted, &v)
	return v.S, err == nil
}

// quoted steps over a string of one line that begins here with quote q.
func (sc *scanner) quoted(q byte) bool {
	for sc.pos++; sc.pos < len(sc.text); sc.pos++ {
		switch c := sc.text[sc.pos]; {
		case c == q:
			sc.pos++
			return true
		case c == '\\' && q == '"':
			sc.pos++
		case c == '\n':
			return false
		}
	}
	return false
}

// multiline steps over a string in triple quotes that begins here.
func (sc *scanner) multiline(q byte) bool {
	end := strings.Repeat(string(q), 3)
	for sc.pos += 3; sc.pos < len(sc.text); sc.pos++ {
		switch {
		case sc.text[sc.pos] == '\\' && q == '"':
			sc.pos++
		case strings.HasPrefix(sc.text[sc.pos:], end):
			sc.pos += 3
			// Up to two quotes right before the closing three belong to the string.
			for range 2 {
				sc.take(q)
			}
			return true
		}
	}
	return false
}

// value reads the value that begins here.
func (sc *scanner) value() located {
	v := located{span: span{sc.pos, sc.pos}}
	switch c := sc.peek(); c {
	case '"', '\'':
		var ok bool
		if strings.HasPrefix(sc.text[sc.pos:], strings.Repeat(string(c), 3)) {
			ok = sc.multiline(c)
		} else {
			ok = sc.quoted(c)
		}
		if !ok {
			sc.fail()
		}
	case '[', '{':
		if sc.depth++; sc.depth > maxDepth {
			sc.exceed("values are nested more than 64 deep")
			return v
		}
		if c == '[' {
			v.form, v.elems = formArray, sc.elements()
		} else {
			v.form, v.fields = formTable, sc.inline()
		}
		sc.depth--
	default:
		sc.bare()
	}
	v.end = sc.pos
	return v
}

// bare steps over a number, a boolean or a date.
func (sc *scanner) bare() {
	start := sc.pos
	for sc.pos < len(sc.text) && !strings.ContainsRune("\r\n#,]}", rune(sc.text[sc.pos])) {
		sc.pos++
	}
	for sc.pos > start && (sc.text[sc.pos-1] == ' ' || sc.text[sc.pos-1] == '\t') {
		sc.pos--
	}
	if sc.pos == start {
		sc.fail()
	}
}

// elements reads an array from its bracket to the closing one.
func (sc *scanner) elements() (elems []located) {
	sc.pos++
	for sc.blank(); !sc.bad && !sc.take(']'); sc.blank() {
		elems = append(elems, sc.value())
		sc.separate(']')
	}
	return elems
}

// inline reads an inline table from its brace to the closing one.
func (sc *scanner) inline() (fields []statement) {
	sc.pos++
	for sc.blank(); !sc.bad && !sc.take('}'); sc.blank() {
		fields = append(fields, sc.statement(false))
		sc.separate('}')
	}
	return fields
}

// separate steps over the comma after an element, unless the end comes next.
func (sc *scanner) separate(end byte) {
	sc.blank()
	if !sc.bad && !sc.take(',') && sc.peek() != end {
		sc.fail()
	}
}

// flatten lists the dotted keys of a document in the order of the text, as toml.MetaData.Keys does,
// with the span of each key as it is written.
func flatten(doc document) (keys []toml.Key, spans []span) {
	var context toml.Key
	var add func(context toml.Key, st *statement)
	var inside func(context toml.Key, v *located)
	add = func(context toml.Key, st *statement) {
		key := append(toml.Key(nil), context...)
		for _, p := range st.parts {
			key = append(key, p.name)
		}
		keys, spans = append(keys, key), append(spans, st.key())
		inside(key, &st.value)
	}
	inside = func(context toml.Key, v *located) {
		for i := range v.fields {
			add(context, &v.fields[i])
		}
		for i := range v.elems {
			inside(context, &v.elems[i])
		}
	}
	for i := range doc.statements {
		st := &doc.statements[i]
		if !st.header {
			add(context, st)
			continue
		}
		add(nil, st)
		context = keys[len(keys)-1]
	}
	return keys, spans
}
