package report

import (
	"fmt"
	"io"
	"strconv"

	"simrun/internal/result"
)

// ExplainDiff writes where two runs part: what was the same until then, the first thing that differs, the
// first decision of a client that does, and the story of that message in both, one after the other. With
// sources it says of each rule where in RocketMQ's source it is.
func ExplainDiff(w io.Writer, d *result.Divergence, opt TextOptions, sources bool) error {
	p := &page{opt: opt}
	p.fields([]string{d.Title(), "seed " + strconv.FormatUint(d.Seed, 10), "two runs side by side"})
	p.wrapped("A  ", d.A.Label, 3, plain)
	p.wrapped("B  ", d.B.Label, 3, plain)
	p.gap()
	if d.First == nil {
		p.wrapped("", fmt.Sprintf("They do not differ: %s messages were answered alike, up to %s.",
			count(d.Equal), instant(d.ComparedNS)), 0, bold)
		p.budget(d)
		return p.flush(w)
	}
	p.wrapped("", fmt.Sprintf("The same up to %s: %s messages were answered alike.", instant(d.First.AtNS),
		count(d.Equal)), 0, plain)
	p.difference("first difference", d.First)
	switch {
	case d.Decision == nil:
		p.gap()
		p.wrapped("", fmt.Sprintf("No client decides otherwise: %s messages were compared, up to %s.",
			count(d.Messages), instant(d.ComparedNS)), 0, plain)
	case *d.Decision != *d.First:
		p.difference("first decision that differs", d.Decision)
	}
	switch {
	case d.Answer == nil:
		p.gap()
		p.wrapped("", fmt.Sprintf("No caller gets anything else: %s messages were compared, up to %s.",
			count(d.Messages), instant(d.ComparedNS)), 0, plain)
	case *d.Answer != *d.First:
		p.difference("first caller that gets something else", d.Answer)
	}
	p.budget(d)
	if err := p.flush(w); err != nil || d.StoryA == nil && d.StoryB == nil {
		return err
	}
	if err := sideOf(w, "A: "+d.A.Label, d.StoryA, opt, sources); err != nil {
		return err
	}
	return sideOf(w, "B: "+d.B.Label, d.StoryB, opt, sources)
}

// sideOf tells the story of the message in one of the runs.
func sideOf(w io.Writer, name string, s *result.Story, opt TextOptions, sources bool) error {
	p := &page{opt: opt}
	p.line("")
	p.wrapped("", "──── "+name, 0, bold)
	if s == nil {
		p.wrapped("", "This run has no such message.", 0, plain)
	}
	if err := p.flush(w); err != nil || s == nil {
		return err
	}
	return Explain(w, s, opt, sources)
}

// difference tells one thing that differs.
func (p *page) difference(what string, x *result.Difference) {
	p.gap()
	var where string
	if x.What == result.DiffTable {
		where = fmt.Sprintf("the fault table of %s#%d about %s", x.Producer, x.Instance, x.Broker)
		if x.HasMessage {
			where += fmt.Sprintf(", told of %s/%d", x.Producer, x.Message)
		}
	} else {
		where = fmt.Sprintf("%s/%d", x.Producer, x.Message)
		if x.Attempt > 0 {
			where += ", attempt " + strconv.Itoa(x.Attempt)
		}
		where += ": " + differenceWords[x.What]
	}
	p.wrapped("", what+", at "+instant(x.AtNS)+": "+where, 2, bold)
	p.wrapped("  A  ", x.A, 5, plain)
	p.wrapped("  B  ", x.B, 5, plain)
}

// differenceWords say what differs.
var differenceWords = map[string]string{
	result.DiffQueue:   "the queue that is chosen",
	result.DiffAttempt: "one of them makes the attempt, the other does not",
	result.DiffOutcome: "what it comes to",
	result.DiffTime:    "when",
	result.DiffLoad:    "what is to be sent, and when",
	result.DiffFate:    "what becomes of it on the disks",
	result.DiffBudget:  "the time that it may take",
}

// budget tells of attempts that may take another time, if that is not what differs first anyway.
func (p *page) budget(d *result.Divergence) {
	b := d.Budget
	if b == nil {
		return
	}
	p.gap()
	p.wrapped("", fmt.Sprintf("Attempts may take another time from %s on (%s/%d: %s in A, %s in B). That "+
		"alone changes nothing, until one takes so long.", instant(b.AtNS), b.Producer, b.Message,
		b.A, b.B), 0, dim)
}
