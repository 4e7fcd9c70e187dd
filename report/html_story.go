package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// exemplarKind are the exemplars of a kind, under one heading.
type exemplarKind struct {
	Title, What string
	List        []exemplarView
}

// exemplarView is a message with its facts, and its story or the command that tells it.
type exemplarView struct {
	Head    string
	Facts   []string
	Like    string
	Story   *storyView
	Command string
}

// storyView is a story as Explain tells it.
type storyView struct {
	About  []inkedText
	Steps  []storyStep
	Ending []inkedText
}

// storyStep is what happened at one moment.
type storyStep struct {
	When  string
	Lines []storyLine
}

type storyLine struct {
	Text inkedText
	Sub  bool
}

var exemplarKinds = []struct{ kind, title, what string }{
	{result.ExemplarLost, "Lost", "acknowledged, and no copy will be served again"},
	{result.ExemplarFailed, "Failed", "the caller got an exception"},
	{result.ExemplarDuplicated, "Duplicated", "more than one copy was stored"},
	{result.ExemplarMissed, "Missed", "handed over one-way, and nothing is left of it"},
	{result.ExemplarSlowest, "Slowest", "none took longer"},
}

// exemplars are the messages that the page tells of; ref is how explain finds the run.
func exemplars(r *result.Run, ref string) []exemplarKind {
	var out []exemplarKind
	for _, k := range exemplarKinds {
		kind := exemplarKind{Title: k.title, What: k.what}
		for i := range r.Exemplars {
			if x := &r.Exemplars[i]; x.Kind == k.kind {
				kind.List = append(kind.List, exemplarOf(r, x, ref))
			}
		}
		if len(kind.List) > 0 {
			out = append(out, kind)
		}
	}
	return out
}

func exemplarOf(r *result.Run, x *result.Exemplar, ref string) exemplarView {
	v := exemplarView{Head: "message " + count(int64(x.Message)) + " of " + x.Producer}
	took := "no answer before the run ended"
	if x.LatencyNS != nil {
		took = x.Answer + " after " + duration(*x.LatencyNS)
	}
	v.Facts = []string{
		took, plural(int64(x.Attempts), "attempt"), strings.ReplaceAll(x.Fate, "_", " "),
		"scheduled at " + moment(x.ScheduledNS) + " in " + x.Phase,
	}
	if x.Copies > 1 {
		v.Facts = slices.Insert(v.Facts, 2, count(int64(x.Copies))+" copies")
	}
	reason := x.Reason
	if reason == x.Answer {
		reason = ""
	}
	if x.Like > 1 {
		v.Like = strings.TrimSuffix("one of "+count(x.Like)+" like it: "+reason, ": ")
	} else {
		v.Like = reason
	}
	for i := range r.Stories {
		if s := &r.Stories[i]; s.Producer == x.Producer && s.Message == x.Message {
			v.Story = storyViewOf(s)
			break
		}
	}
	v.Command = "simrun explain " + ref + " --message " + strconv.FormatUint(x.Message, 10)
	if len(r.Setup.Producers) > 1 {
		v.Command += " --producer " + x.Producer
	}
	return v
}

var storyTime = regexp.MustCompile(`^ *(\d+\.\d{6}s)  (.*)$`)

// storyViewOf takes the text of Explain apart: lines about the message, the steps with their times, and how
// it ended. A line that it does not know the shape of it keeps as it is.
func storyViewOf(s *result.Story) *storyView {
	const unbounded = 1 << 20
	var b strings.Builder
	if err := Explain(&b, s, TextOptions{Width: unbounded, Color: true}, true); err != nil {
		return nil // a builder takes everything
	}
	parts := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n\n")
	v := &storyView{About: inkedLines(parts[0])}
	if n := len(parts); n > 1 {
		v.Ending = inkedLines(parts[n-1])
		v.Steps = storySteps(strings.Join(parts[1:n-1], "\n"))
	}
	return v
}

func inkedLines(s string) []inkedText {
	var out []inkedText
	for l := range strings.Lines(s) {
		out = append(out, inked(strings.TrimSpace(l)))
	}
	return out
}

func storySteps(body string) []storyStep {
	var steps []storyStep
	column := 0
	for l := range strings.Lines(body) {
		l = strings.TrimRight(l, "\n")
		if m := storyTime.FindStringSubmatch(l); m != nil {
			column = len(l) - len(m[2])
			steps = append(steps, storyStep{When: m[1], Lines: []storyLine{{Text: inked(m[2])}}})
			continue
		}
		if len(steps) == 0 {
			steps = append(steps, storyStep{})
		}
		bare := strings.TrimLeft(l, " ")
		last := &steps[len(steps)-1]
		last.Lines = append(last.Lines, storyLine{Text: inked(bare), Sub: len(l)-len(bare) > column})
	}
	return steps
}

// explainRef is how explain finds the run again: the scenario that comes with the program with what was
// changed, or the directory of results.
func explainRef(m *result.Manifest) string {
	if !m.Scenario.Shipped {
		return "."
	}
	ref := fmt.Sprintf("%s --seed %d", m.Scenario.Name, m.Seed)
	for _, word := range m.Flags() {
		ref += " " + ShellQuote(word)
	}
	return ref
}

// reproduce is the command that makes the run again, and where to give it and what it does. What does not
// come with the program is made again from the effective scenario beside the page, which has the seed.
func reproduce(m *result.Manifest) (command, where string) {
	if m.Scenario.Shipped {
		command = "simrun run " + explainRef(m)
		if m.NoExpect {
			command += " --no-expect"
		}
		return command, "anywhere: the scenario comes with the program"
	}
	return "simrun verify .", "in the directory of this page: it makes the run of " + ScenarioFile +
		" again, and compares; it writes nothing. To keep it as well: simrun run ./" + ScenarioFile + " -o DIR"
}

// ShellQuote writes a word so that a POSIX shell reads it as it is.
func ShellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./=:,+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
