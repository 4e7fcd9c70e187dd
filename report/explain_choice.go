package report

import (
	"fmt"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// chosen tells a choice: where the attempt goes, by which rule, what was passed over, and the time.
func (t *teller) chosen(e *result.StoryEntry) {
	c := e.Choice
	if !c.Made {
		t.at(e, "a queue is chosen, but the time was up "+exact(-c.LeftNS)+" ago: no attempt", plain)
		t.sub("rule: "+ruleWords(c), plain)
		return
	}
	t.attempt, t.begun, t.of = e.Attempt, e.Attempt, c.Attempts
	t.at(e, fmt.Sprintf("attempt %d of %d: %s, queue %d", e.Attempt, c.Attempts, e.Broker, c.Queue), bold)
	t.sub("rule: "+ruleWords(c), plain)
	if c.Note != "" {
		t.sub("note: "+c.Note, plain)
	}
	if c.Rule == result.RuleCaller {
		t.sub(timeWords(c), plain)
		return
	}
	t.sub("among: "+queueCount(c.Queues)+", "+candidateWords(c.Candidates), plain)
	t.passedOver(c)
	if c.Removed != "" {
		t.sub("fault table: the item of "+c.Removed+" is dropped, it has no queue here", plain)
	}
	if r := c.Rewritten; r != nil {
		t.sub(fmt.Sprintf("queue list: entry %d, which was %s, queue %d, is overwritten with this queue, "+
			"for every thread", r.Place, r.Broker, r.Queue), plain)
	}
	if c.Thrown {
		t.sub("on the way the client throws, catches and logs an exception", plain)
	}
	t.sub(timeWords(c), plain)
}

// timeWords say what is left of the time of a send.
func timeWords(c *result.StoryChoice) string {
	left := "time: " + exact(c.LeftNS) + " left"
	if c.LeftNS < 0 {
		left = "time: it was up " + exact(-c.LeftNS) + " ago; this release makes the attempt all the same"
	} else if c.TimeoutNS != c.LeftNS {
		left += ", of which this attempt may take " + exact(c.TimeoutNS)
	}
	return left
}

// passedOver lists the queues that were looked at and not taken, rule by rule.
func (t *teller) passedOver(c *result.StoryChoice) {
	rule := ""
	for _, s := range c.Skipped {
		head := "passed over:"
		if s.Rule != c.Rule {
			head = "none " + s.Rule + ":"
		}
		if s.Rule != rule {
			t.sub(head, plain)
			rule = s.Rule
		}
		indent := t.column + 6
		t.wrapped(strings.Repeat(" ", indent), skippedWords(s), indent+2, plain)
	}
}

// ruleWords are the rule that chose and its arithmetic.
func ruleWords(c *result.StoryChoice) string {
	words := c.Rule
	if c.ResetIndex {
		words += "; the index begins at a new random place"
	}
	if n := len(c.Index); n > 0 && c.Queues > 0 {
		words += "; " + indexWords(c)
	}
	return words
}

// indexWords are the arithmetic from the thread's index to a queue.
func indexWords(c *result.StoryChoice) string {
	n := len(c.Index)
	first, last := c.Index[0], c.Index[n-1]
	if c.Picked != "" && c.Rule == "pick one at least" {
		item := ""
		if len(c.ItemIndex) > 0 {
			item = fmt.Sprintf(" (index %d into the better half of the table)", c.ItemIndex[0])
		}
		return fmt.Sprintf("it names %s%s; index %d modulo its queues = %d", c.Picked, item, last,
			c.Queue)
	}
	if c.Scan && c.Rule != "last resort" {
		words := modulo(first, c.Queues)
		if on := len(c.Index); on <= skippedQueues(c) {
			words += fmt.Sprintf(", then %d on", skippedQueues(c))
		}
		return words
	}
	if n > 1 {
		return fmt.Sprintf("index %d to %s", first, strings.TrimPrefix(modulo(last, c.Queues), "index "))
	}
	return modulo(last, c.Queues)
}

// modulo is an index folded into the list of queues.
func modulo(v int32, queues int) string {
	pos := int64(v)
	if pos < 0 {
		pos = -pos
	}
	return fmt.Sprintf("index %d; mod %d = %d", v, queues, pos%int64(queues))
}

func skippedQueues(c *result.StoryChoice) int {
	n := 0
	for _, s := range c.Skipped {
		n += s.Queues
	}
	return n
}

// candidateWords are the brokers of the list: "4 on each of a b c", or with different numbers,
// "4 on a, 2 on b".
func candidateWords(list []result.StoryCandidate) string {
	same := len(list) > 1
	var names, each []string
	for _, b := range list {
		same = same && b.Queues == list[0].Queues
		names = append(names, b.Broker)
		each = append(each, strconv.Itoa(b.Queues)+" on "+b.Broker)
	}
	if same {
		return strconv.Itoa(list[0].Queues) + " on each of " + strings.Join(names, " ")
	}
	return strings.Join(each, ", ")
}

// skippedWords are why the queues of a broker were not taken.
func skippedWords(s result.StorySkipped) string {
	words := fmt.Sprintf("%s, %s: %s", s.Broker, queueCount(s.Queues), s.Why)
	if s.UntilNS > 0 {
		words += " until " + moment(s.UntilNS)
	}
	if s.After != "" {
		words += " (" + s.After + " at " + moment(s.AfterNS) + ")"
	}
	return words
}

func queueCount(n int) string {
	if n == 1 {
		return "1 queue"
	}
	return strconv.Itoa(n) + " queues"
}

// updateWords are what the end of an attempt changed in the fault table.
func updateWords(e *result.StoryEntry) string {
	u := e.Update
	words := e.Broker + " took " + exact(u.LatencyNS)
	if u.UsedNS != u.LatencyNS {
		words = fmt.Sprintf("%s failed, so %s is looked up instead of %s", e.Broker,
			exact(u.UsedNS), exact(u.LatencyNS))
	}
	if u.Bucket == 0 {
		words += ", below every level"
	} else {
		words += fmt.Sprintf("; level %d (from %s) gives %s", u.Bucket, exact(u.LimitNS),
			exact(u.DurationNS))
	}
	switch {
	case u.Kept:
		words += "; still not available until " + moment(u.UntilNS) + ", from before"
	case u.UntilNS > 0:
		words += ": not available until " + moment(u.UntilNS)
	case u.Ended:
		words += ": available again"
	default:
		words += ": available"
	}
	switch {
	case u.Turned && u.Reachable:
		words += "; reachable again"
	case u.Turned:
		words += "; not reachable"
	}
	return words
}
