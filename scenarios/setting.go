package scenarios

import (
	"fmt"
	"strings"
)

// Setting is a key of a scenario, or a part of its value, as it stands.
type Setting struct {
	// Path addresses it as --set does: "producer.p.latency_max", "producer.p.latency_max[4]".
	Path string
	// Text is its value as TOML; empty if it has none.
	Text string
}

// Settings are what an address of --set names, "producer.*.latency_max[4]", in the order of the scenario. A
// wrong address names nothing; what is wrong with it, [Load] says of a --set flag with it.
func (s *Scenario) Settings(address string) []Setting {
	parts := split(address)
	tk, at := &schema[0], 0
	if inner := tableOf(parts[0].name); inner != nil {
		tk, at = inner, 1
	}
	name := ""
	if tk.named {
		if len(parts) < 2 {
			return nil
		}
		name, at = parts[1].name, 2
	}
	if len(parts) <= at || tk.key(parts[at].name) == nil {
		return nil
	}
	var out []Setting
	for _, t := range s.tables {
		if t.kind != tk || tk.named && name != "*" && name != t.name {
			continue
		}
		key := parts[at].name
		x := Setting{Path: joinPath(t.path, key)}
		if v := t.vals[key]; v != nil {
			x.Text = v.text
		}
		for _, p := range parts[at+1:] {
			x = x.part(p.name)
		}
		out = append(out, x)
	}
	return out
}

// part is what a step, "p99" or "[4]", leads to in a value.
func (x Setting) part(step string) Setting {
	path := x.Path + "." + step
	if strings.HasPrefix(step, "[") {
		path = x.Path + step
	}
	n := parseValue(newSource("", "v = "+x.Text), "v")
	if n == nil {
		return Setting{Path: path}
	}
	if c := n.child(step); c != nil {
		return Setting{path, c.raw()}
	}
	for i, e := range n.elems {
		if step == fmt.Sprintf("[%d]", i) {
			return Setting{path, e.raw()}
		}
	}
	return Setting{Path: path}
}

// FlagProblem is a mistake in a flag at the bytes from one up to another of its text, for flags that change
// scenarios in other ways than --set.
func FlagProblem(name, text string, from, to int, message, hint string) Problem {
	src := newSource(name, text)
	src.flag = true
	from = clamp(from, text)
	p := src.problem(span{from, max(from, clamp(to, text))}, "", message)
	p.Hint = hint
	return p
}
