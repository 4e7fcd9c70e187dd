package scenarios

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/sim"
)

// sampled is a distribution as the loader keeps it.
type sampled struct {
	sim.Sampler
	// words describe it in a table: "lognormal, median 400us, p99 4ms".
	words string
}

// dist is one distribution of the grammar.
type dist struct {
	name   string
	params []string
	doc    string
}

// dists are the distributions by the name that stands in dist = "…".
var dists = []dist{
	{"constant", []string{"value"}, "always the same; `\"5ms\"` alone means the same"},
	{"uniform", []string{"min", "max"}, "evenly between the two"},
	{"exponential", []string{"mean"}, "gaps of a Poisson process; service of M/M/c"},
	{"lognormal", []string{"median", "p99"}, "by its median and 99th percentile; " +
		"most latencies look like this"},
	{"pareto", []string{"min", "alpha"}, "heavy tail: above x with probability (min/x)^alpha"},
	{"mixture", []string{"weights", "of"}, "one of the distributions in `of`, by weight"},
	{
		"empirical",
		[]string{"file", "values", "counts"},
		"recorded values, from a file beside the scenario or written out",
	},
}

func distNames() []string {
	names := make([]string, len(dists))
	for i, d := range dists {
		names[i] = d.name
	}
	return names
}

const samplerExample = `{ dist = "lognormal", median = "1ms", p99 = "9ms" }`

// samplerKind is a distribution of quantities of one kind: an inline table, or a single value that
// is always drawn.
func samplerKind[T sim.Quantity](unit kind, format func(T) string) kind {
	want := unit.want + ", or a distribution such as " + samplerExample
	k := kind{name: "distribution of " + unit.name + "s", want: want, bare: bareString}
	k.read = func(l *loader, n *node) (any, string, bool) {
		s := samplerReader[T]{l: l, n: n, unit: unit, format: format}
		return s.read()
	}
	return k
}

var (
	durationSampler = samplerKind[sim.Duration](durationKind, formatDuration)
	sizeSampler     = samplerKind[int64](sizeKind, formatSize)
)

// samplerReader reads one distribution.
type samplerReader[T sim.Quantity] struct {
	l      *loader
	n      *node
	unit   kind
	format func(T) string
	failed bool
}

func (s *samplerReader[T]) read() (any, string, bool) {
	if s.n.kind == nodeScalar {
		if _, isText := s.n.scalar.(string); !isText {
			s.l.bareNumber(s.n, s.unit.want+", or a distribution", "")
			return nil, "", false
		}
		v, text, ok := s.unit.read(s.l, s.n)
		if !ok {
			return nil, "", false
		}
		sampler, err := sim.Constant(v.(T))
		return s.done(sampler, err, text, "always "+unquoted(text))
	}
	if s.n.kind != nodeTable {
		s.l.mismatch(s.n, s.unit.want+", or a distribution")
		return nil, "", false
	}
	d, ok := s.dist()
	if !ok {
		return nil, "", false
	}
	switch d.name {
	case "mixture":
		return s.mixture()
	case "empirical":
		return s.empirical()
	default:
		return s.plain(d)
	}
}

// done ends the reading of a distribution.
func (s *samplerReader[T]) done(sampler sim.Sampler, err error, text, words string) (
	any, string, bool,
) {
	if s.failed {
		return nil, "", false
	}
	if err != nil {
		s.l.fail(s.n, "%s: %v", s.n.path, err)
		return nil, "", false
	}
	return sampled{sampler, words}, text, true
}

// dist finds out which distribution it is, and reports parameters that it does not have.
func (s *samplerReader[T]) dist() (dist, bool) {
	name := s.n.child("dist")
	if name == nil {
		s.l.fail(s.n, "%s does not say which distribution it is", s.n.path).Hint =
			"it is written as " + samplerExample
		return dist{}, false
	}
	i, _, ok := enum(distNames()).read(s.l, name)
	if !ok {
		return dist{}, false
	}
	d := dists[i.(int)]
	for _, f := range s.n.fields {
		if f.name == "dist" || slices.Contains(d.params, f.name) {
			continue
		}
		p := s.l.failKey(f, "%s: a %s distribution has no %q; it has %s",
			s.n.path, d.name, f.name, andList(d.params))
		if near := nearest(f.name, d.params); near != "" {
			p.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		s.failed = true
	}
	return d, true
}

// param finds a parameter that must be there.
func (s *samplerReader[T]) param(name string) *node {
	f := s.n.child(name)
	if f == nil {
		s.l.fail(s.n, "%s has no %s", s.n.path, name)
		s.failed = true
	}
	return f
}

// quantity reads a parameter with a unit.
func (s *samplerReader[T]) quantity(name string) (v T, ok bool) {
	if f := s.param(name); f != nil {
		value, _, good := s.unit.read(s.l, f)
		if good {
			return value.(T), true
		}
		s.failed = true
	}
	return 0, false
}

// ordered reports a parameter that must not be less than another one.
func (s *samplerReader[T]) ordered(low string, a T, high string, b T) {
	if b < a {
		s.l.fail(s.n.child(high), "%s.%s (%s) is below its %s (%s)",
			s.n.path, high, s.format(b), low, s.format(a))
		s.failed = true
	}
}

// positive reports a parameter that must not be zero.
func (s *samplerReader[T]) positive(name string, v T) {
	if v <= 0 {
		s.l.fail(s.n.child(name), "%s.%s is %s; it must be more than zero",
			s.n.path, name, s.format(v))
		s.failed = true
	}
}

// plain reads the distributions that are one or two numbers.
func (s *samplerReader[T]) plain(d dist) (any, string, bool) {
	first, ok := s.quantity(d.params[0])
	var second T
	alpha := 0.0
	switch {
	case d.name == "pareto":
		if f := s.param("alpha"); f != nil {
			x, _, good := floatKind.read(s.l, f)
			if good {
				alpha = x.(float64)
			}
			ok = ok && good
		}
	case len(d.params) == 2:
		v, good := s.quantity(d.params[1])
		second, ok = v, ok && good
	}
	if !ok || s.failed {
		return nil, "", false
	}
	if d.name == "exponential" || d.name == "lognormal" || d.name == "pareto" {
		s.positive(d.params[0], first)
	}
	var sampler sim.Sampler
	var err error
	texts := []string{quote(s.format(first))}
	switch d.name {
	case "constant":
		sampler, err = sim.Constant(first)
		return s.done(sampler, err, texts[0], "always "+s.format(first))
	case "exponential":
		sampler, err = sim.Exponential(first)
	case "pareto":
		if !(alpha > 0) {
			s.l.fail(s.n.child("alpha"), "%s.alpha is %v; it must be more than zero", s.n.path, alpha)
			s.failed = true
		}
		sampler, err = sim.Pareto(first, alpha)
		texts = append(texts, formatFloat(alpha))
	case "uniform":
		s.ordered("min", first, "max", second)
		sampler, err = sim.Uniform(first, second)
		texts = append(texts, quote(s.format(second)))
	case "lognormal":
		s.ordered("median", first, "p99", second)
		sampler, err = sim.Lognormal(first, second)
		texts = append(texts, quote(s.format(second)))
	}
	text, words := `{ dist = `+quote(d.name), d.name
	for i, v := range texts {
		text += ", " + d.params[i] + " = " + v
		words += ", " + d.params[i] + " " + unquoted(v)
	}
	return s.done(sampler, err, text+" }", words)
}

// mixture reads a choice of distributions.
func (s *samplerReader[T]) mixture() (any, string, bool) {
	weightsNode, of := s.param("weights"), s.param("of")
	if s.failed {
		return nil, "", false
	}
	weights, weightsText, ok := listOf[float64](floatKind, "", "an array of numbers").
		read(s.l, weightsNode)
	if of.kind != nodeArray {
		s.l.mismatch(of, "an array of distributions")
		return nil, "", false
	}
	samplers := make([]sim.Sampler, 0, len(of.elems))
	texts := make([]string, 0, len(of.elems))
	for _, e := range of.elems {
		part := samplerReader[T]{l: s.l, n: e, unit: s.unit, format: s.format}
		v, text, good := part.read()
		if ok = ok && good; good {
			samplers, texts = append(samplers, v.(sampled).Sampler), append(texts, text)
		}
	}
	if !ok {
		return nil, "", false
	}
	if n := len(weights.([]float64)); n != len(samplers) {
		s.l.fail(weightsNode, "%s has %d weights for %d distributions", s.n.path, n, len(samplers))
		return nil, "", false
	}
	sampler, err := sim.Mixture(weights.([]float64), samplers)
	if err != nil {
		s.l.fail(weightsNode, "%s: %s", weightsNode.path, strings.TrimPrefix(err.Error(), "mixture: "))
		return nil, "", false
	}
	return s.done(sampler, err,
		fmt.Sprintf(`{ dist = "mixture", weights = %s, of = [%s] }`, weightsText,
			strings.Join(texts, ", ")),
		fmt.Sprintf("mixture of %d", len(samplers)))
}

// record is a recorded value and how often it was recorded.
type record[T sim.Quantity] struct {
	value T
	count int64
}

// maxRecords bounds the distinct values of a record: the effective scenario carries them all.
const maxRecords = 100_000

// empirical reads recorded values from a file, or as an effective scenario writes them out.
func (s *samplerReader[T]) empirical() (any, string, bool) {
	file, values := s.n.child("file"), s.n.child("values")
	var records []record[T]
	switch {
	case (file == nil) == (values == nil):
		s.l.fail(s.n, "%s needs either file or values", s.n.path)
		s.failed = true
	case file != nil:
		if f := s.n.child("counts"); f != nil {
			s.l.failKey(f, "%s: counts belongs to values; in a file a count stands behind its value",
				s.n.path)
			s.failed = true
		}
		records = s.recordsOf(file)
	default:
		records = s.written(values)
	}
	if s.failed {
		return nil, "", false
	}
	records = s.merge(records)
	if len(records) > maxRecords {
		s.l.fail(s.n, "%s has %d different values, more than %d; round them, or take quantiles",
			s.n.path, len(records), maxRecords)
		return nil, "", false
	}
	sampler, err := sim.ReadEmpirical(strings.NewReader(s.plainRecords(records)))
	text, n := s.recordText(records)
	return s.done(sampler, err, text, fmt.Sprintf("%d recorded values", n))
}

// maxBadLines is how many wrong lines of a record are reported one by one.
const maxBadLines = 10

// recordsOf reads the file of a record: a value on each line, perhaps a comma and a count.
func (s *samplerReader[T]) recordsOf(file *node) []record[T] {
	name, ok := s.l.text(file, "the name of a file beside the scenario")
	if !ok {
		s.failed = true
		return nil
	}
	data, err := s.l.readBeside(name)
	if err != nil {
		s.failed = true
		s.l.fail(file, "%s: %v", file.path, err)
		return nil
	}
	var records []record[T]
	bad := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	for i := 1; lines.Scan(); i++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		r, problem := s.record(text)
		if problem != "" {
			s.failed = true
			if bad++; bad <= maxBadLines {
				s.l.fail(file, "%s: %s:%d: %s", file.path, name, i, problem).order = i
			}
			continue
		}
		records = append(records, r)
	}
	if bad > maxBadLines {
		p := s.l.fail(file, "%s: %s: and %d more lines are wrong", file.path, name, bad-maxBadLines)
		p.order = math.MaxInt
	}
	if err := lines.Err(); err != nil {
		s.failed = true
		s.l.fail(file, "%s: %s: %v", file.path, name, err)
	}
	return records
}

// record reads "1.2ms" or "1.2ms,7". It returns what is wrong with it.
func (s *samplerReader[T]) record(text string) (record[T], string) {
	first, second, counted := strings.Cut(text, ",")
	first = strings.TrimSpace(first)
	if _, isSize := any(T(0)).(int64); isSize && isNumber(first) {
		first += "B"
	}
	scratch := &loader{src: s.l.src}
	v, _, ok := s.unit.read(scratch, &node{path: "value", src: s.l.src, scalar: first})
	if !ok {
		return record[T]{}, scratch.problems[0].Message
	}
	count := int64(1)
	if counted {
		var err error
		count, err = strconv.ParseInt(strings.TrimSpace(second), 10, 64)
		if err != nil || count < 1 || count > math.MaxInt32 {
			return record[T]{}, fmt.Sprintf("%q is not a count from 1 to 2^31 - 1", second)
		}
	}
	return record[T]{v.(T), count}, ""
}

// written reads values = [...] and counts = [...].
func (s *samplerReader[T]) written(values *node) (records []record[T]) {
	list, _, ok := listOf[T](s.unit, "", "an array of values").read(s.l, values)
	if !ok {
		s.failed = true
		return nil
	}
	for _, v := range list.([]T) {
		records = append(records, record[T]{v, 1})
	}
	f := s.n.child("counts")
	if f == nil {
		return records
	}
	counts, _, ok := listOf[int](whole(1, math.MaxInt32), "", "an array of whole numbers").read(s.l, f)
	switch {
	case !ok:
		s.failed = true
	case len(counts.([]int)) != len(records):
		s.l.fail(f, "%s has %d counts for %d values", s.n.path, len(counts.([]int)), len(records))
		s.failed = true
	default:
		for i, c := range counts.([]int) {
			records[i].count = int64(c)
		}
	}
	return records
}

// merge sorts records by value and adds up the counts of equal ones.
func (s *samplerReader[T]) merge(records []record[T]) []record[T] {
	slices.SortStableFunc(records, func(a, b record[T]) int {
		return int(min(max(a.value-b.value, -1), 1))
	})
	n := 0
	for _, r := range records {
		if n > 0 && records[n-1].value == r.value {
			records[n-1].count += r.count
			continue
		}
		records[n] = r
		n++
	}
	return records[:n]
}

// plainRecords writes records as the sampler reads them: nanoseconds or bytes, and counts.
func (s *samplerReader[T]) plainRecords(records []record[T]) string {
	suffix := ","
	if _, isSize := any(T(0)).(int64); !isSize {
		suffix = "ns,"
	}
	var b strings.Builder
	for _, r := range records {
		b.WriteString(strconv.FormatInt(int64(r.value), 10) + suffix)
		b.WriteString(strconv.FormatInt(r.count, 10) + "\n")
	}
	return b.String()
}

// recordText writes records as TOML, so that an effective scenario needs no other file.
func (s *samplerReader[T]) recordText(records []record[T]) (text string, n int64) {
	values, counts := make([]string, len(records)), make([]string, len(records))
	repeated := false
	for i, r := range records {
		values[i], counts[i] = quote(s.format(r.value)), strconv.FormatInt(r.count, 10)
		repeated = repeated || r.count > 1
		n += r.count
	}
	text = `{ dist = "empirical", values = [` + strings.Join(values, ", ") + "]"
	if repeated {
		text += ", counts = [" + strings.Join(counts, ", ") + "]"
	}
	return text + " }", n
}

// unquoted strips the quotes of a canonical string.
func unquoted(text string) string { return strings.Trim(text, `"`) }

// andList writes "a, b and c".
func andList(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:len(values)-1], ", ") + " and " + values[len(values)-1]
}
