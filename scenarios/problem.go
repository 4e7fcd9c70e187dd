package scenarios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Problem is one mistake in a scenario, or a warning about it, at its place.
type Problem struct {
	// File is the path as it was given, the name of a shipped scenario's file, or "--set[2]" for the
	// second --set flag.
	File string `json:"file"`
	// Line and Col count from 1, Col in characters. Line is 0 for a flag, and both are 0 when the
	// problem has no place, such as a scenario without brokers.
	Line int `json:"line,omitempty"`
	Col  int `json:"col,omitempty"`
	// Width is the number of characters concerned.
	Width int `json:"width,omitempty"`
	// Path addresses the key: "broker.a.service.p99".
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// Hint says what to do about it; it may have several lines.
	Hint    string `json:"hint,omitempty"`
	Warning bool   `json:"warning,omitempty"`
	// Excerpt shows the place in the text, lines ending in \n; empty when there is none.
	Excerpt string `json:"-"`

	rank   int  // of the source
	own    bool // of the source
	offset int  // in the source
	order  int  // among the problems of one place: the line of another file
}

// problem makes a problem at a span of the source.
func (s *source) problem(sp span, path, message string) Problem {
	line, col := s.position(sp.start)
	end := min(clamp(sp.end, s.text), s.starts[line-1]+len(s.line(line)))
	p := Problem{
		File: s.name, Line: line, Col: col, Path: path, Message: message,
		Width:  max(1, len([]rune(s.text[sp.start:max(sp.start, end)]))),
		rank:   s.rank,
		own:    s.own,
		offset: sp.start,
	}
	if s.flag {
		p.Line = 0
	}
	p.Excerpt = s.excerpt(span{sp.start, max(sp.start, end)})
	return p
}

// Position is the place as editors and terminals understand it: "file:line:col".
func (p *Problem) Position() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
}

// String is the problem on one line, without excerpt: position, message and a one-line hint.
func (p *Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Position())
	b.WriteString(": ")
	if p.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" && !strings.Contains(p.Hint, "\n") {
		b.WriteString("; ")
		b.WriteString(p.Hint)
	}
	return b.String()
}

// Render is the problem with its excerpt and hint, each line ending in \n.
func (p *Problem) Render() string {
	var b strings.Builder
	b.WriteString(p.String())
	b.WriteByte('\n')
	b.WriteString(p.Excerpt)
	if strings.Contains(p.Hint, "\n") {
		for line := range strings.Lines(strings.TrimRight(p.Hint, "\n") + "\n") {
			b.WriteString(strings.TrimRight("      "+line, " \n") + "\n")
		}
	}
	return b.String()
}

// Invalid is a scenario that cannot be run, with everything that is wrong with it. Warnings are
// among the problems, marked as such.
//
//nolint:errname // reads as what it is: var invalid *scenarios.Invalid
type Invalid struct {
	// Name is the scenario as it was asked for: a path or a shipped name.
	Name string `json:"scenario"`
	// Problems are sorted by position: the file first, then the --set flags.
	Problems []Problem `json:"problems"`
}

// maxRendered is how many problems Render shows: all of them, unless a file is not a scenario at all.
const maxRendered = 200

// Errors counts the problems that are not warnings.
func (e *Invalid) Errors() int { return countErrors(e.Problems) }

func countErrors(problems []Problem) (n int) {
	for i := range problems {
		if !problems[i].Warning {
			n++
		}
	}
	return n
}

// Error is the first error, and how many more there are.
func (e *Invalid) Error() string {
	first := ""
	for i := range e.Problems {
		if !e.Problems[i].Warning {
			first = e.Problems[i].String()
			break
		}
	}
	if n := e.Errors() - 1; n > 0 {
		return fmt.Sprintf("%s (and %d more)", first, n)
	}
	return first
}

// Render shows the problems to people: each with its excerpt, at most 200 of them, and a
// closing line.
func (e *Invalid) Render(w io.Writer) error {
	var b strings.Builder
	shown := 0
	for i := range e.Problems {
		if p := &e.Problems[i]; !p.Warning && shown < maxRendered {
			b.WriteString(p.Render())
			shown++
		}
	}
	n := e.Errors()
	if n > shown {
		fmt.Fprintf(&b, "and %d more: --json tells all of them\n", n-shown)
	}
	noun := "errors"
	if n == 1 {
		noun = "error"
	}
	fmt.Fprintf(&b, "%d %s in %s; nothing was simulated.\n", n, noun, e.Name)
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON is the form for editors: the scenario and its problems.
func (e *Invalid) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// sortProblems orders problems by place and drops repetitions.
func sortProblems(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.offset, b.offset),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.order, b.order), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(problems, func(a, b Problem) bool {
		return a.rank == b.rank && a.offset == b.offset && a.Path == b.Path && a.Message == b.Message
	})
}

// NotFound is a scenario that does not exist: a missing file, or an unknown shipped name.
//
//nolint:errname // see Invalid
type NotFound struct {
	Ref string
	// File is true when Ref was taken for a path.
	File bool
	// Nearest is the shipped name that was perhaps meant; empty if none is near.
	Nearest string
}

func (e *NotFound) Error() string {
	what := fmt.Sprintf("no shipped scenario is called %q", e.Ref)
	if e.File {
		what = fmt.Sprintf("no file %s", e.Ref)
	}
	switch {
	case e.Nearest != "" && e.File:
		return fmt.Sprintf("%s; did you mean the shipped scenario %q?", what, e.Nearest)
	case e.Nearest != "":
		return fmt.Sprintf("%s; did you mean %q?", what, e.Nearest)
	case e.File:
		return what
	default:
		return what + `; a file needs a slash or ".toml" in its name`
	}
}

// syntaxProblem turns a decoder's error into a problem.
func syntaxProblem(src *source, doc document, err error) Problem {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return src.problem(span{0, 0}, "", err.Error())
	}
	if p, ok := duplicate(src, doc, &pe); ok {
		return p
	}
	sp := span{pe.Position.Start, pe.Position.Start + max(1, pe.Position.Len)}
	sp.start = clamp(sp.start, src.text)
	p := src.problem(sp, "", "not TOML: "+pe.Message)
	p.Hint = usage(&pe)
	if h := bareUnit(src.line(p.Line)); h != "" {
		p.Hint = h
	}
	return p
}

// usage is the decoder's own help on an error; it panics on an error at the very end of a text.
func usage(pe *toml.ParseError) (help string) {
	defer func() {
		if recover() != nil {
			help = ""
		}
	}()
	_, help, found := strings.Cut(pe.ErrorWithUsage(), "Error help:\n\n")
	if !found {
		return ""
	}
	var lines []string
	for line := range strings.Lines(help) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), "    "))
	}
	return strings.Join(lines, "\n")
}

// bareUnit recognises a quantity without its quotes, the mistake everybody makes first.
func bareUnit(line string) string {
	_, value, ok := strings.Cut(line, "=")
	if !ok {
		return ""
	}
	value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
	digits := strings.TrimLeft(value, "+-0123456789_.")
	number := value[:len(value)-len(digits)]
	if number == "" || !isUnit(digits) {
		return ""
	}
	return fmt.Sprintf("a quantity with a unit is written in quotes: \"%s\"", value)
}

// duplicate finds the place of a key or table that is defined twice; the decoder points behind it.
func duplicate(src *source, doc document, pe *toml.ParseError) (Problem, bool) {
	if !strings.HasSuffix(pe.Message, "has already been defined.") {
		return Problem{}, false
	}
	keys, spans := flatten(doc)
	first := make(map[string]int, len(keys))
	for i, k := range keys {
		j, seen := first[k.String()]
		if !seen {
			first[k.String()] = i
			continue
		}
		if !strings.Contains(pe.Message, "'"+k.String()+"'") {
			continue
		}
		line, _ := src.position(spans[j].start)
		return src.problem(spans[i], strings.Join(k, "."),
			fmt.Sprintf("%s is already defined on line %d", k, line)), true
	}
	return Problem{}, false
}
