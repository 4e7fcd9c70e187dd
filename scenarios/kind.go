package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"simrun/sim"
	"simrun/strategy"
)

// kind is a type of value: how it is called, read, and written again.
type kind struct {
	// name is what the documentation calls it.
	name string
	// want says in an error what was expected: "producer.p.count must be " + want.
	want string
	// bare tells how a --set flag may write it.
	bare bareForm
	// read returns the value of a node and its canonical TOML text. It reports what is wrong and
	// returns false if the value cannot be used.
	read func(l *loader, n *node) (value any, text string, ok bool)
	// values are those that a value may have, if they can be listed.
	values []string
}

// bareForm is the form that a --set flag gives to a value without quotes or brackets.
type bareForm uint8

const (
	bareTOML    bareForm = iota // numbers and booleans are written as in the file
	bareString                  // everything else is a string
	bareList                    // strings, separated by commas
	bareNumbers                 // numbers, separated by commas
	bareEither                  // a number or boolean, or else a string
)

// quote writes a TOML string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// text returns the string of a node, or reports that it is something else.
func (l *loader) text(n *node, want string) (string, bool) {
	s, ok := n.scalar.(string)
	if n.kind != nodeScalar || !ok {
		l.mismatch(n, want)
		return "", false
	}
	return s, true
}

// mismatch reports a value of the wrong type.
func (l *loader) mismatch(n *node, want string) *Problem {
	if huge, ok := n.scalar.(hugeInt); ok {
		return l.fail(n, "%s is %s, too large a number for anything; it must be %s", n.path, huge, want)
	}
	p := l.fail(n, "%s is %s; it must be %s", n.path, n.describe(), want)
	if s, ok := n.scalar.(string); ok && isNumber(s) && strings.Contains(want, "number") {
		p.Hint = "write " + s + " without quotes"
	}
	return p
}

// quantity makes the kind of a number with a unit, written as a string. hint says how a bare number
// is perhaps meant.
func quantity[T any](name, want, hint string, parse func(string) (T, error),
	format func(T) string,
) kind {
	read := func(l *loader, n *node) (any, string, bool) {
		s, ok := n.scalar.(string)
		if !ok || n.kind != nodeScalar {
			l.bareNumber(n, want, hint)
			return nil, "", false
		}
		v, err := parse(s)
		if err != nil {
			l.fail(n, "%s: %q %v", n.path, s, err)
			return nil, "", false
		}
		return v, quote(format(v)), true
	}
	return kind{name: name, want: want, bare: bareString, read: read}
}

// bareNumber reports a quantity that is no string: most likely a number whose unit is anybody's
// guess.
func (l *loader) bareNumber(n *node, want, hint string) {
	switch n.scalar.(type) {
	case int64, float64, hugeInt:
		p := l.fail(n, "%s is the bare number %s; it must be %s", n.path, n.raw(), want)
		p.Hint = strings.ReplaceAll(hint, "#", n.raw())
	default:
		l.mismatch(n, want)
	}
}

var (
	durationKind = quantity("duration", `a duration in quotes, such as "250ms"`,
		`write "#s" or "#ms"`, parseDuration, formatDuration)
	// settingKind is a duration that a broker counts in milliseconds, and does not take for none.
	settingKind = quantity("duration", `a duration in quotes, such as "250ms"`,
		`write "#ms"`, parseSetting, formatDuration)
	rateKind = quantity("rate", `a rate in quotes, such as "400/s"`, `write "#/s"`,
		parseRate, formatRate)
	sizeKind = quantity("size", `a size in quotes, such as "1KiB"`, `write "#B"`,
		parseSize, formatSize)
	logSizeKind = quantity("size", `a size in quotes, such as "1GiB"`, `write "#B"`,
		parseLogSize, formatSize)
	// millisKind is a duration that the Java client keeps in whole milliseconds.
	millisKind = quantity("duration, whole ms", `a duration in quotes, such as "50ms"`,
		`RocketMQ counts milliseconds, so write "#ms"`, parseMillis, formatMillis)
)

func parseSetting(text string) (sim.Duration, error) {
	d, err := parseDuration(text)
	if err == nil && d < sim.Millisecond {
		err = fmt.Errorf("is less than a millisecond")
	}
	return d, err
}

func parseMillis(text string) (strategy.Millis, error) {
	d, err := parseDuration(text)
	if err == nil && d%time.Millisecond != 0 {
		err = fmt.Errorf("is not a whole number of milliseconds, in which the client keeps it")
	}
	return strategy.Millis(d / time.Millisecond), err
}

func formatMillis(v strategy.Millis) string {
	if v%1000 == 0 {
		return strconv.FormatInt(int64(v/1000), 10) + "s"
	}
	return strconv.FormatInt(int64(v), 10) + "ms"
}

// optionalMillis is a duration in whole milliseconds that can be switched off; Java writes -1.
var optionalMillis = kind{
	name: `duration, whole ms, or "off"`, want: `a duration in quotes, such as "500ms", or "off"`,
	bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.scalar == "off" {
			return strategy.Millis(-1), `"off"`, true
		}
		if i, ok := n.scalar.(int64); ok && i < 0 {
			p := l.fail(n, "%s is %d; it must be a duration in quotes, or \"off\"", n.path, i)
			p.Hint = `Java's -1 is "off" here`
			return nil, "", false
		}
		return millisKind.read(l, n)
	},
}

// whole is a whole number from low to high.
func whole(low, high int) kind {
	const want = "a whole number"
	return kind{
		name: "whole number", want: want,
		read: func(l *loader, n *node) (any, string, bool) {
			if huge, ok := n.scalar.(hugeInt); ok {
				l.fail(n, "%s: %s is not within %d to %d", n.path, huge, low, high)
				return nil, "", false
			}
			i, ok := n.scalar.(int64)
			if !ok || n.kind != nodeScalar {
				l.mismatch(n, want)
				return nil, "", false
			}
			if i < int64(low) || i > int64(high) {
				l.fail(n, "%s: %d is not within %d to %d", n.path, i, low, high)
				return nil, "", false
			}
			return int(i), strconv.FormatInt(i, 10), true
		},
	}
}

var floatKind = kind{
	name: "number", want: "a number",
	read: func(l *loader, n *node) (any, string, bool) {
		var x float64
		switch v := n.scalar.(type) {
		case int64:
			x = float64(v)
		case float64:
			x = v
		default:
			l.mismatch(n, "a number")
			return nil, "", false
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			l.fail(n, "%s is %s; it must be a finite number", n.path, n.raw())
			return nil, "", false
		}
		return x, formatFloat(x), true
	},
}

// number is a number from low to high.
func number(low, high float64) kind {
	k := floatKind
	k.read = func(l *loader, n *node) (any, string, bool) {
		v, text, ok := floatKind.read(l, n)
		if ok && (v.(float64) < low || v.(float64) > high) {
			l.fail(n, "%s: %s is not within %s to %s", n.path, text, formatFloat(low), formatFloat(high))
			return nil, "", false
		}
		return v, text, ok
	}
	return k
}

var boolKind = kind{
	name: "boolean", want: "true or false",
	read: func(l *loader, n *node) (any, string, bool) {
		v, ok := n.scalar.(bool)
		if !ok || n.kind != nodeScalar {
			p := l.mismatch(n, "true or false")
			if s, isText := n.scalar.(string); isText && (s == "true" || s == "false") {
				p.Hint = "write " + s + " without quotes"
			}
			return nil, "", false
		}
		return v, strconv.FormatBool(v), true
	},
}

// seedKind is a number of 64 bits without sign; TOML's own numbers end at 2^63 - 1, so a larger one
// is written as a string.
var seedKind = kind{
	name: "whole number from 0", want: "a whole number from 0",
	read: func(l *loader, n *node) (any, string, bool) {
		switch v := n.scalar.(type) {
		case int64:
			if v < 0 {
				l.fail(n, "%s is %d; it must be a whole number from 0", n.path, v)
				return nil, "", false
			}
			return uint64(v), seedText(uint64(v)), true
		case string:
			if u, err := strconv.ParseUint(v, 10, 64); err == nil && u > math.MaxInt64 {
				return u, seedText(u), true
			}
			if v != "" && strings.Trim(v, "0123456789") == "" && len(v) > len("9223372036854775807") {
				return l.seedTooLarge(n)
			}
		case hugeInt:
			return l.seedTooLarge(n)
		}
		l.mismatch(n, "a whole number from 0")
		return nil, "", false
	},
}

func (l *loader) seedTooLarge(n *node) (any, string, bool) {
	l.fail(n, "%s must be a whole number from 0 to %d, or a quoted one up to %d", n.path,
		int64(math.MaxInt64), uint64(math.MaxUint64))
	return nil, "", false
}

func seedText(seed uint64) string {
	text := strconv.FormatUint(seed, 10)
	if seed > math.MaxInt64 {
		return quote(text)
	}
	return text
}

// fewValues are worth listing to somebody who means another one.
const fewValues = 8

// enum is a word out of a few.
func enum(values []string) kind {
	k := kind{
		name: "one of " + quoteAll(values), want: "one of " + quoteAll(values),
		bare: bareString, values: values,
	}
	if len(values) == 1 {
		k.name, k.want = quote(values[0]), quote(values[0])
	}
	k.read = func(l *loader, n *node) (any, string, bool) {
		s, ok := l.text(n, k.want)
		if !ok {
			return nil, "", false
		}
		if i := slices.Index(values, s); i >= 0 {
			return i, quote(s), true
		}
		near := nearest(s, values)
		if near != "" && len(values) > fewValues {
			l.fail(n, "%s: %q is not known", n.path, s).Hint = fmt.Sprintf("did you mean %q?", near)
			return nil, "", false
		}
		p := l.fail(n, "%s: %q is not known; it can be %s", n.path, s, orList(values))
		if near != "" {
			p.Hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, "", false
	}
	return k
}

// intEnum is a whole number out of a few, the default first.
func intEnum(values ...int) kind {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.Itoa(v)
	}
	want := strings.Join(texts, " or ")
	return kind{
		name: want, want: want,
		read: func(l *loader, n *node) (any, string, bool) {
			i, ok := n.scalar.(int64)
			if !ok || n.kind != nodeScalar {
				l.mismatch(n, want)
				return nil, "", false
			}
			if !slices.Contains(values, int(i)) {
				l.fail(n, "%s is %d; it must be %s", n.path, i, want)
				return nil, "", false
			}
			return int(i), strconv.FormatInt(i, 10), true
		},
	}
}

// ratioKind is a share, written as a number from 0 to 1 or as a percentage.
var ratioKind = kind{
	name: "ratio", want: `a ratio such as 0.05 or "5%"`, bare: bareEither,
	read: func(l *loader, n *node) (any, string, bool) {
		x, text, ok := readRatio(l, n)
		return x, text, ok
	},
}

// leftKind is a share of which something is left.
var leftKind = func() kind {
	k := ratioKind
	k.read = func(l *loader, n *node) (any, string, bool) {
		v, text, ok := ratioKind.read(l, n)
		if ok && v.(float64) <= 0 {
			l.fail(n, "%s is %s; it must be above 0, and is at most 1", n.path, text)
			ok = false
		}
		return v, text, ok
	}
	return k
}()

// bandwidthKind is bytes per second, 0 for no limit.
var bandwidthKind = kind{
	name: `bandwidth, or "off"`, want: `a bandwidth in quotes, such as "100MiB/s", or "off"`,
	bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.scalar == "off" {
			return 0.0, `"off"`, true
		}
		return bandwidth.read(l, n)
	},
}

var bandwidth = quantity("bandwidth", `a bandwidth in quotes, such as "100MiB/s", or "off"`,
	`write "#B/s"`, parseBandwidth, formatBandwidth)

// nameKind is the name of something; whether it exists is looked up when everything is read.
var nameKind = kind{
	name: "name", want: "a name in quotes", bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		s, ok := l.text(n, "a name in quotes")
		return s, quote(s), ok
	},
}

// listOf is an array of values of a kind. What is wrong with several elements in the same way is
// reported once.
func listOf[T any](k kind, name, want string) kind {
	read := func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeArray {
			l.mismatch(n, want)
			return nil, "", false
		}
		values := make([]T, 0, len(n.elems))
		texts := make([]string, 0, len(n.elems))
		mark := len(l.problems)
		for _, e := range n.elems {
			v, text, ok := k.read(l, e)
			if ok {
				values, texts = append(values, v.(T)), append(texts, text)
			}
		}
		if bad := len(n.elems) - len(values); bad > 0 {
			if bad > 1 && bad == len(n.elems) && alike(l.problems[mark:], k.want) {
				l.problems = l.problems[:mark+1]
				l.problems[mark].Message += fmt.Sprintf("; so must the %d others", bad-1)
			}
			return nil, "", false
		}
		return values, "[" + strings.Join(texts, ", ") + "]", true
	}
	bare := bareList
	if k.bare == bareTOML {
		bare = bareNumbers
	}
	return kind{name: name, want: want, bare: bare, read: read}
}

// alike says whether all problems are about the type of a value.
func alike(problems []*Problem, want string) bool {
	return !slices.ContainsFunc(problems, func(p *Problem) bool {
		return !strings.Contains(p.Message, "must be "+want)
	})
}

var (
	millisListKind = listOf[strategy.Millis](millisKind, "list of durations, whole ms",
		`an array of durations, such as ["50ms", "100ms"]`)
	nameListKind = listOf[string](nameKind, "list of names", `an array of names, such as ["a", "b"]`)
)

// releaseKind is a release of RocketMQ.
var releaseKind = kind{
	name: "release", want: `a release in quotes, such as "5.3.3"`,
	bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		s, ok := l.text(n, `a release in quotes, such as "5.3.3"`)
		if !ok {
			return nil, "", false
		}
		release, ok := l.release(n, s)
		return release, quote(release), ok
	},
}

// release looks up a release and reports one that is unknown.
func (l *loader) release(n *node, name string) (string, bool) {
	profile, err := strategy.Lookup(name)
	if err != nil {
		l.fail(n, "%s: %s", n.path, strings.TrimPrefix(err.Error(), "strategy: "))
		return "", false
	}
	return profile.Release, true
}

// anyKind keeps a value as it is; the table it stands in reads it later, when its type is known.
func anyKind(name, want string) kind {
	return kind{
		name: name, want: want, bare: bareEither,
		read: func(l *loader, n *node) (any, string, bool) { return n, "", true },
	}
}

func quoteAll(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return strings.Join(quoted, ", ")
}

// orList writes `"a", "b" or "c"`.
func orList(values []string) string {
	if len(values) < 2 {
		return quoteAll(values)
	}
	return quoteAll(values[:len(values)-1]) + " or " + quote(values[len(values)-1])
}
