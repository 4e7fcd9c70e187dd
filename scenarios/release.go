package scenarios

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"simrun/model/config"
)

// compareReleases orders releases by their numbers; a preview stands before its release. Text that
// is no release counts as 0.0.0.
func compareReleases(a, b string) int {
	x, y := releaseNumbers(a), releaseNumbers(b)
	for i := range x {
		if c := cmp.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return 0
}

// release is the release of the process that a table is about, and the name of its key; "" if it has
// none, one that could not be read, or one of the Go client, whose settings are its own.
func (t *table) release() (name, release string) {
	name = "release"
	if t.kind.name == tableProducer {
		if c, ok := t.client(); ok && c.lib == config.JavaClient {
			return "client", c.release
		}
		return "client", ""
	}
	if v := t.vals[name]; t.kind.name == "" || v == nil || v.bad {
		return name, ""
	}
	return name, get[string](t, name)
}

// hasSetting says whether the table's release is not before since and before until; "" is no limit.
func hasSetting(t *table, since, until string) bool {
	_, release := t.release()
	if release == "" {
		return true
	}
	// The previews of 5.0.0 have the settings of the 4.9 that they were made from.
	switch release {
	case "5.0.0-PREVIEW":
		release = "4.9.0"
	case "5.0.0-ALPHA":
		release = "4.9.3"
	}
	return (since == "" || compareReleases(release, since) >= 0) &&
		(until == "" || compareReleases(release, until) < 0)
}

// isRelease says whether text is one to three numbers with dots between them.
func isRelease(text string) bool {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 31); err != nil {
			return false
		}
	}
	return len(parts) <= 3
}

// releaseNumbers are the three numbers of a release, and 0 for a preview, 1 else.
func releaseNumbers(release string) (v [4]int) {
	numbers, _, preview := strings.Cut(release, "-")
	if !preview {
		v[3] = 1
	}
	for i, part := range strings.SplitN(numbers, ".", 3) {
		v[i], _ = strconv.Atoi(part)
	}
	return v
}

// condition is one comparison of for = "client >= 5.1.4".
type condition struct {
	subject string // client, broker or name_server
	op      string
	release string
}

var (
	conditionSubjects = []string{"client", "broker", "name_server"}
	conditionOps      = []string{">=", "<=", "==", "!=", ">", "<", "="} // longer ones first
)

// conditionKind is a list of comparisons that all must hold.
var conditionKind = kind{
	name: "condition", want: `a condition such as "client >= 5.1.4"`,
	bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		s, ok := l.text(n, `a condition such as "client >= 5.1.4"`)
		if !ok {
			return nil, "", false
		}
		var all []condition
		var texts []string
		for _, clause := range strings.Split(s, " and ") {
			c, problem := parseCondition(strings.TrimSpace(clause))
			if problem != "" {
				l.fail(n, "%s: %s", n.path, problem).Hint = `it is written as "client >= 5.1.4"`
				return nil, "", false
			}
			all = append(all, c)
			texts = append(texts, c.subject+" "+c.op+" "+c.release)
		}
		return all, quote(strings.Join(texts, " and ")), true
	},
}

// parseCondition reads "client >= 5.1.4"; problem says what is wrong with it.
func parseCondition(text string) (c condition, problem string) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return c, fmt.Sprintf("%q compares nothing", text)
	}
	c.subject = strings.TrimSpace(text[:at])
	for _, op := range conditionOps {
		if strings.HasPrefix(text[at:], op) {
			c.op = op
			break
		}
	}
	rest := strings.TrimSpace(text[at+len(c.op):])
	known := false
	for _, s := range conditionSubjects {
		known = known || s == c.subject
	}
	switch {
	case c.op == "":
		return c, fmt.Sprintf("%q has no comparison", text)
	case !known:
		return c, fmt.Sprintf("%q has no release; %s have", c.subject, andList(conditionSubjects))
	case !isRelease(rest):
		return c, fmt.Sprintf("%q is not a release", rest)
	}
	if c.op == "==" {
		c.op = "="
	}
	c.release = rest
	return c, ""
}

// holds says whether a release satisfies the comparison; no release ("") satisfies any.
func (c condition) holds(release string) bool {
	if release == "" {
		return false
	}
	d := compareReleases(release, c.release)
	switch c.op {
	case ">=":
		return d >= 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case "<":
		return d < 0
	case "!=":
		return d != 0
	default:
		return d == 0
	}
}
