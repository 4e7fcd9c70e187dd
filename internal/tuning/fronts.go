package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// fronts list what is on the Pareto front of each condition on the training seeds, with the numbers of the
// seeds that are reported, and say what is beaten on these.
func (s *study) fronts(id string) (string, error) {
	var b strings.Builder
	b.WriteString("<details><summary>The Pareto front of failures, p99 and starvation</summary>\n\n" +
		"| | failed | p99 | starved |\n|:--|--:|--:|--:|\n")
	for _, t := range s.tables {
		if t.situation.id != id {
			continue
		}
		b.WriteString("| *" + t.words + "* | | | |\n")
		for i, e := range t.front.entries {
			if i == 0 && !t.front.reference {
				continue
			}
			line, err := s.frontLine(t, e)
			if err != nil {
				return "", err
			}
			b.WriteString(line)
		}
	}
	b.WriteString("\n† isolates for longer than the run shows. ‡ beaten on these seeds by another setting." +
		"\n\n</details>\n")
	return b.String(), nil
}

// frontLine is a setting on a front.
func (s *study) frontLine(t *table, e entry) (string, error) {
	line := "| `" + e.set.name + "`"
	if e.set.long {
		line += " †"
	}
	_, by, err := t.beaten(&e.set, func(*setting) bool { return true })
	if err != nil {
		return "", err
	}
	if by != nil {
		line += " ‡"
	}
	switch name := t.called(&e.set); {
	case name == bestHere:
		line += " (best here)"
	case name != "" && s.label(entry{name, e.set}) != named(&e.set):
		line += " (" + s.label(entry{name, e.set}) + ")"
	}
	line += " |"
	v, err := t.front.variant(e.name)
	if err != nil {
		return "", err
	}
	for _, c := range frontColumns {
		r, err := t.front.row(c.metric)
		if err != nil {
			return "", err
		}
		if c.title != "" {
			line += " " + t.front.own(r, v) + " |"
		}
	}
	return line + "\n", nil
}

// fits says whether a client of a family can be set so.
func (x *setting) fits(f family) bool {
	if slices.Contains(x.keys, java498) || f == old {
		return slices.Contains(x.keys, java498) && f == old
	}
	limits := func(key string) bool { return strings.HasPrefix(key, "send_msg_max_timeout_per_request=") }
	return f == newest || !slices.ContainsFunc(x.keys, limits)
}

// ofScenario says whether a key is not one of producers.
func ofScenario(key string) bool {
	name, _, _ := strings.Cut(key, "=")
	return strings.Contains(name, ".")
}

// score is that of an entry on the seeds of the table, by medians.
func (t *table) score(e entry) (score, error) {
	var out score
	v, err := t.variant(e.name)
	if err != nil {
		return out, err
	}
	for _, g := range []struct {
		metric string
		to     *float64
		of     float64
	}{{"success_rate", &out.failed, 1}, {"latency_p99", &out.p99, 1e9}, {"starved_time", &out.starved, 1e9}} {
		r, err := t.row(g.metric)
		if err != nil {
			return out, err
		}
		if x := float64(r.Medians[v]); !math.IsNaN(x) {
			*g.to = x / g.of
		}
	}
	out.failed = 1 - out.failed
	return out, nil
}

// rival is a setting with its score.
type rival struct {
	set *setting
	score
	in *table
	as string // its name there
}

// text is a number of it with its interval.
func (r *rival) text(metric string) (string, error) {
	row, err := r.in.row(metric)
	if err != nil {
		return "", err
	}
	v, err := r.in.variant(r.as)
	if err != nil {
		return "", err
	}
	if text := r.in.own(row, v); text != "–" {
		return text, nil
	}
	return "nothing", nil // it has no table
}

// rivals are the settings that were reported of a cell, in its table or on its front, but for those that
// change the scenario.
func (t *table) rivals() ([]rival, error) {
	var out []rival
	for _, in := range []*table{t, t.front} {
		for i := range in.entries {
			x := &in.entries[i].set
			same := func(r rival) bool { return r.set.name == x.name }
			if slices.ContainsFunc(out, same) || slices.ContainsFunc(x.keys, ofScenario) {
				continue
			}
			a, err := in.score(in.entries[i])
			if err != nil {
				return nil, err
			}
			out = append(out, rival{x, a, in, in.entries[i].name})
		}
	}
	return out, nil
}

// beaten finds, of a setting, itself and the one that beats it most among some, nil if none does: that is
// better in one goal and worse in none. Those for which a run is too short don't count.
func (t *table) beaten(x *setting, among func(*setting) bool) (own, by *rival, err error) {
	all, err := t.rivals()
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(all, func(r rival) bool { return r.set.name == x.name })
	if at < 0 {
		return nil, nil, fmt.Errorf("%s was not reported of %s", x.name, t.name())
	}
	own = &all[at]
	for i := range all {
		y := &all[i]
		beats := y.under(own.score) && !own.under(y.score)
		if beats && !y.set.long && among(y.set) && (by == nil || y.sum() < by.sum()) {
			by = y
		}
	}
	return own, by, nil
}

// sum orders scores as the search does.
func (a score) sum() float64 {
	return ratio(a.failed, 0, littleFailed) + ratio(a.p99, 0, littleP99) + ratio(a.starved, 0, littleStarved)
}

// beaten lists the choices that another setting of the tables of a situation beats on these seeds, though
// their clients can be set so. It is the other side of a choice that is for all situations.
func (s *study) beaten(id string) (string, error) {
	var lines []string
	for _, t := range s.tables {
		if t.situation.id != id {
			continue
		}
		for _, c := range s.choices {
			line, err := beatenChoice(t, c)
			if err != nil {
				return "", err
			}
			if line != "" {
				lines = append(lines, "- *"+t.words+"*: the choice for "+line)
			}
		}
	}
	if len(lines) == 0 {
		return "No choice is beaten here, on these seeds, by another setting that its client can have.", nil
	}
	return "Beaten here, by the medians of these seeds (better in no goal, worse in one), by another setting " +
		"that its client can have:\n\n" + strings.Join(lines, "\n"), nil
}

// beatenTally says how often a choice is beaten: "In 12 of 78 cases".
func (s *study) beatenTally() (string, error) {
	n := 0
	for _, t := range s.tables {
		for _, c := range s.choices {
			line, err := beatenChoice(t, c)
			if err != nil {
				return "", err
			}
			if line != "" {
				n++
			}
		}
	}
	return fmt.Sprintf("in %d of %d cases", n, len(s.tables)*len(s.choices)), nil
}

// beatenChoice says by what a choice is beaten in a cell, and in what; empty if by nothing.
func beatenChoice(t *table, c chosen) (string, error) {
	own, by, err := t.beaten(&c.setting, func(x *setting) bool { return x.fits(c.family) })
	if err != nil || by == nil {
		return "", err
	}
	var words []string
	for _, g := range []struct {
		words, metric string
		better        bool
	}{
		{"failed", "failed", by.failed < own.failed-alikeFailed},
		{"p99", "latency_p99", by.p99 < own.p99*(1-alikeP99)},
		{"starved", "starved_time", by.starved < own.starved-alikeStarved},
	} {
		if !g.better {
			continue
		}
		less, err := by.text(g.metric)
		if err != nil {
			return "", err
		}
		more, err := own.text(g.metric)
		if err != nil {
			return "", err
		}
		words = append(words, g.words+" "+less+" instead of "+more)
	}
	return string(c.family) + " by `" + by.set.name + "` (" + strings.Join(words, ", ") + ")", nil
}
