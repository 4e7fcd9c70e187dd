package report

import (
	"slices"
	"strings"
)

// configTable is a table of the effective scenario, [broker.a], or the lines before the first one. The
// names of tables of the same kind with the same settings are gathered in one.
type configTable struct {
	Kind, Head string
	Like       []string // the heads of those with the same settings
	Lines      []configLine
}

// configLine is a line of the effective scenario. Origin is where a value that is not the default came
// from, Default what it would be, empty if there is none.
type configLine struct {
	Key, Value, Origin, Default string
}

// Text is the line as the scenario has it, without the origin.
func (l configLine) Text() string {
	if l.Key == "" {
		return l.Value
	}
	return l.Key + " = " + l.Value
}

// Changed says whether the value is not the default.
func (l configLine) Changed() bool { return l.Origin != "" }

// Note is the origin of the value and its default.
func (l configLine) Note() string {
	if l.Default == "" {
		return l.Origin
	}
	return l.Origin + "; default " + l.Default
}

// effective takes the effective scenario apart. It knows its layout, not its meaning.
func effective(toml []byte) []configTable {
	tables := []configTable{{}}
	for l := range strings.Lines(string(toml)) {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "["):
			kind, _, _ := strings.Cut(strings.Trim(l, "[]"), ".")
			tables = append(tables, configTable{Kind: kind, Head: l})
		default:
			last := &tables[len(tables)-1]
			last.Lines = append(last.Lines, parseConfigLine(l))
		}
	}
	return folded(tables)
}

func parseConfigLine(l string) configLine {
	text, comment := l, ""
	if i := commentAt(l); i >= 0 {
		text, comment = strings.TrimSpace(l[:i]), strings.TrimSpace(l[i+1:])
	}
	var c configLine
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		c.Value = text
	} else {
		c.Key, c.Value = strings.TrimSpace(key), strings.TrimSpace(value)
	}
	c.Origin, c.Default, _ = strings.Cut(comment, "; default ")
	return c
}

// commentAt is where the comment of a line begins, -1 if it has none.
func commentAt(l string) int {
	quote := byte(0)
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return i
		}
	}
	return -1
}

// folded gathers tables that differ in their names only. What the faults and expectations are is never
// folded: each is about something.
func folded(tables []configTable) []configTable {
	var out []configTable
	first := map[string]int{}
	for _, t := range tables {
		var b strings.Builder
		b.WriteString(t.Kind)
		for _, l := range t.Lines {
			b.WriteByte('\n')
			b.WriteString(l.Text())
		}
		i, seen := first[b.String()]
		if seen && t.Kind != "" && t.Kind != "fault" && t.Kind != "expect" {
			out[i].Like = append(out[i].Like, t.Head)
			continue
		}
		first[b.String()] = len(out)
		out = append(out, t)
	}
	return out
}

// mostTables and mostSettings are how many tables and settings the page has; scenario.toml has all.
const (
	mostTables   = 120
	mostSettings = 200
)

// settingsView is the effective scenario as a page has it, and first what is not the default.
type settingsView struct {
	Changed                  []changedSetting
	MoreSettings, MoreTables int
	Config                   []configTable
}

func settingsViewOf(toml []byte) settingsView {
	v := settingsView{Config: effective(toml)}
	v.Changed = changedSettings(v.Config)
	v.MoreSettings, v.MoreTables = max(0, len(v.Changed)-mostSettings), max(0, len(v.Config)-mostTables)
	v.Changed = v.Changed[:len(v.Changed)-v.MoreSettings]
	v.Config = v.Config[:len(v.Config)-v.MoreTables]
	return v
}

// LikeWords name the tables with the same settings.
func (t configTable) LikeWords() string {
	const most = 16
	return listed(t.Like, most)
}

// changedSetting is a setting that is not the default, of one table or of several.
type changedSetting struct{ Of, Key, Value, Default, Origin string }

// changedSettings are those of the effective scenario but for faults and expectations, which the page
// tells elsewhere.
func changedSettings(tables []configTable) []changedSetting {
	var out []changedSetting
	for _, t := range tables {
		if t.Kind == "fault" || t.Kind == "expect" {
			continue
		}
		names := []string{strings.Trim(t.Head, "[]")}
		for _, l := range t.Like {
			names = append(names, strings.TrimPrefix(strings.Trim(l, "[]"), t.Kind+"."))
		}
		for _, l := range t.Lines {
			if !l.Changed() {
				continue
			}
			c := changedSetting{listed(names, 8), l.Key, l.Value, l.Default, l.Origin}
			if len(t.Like) > 0 {
				c.Origin += " …"
			}
			out = append(out, c)
		}
	}
	return slices.Clip(out)
}
