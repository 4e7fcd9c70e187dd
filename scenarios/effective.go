package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// effectiveMark begins the line by which a text that Effective wrote is known.
const effectiveMark = "# effective scenario"

// originEnd separates, in the comment behind a value, where it came from and what the default is.
const originEnd = "; default "

// Effective is the scenario with every key that has a value, as canonical TOML that can be run.
// Comments mark the values that are not defaults and say where they came from; the seed has none,
// so that it does not matter how it was given. Loading the text gives the same Config and the same
// text.
func (s *Scenario) Effective() []byte {
	var b bytes.Buffer
	if s.Story != "" {
		fmt.Fprintf(&b, "# %s\n", s.Story)
	}
	fmt.Fprintf(&b, "%s: every value, those that are not defaults with their origin.\n", effectiveMark)
	s.write(&b, true)
	return b.Bytes()
}

// Key is the first 8 hex digits of a hash of the effective scenario, seed included and comments
// excluded: scenarios with one key are the same but for their names and stories.
func (s *Scenario) Key() string {
	var b bytes.Buffer
	s.write(&b, false)
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:4])
}

// WithSeed is the scenario with another seed. It shares everything else with s.
func (s *Scenario) WithSeed(seed uint64) *Scenario {
	c := *s
	c.Config.Seed = seed
	top := *s.tables[0]
	top.vals = make(map[string]*value, len(s.tables[0].vals))
	for name, v := range s.tables[0].vals {
		top.vals[name] = v
	}
	v := *top.vals["seed"]
	v.v, v.text = seed, seedText(seed)
	top.vals["seed"] = &v
	c.tables = slices.Clone(s.tables)
	c.tables[0] = &top
	return &c
}

// write writes the tables, with or without comments.
func (s *Scenario) write(b *bytes.Buffer, comments bool) {
	for _, t := range s.tables {
		b.WriteByte('\n')
		if t.path != "" {
			fmt.Fprintf(b, "[%s]\n", t.path)
		}
		width, valueWidth := t.widths()
		for i := range t.kind.keys {
			k := &t.kind.keys[i]
			v := t.vals[k.name]
			if v.text == "" {
				continue
			}
			line := fmt.Sprintf("%-*s = %s", width, k.name, v.text)
			if c := comment(k, v); comments && c != "" {
				pad := max(0, width+3+valueWidth-len(line))
				line += strings.Repeat(" ", pad) + "  # " + c
			}
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
}

// maxAligned is the longest value behind which comments are still aligned.
const maxAligned = 30

// widths are those of the longest key, and of the longest value to align comments behind.
func (t *table) widths() (key, val int) {
	for i := range t.kind.keys {
		name := t.kind.keys[i].name
		if text := t.vals[name].text; text != "" {
			key = max(key, len(name))
			if len(text) <= maxAligned {
				val = max(val, len(text))
			}
		}
	}
	return key, val
}

// comment says where a value that is not the default came from.
func comment(k *key, v *value) string {
	switch {
	case k.name == "seed" || v.origin == "" || v.text == v.def:
		return ""
	case v.def == "":
		return v.origin
	default:
		return v.origin + originEnd + v.def
	}
}
