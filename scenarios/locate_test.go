package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A random TOML document, written in all the ways that the grammar allows. It is built from text
// alone, so that the places found in it can be checked against what the decoder reads.
type writer struct {
	t    *rapid.T
	b    strings.Builder
	next int
}

// name is a new key, so that nothing is defined twice.
func (w *writer) name() string {
	w.next++
	name := fmt.Sprintf("k%d", w.next)
	switch rapid.IntRange(0, 5).Draw(w.t, "quotes") {
	case 0:
		return `"` + name + `"`
	case 1:
		return `'` + name + `.]='`
	case 2:
		return `"` + name + `\"#\u00e9"`
	default:
		return name
	}
}

// dotted is a key of one to three parts.
func (w *writer) dotted() string {
	parts := make([]string, rapid.IntRange(1, 3).Draw(w.t, "parts"))
	for i := range parts {
		parts[i] = w.name()
	}
	return strings.Join(parts, rapid.SampledFrom([]string{".", " . ", "\t."}).Draw(w.t, "dot"))
}

func (w *writer) blanks() string {
	return rapid.SampledFrom([]string{"", " ", "\t", "  "}).Draw(w.t, "blanks")
}

// gap is what may stand between the elements of an array.
func (w *writer) gap() string {
	return rapid.SampledFrom([]string{"", " ", "\n", "\r\n  ", " # ] } = \"\n", "\n# [x]\n"}).
		Draw(w.t, "gap")
}

var scalars = []string{
	"1", "-3", "0x1F", "1_000", "1.5", "6e3", "inf", "nan", "true", "false",
	"1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5",
	`""`, `''`, `"a # b"`, `'c = [d]'`, `"\"\\"`, `'\'`, `"} ]"`, `"ünï"`,
	`""""""`, `''''''`, `"""a"""`, "\"\"\"\n[x]\ny = 1\n\"\"\"", "'''\n# no comment\n'''",
	`""""quoted""""`, `""""two"""""`, `''''x'''''`, `"""\""""`, "\"\"\"a\\\n  b\"\"\"",
}

func (w *writer) value(depth int) string {
	kind := rapid.IntRange(0, 9).Draw(w.t, "kind")
	if depth > 2 || kind < 6 {
		return rapid.SampledFrom(scalars).Draw(w.t, "scalar")
	}
	n := rapid.IntRange(0, 3).Draw(w.t, "n")
	var b strings.Builder
	if kind < 8 {
		b.WriteString("[" + w.gap())
		for i := range n {
			b.WriteString(w.value(depth+1) + w.gap())
			if i < n-1 || rapid.Bool().Draw(w.t, "comma") {
				b.WriteString("," + w.gap())
			}
		}
		return b.String() + "]"
	}
	b.WriteString("{" + w.blanks())
	for i := range n {
		b.WriteString(w.dotted() + w.blanks() + "=" + w.blanks() + w.value(depth+1) + w.blanks())
		if i < n-1 {
			b.WriteString("," + w.blanks())
		}
	}
	return b.String() + "}"
}

func (w *writer) document() string {
	for range rapid.IntRange(0, 12).Draw(w.t, "lines") {
		w.b.WriteString(w.blanks())
		switch rapid.IntRange(0, 6).Draw(w.t, "line") {
		case 0:
			w.b.WriteString("# comment = [\"x")
		case 1:
			w.b.WriteString("[" + w.blanks() + w.dotted() + w.blanks() + "]")
		case 2:
			w.b.WriteString("[[" + w.dotted() + "]]")
		case 3:
		default:
			w.b.WriteString(w.dotted() + w.blanks() + "=" + w.blanks() + w.value(0))
		}
		w.b.WriteString(w.blanks())
		if rapid.Bool().Draw(w.t, "comment") {
			w.b.WriteString(" # ' \" [")
		}
		w.b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(w.t, "end"))
	}
	return w.b.String()
}

// TestLocateAgreesWithDecoder: on every valid document the scan finds the keys that the decoder
// lists, in its order, and each span is that key as it is written.
func TestLocateAgreesWithDecoder(t *testing.T) {
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t: t}
		text := w.document()
		if checkLocate(t, text) {
			valid++
		}
	})
	if valid < 50 {
		t.Errorf("only %d documents were valid", valid)
	}
}

// checkLocate compares scan and decoder on a text, if the decoder accepts it.
func checkLocate(t interface{ Fatalf(string, ...any) }, text string) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\ufeff"} {
		if strings.HasPrefix(text, mark) { // the loader keeps byte order marks from both
			return false
		}
	}
	doc := locate(text)
	if doc.limit != "" {
		return false
	}
	var v map[string]any
	md, err := decode(text, &v)
	if err != nil {
		return false
	}
	if doc.stopped >= 0 {
		t.Fatalf("the scan stopped at %q in\n%s", text[doc.stopped:], text)
	}
	keys, spans := flatten(doc)
	if len(keys) != len(md.Keys()) {
		t.Fatalf("found keys %q, want %q in\n%s", keys, md.Keys(), text)
	}
	for i, want := range md.Keys() {
		if keys[i].String() != want.String() {
			t.Fatalf("key %d is %q, want %q in\n%s", i, keys[i], want, text)
		}
		written := text[spans[i].start:spans[i].end]
		var alone map[string]any
		if _, err := decode(written+" = 1", &alone); err != nil {
			t.Fatalf("%q is no key in\n%s", written, text)
		}
	}
	return true
}

// TestBuild: each value of the tree is the decoded one, at the place where it is written.
func TestBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t: t}
		text := w.document()
		src := newSource("x", text)
		root, problem := parse(src)
		if problem != nil {
			return
		}
		var check func(n *node)
		check = func(n *node) {
			if n.kind == nodeScalar {
				var v struct{ V any }
				if _, err := decode("V = "+n.raw(), &v); err != nil {
					t.Fatalf("%s is at %q, which is no value: %v", n.path, n.raw(), err)
				}
				if fmt.Sprint(v.V) != fmt.Sprint(n.scalar) {
					t.Fatalf("%s is %v, but at its place stands %v", n.path, n.scalar, v.V)
				}
			}
			for _, c := range n.fields {
				check(c)
			}
			for _, c := range n.elems {
				check(c)
			}
		}
		check(root)
	})
}

func TestPositionCountsCharacters(t *testing.T) {
	src := newSource("x", "aé = 1\r\n\tb = \"ü\" # x\n")
	for _, tt := range []struct {
		at        string
		line, col int
	}{{"a", 1, 1}, {"= 1", 1, 4}, {"b", 2, 2}, {"# x", 2, 10}} {
		line, col := src.position(strings.Index(src.text, tt.at))
		if line != tt.line || col != tt.col {
			t.Errorf("%q is at %d:%d, want %d:%d", tt.at, line, col, tt.line, tt.col)
		}
	}
	if got, want := src.line(2), "\tb = \"ü\" # x"; got != want {
		t.Errorf("line 2 is %q, want %q", got, want)
	}
}

// TestExcerptOfLongLine: the caret stays under its text when a long line is cut, and nothing that
// moves a cursor gets through.
func TestExcerptOfLongLine(t *testing.T) {
	text := "k = \"" + strings.Repeat("x", 300) + "\x1b[2J\" ; bad" + strings.Repeat("y", 300)
	src := newSource("x", text)
	at := strings.Index(text, "bad")
	lines := strings.Split(src.excerpt(span{at, at + 3}), "\n")
	if strings.Contains(lines[0], "\x1b") {
		t.Errorf("an escape got through: %q", lines[0])
	}
	col := strings.Index(lines[1], "^^^")
	shown := []rune(lines[0])
	if col < 0 || string(shown[col:col+3]) != "bad" {
		t.Errorf("the caret is not under bad:\n%s\n%s", lines[0], lines[1])
	}
}
