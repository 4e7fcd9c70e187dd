package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// Explain writes the life of one message: what happened when, why each queue was chosen, what the
// fault table learned, and on the last lines where the time went and what became of the message. With
// sources it says of each rule where in RocketMQ's source it is.
func Explain(w io.Writer, s *result.Story, opt TextOptions, sources bool) error {
	t := &teller{page: &page{opt: opt}, story: s, sources: sources}
	t.column = runes(instant(s.EndNS))
	t.header()
	t.gap()
	for i := 0; i < len(s.Entries); {
		i += t.entry(s.Entries[i:])
	}
	t.gap()
	t.ending()
	return t.flush(w)
}

// teller is a page on which a story is told.
type teller struct {
	*page
	story   *result.Story
	sources bool
	column  int // width of the times
	said    string
	// attempt is the one under way, 0 between attempts.
	attempt int
	// begun is the last attempt that began, of is how many there may be.
	begun, of int
}

// moment is a point of simulated time on a client's clock, to the millisecond: "20.411s".
func moment(ns int64) string {
	ms := (ns + 500_000) / 1_000_000
	return fmt.Sprintf("%d.%03ds", ms/1e3, ms%1e3)
}

// instant is a point of simulated time, to the microsecond: "20.411300s".
func instant(ns int64) string {
	us := (ns + 500) / 1000
	return fmt.Sprintf("%d.%06ds", us/1e6, us%1e6)
}

func (t *teller) header() {
	s := t.story
	avoidance := "avoidance off"
	if s.Avoidance {
		avoidance = "avoidance on"
	}
	topic, batch, one := "", "", "message"
	if s.Topic != "" {
		topic = "topic " + s.Topic
	}
	if s.Batch > 1 {
		batch, one = "a batch of "+strconv.Itoa(s.Batch), "send"
	}
	t.fields([]string{
		one + " " + count(int64(s.Message)) + " of " + s.Producer, topic, batch,
		"instance " + strconv.Itoa(s.Instance), s.Client, modeWords(s.Mode), avoidance,
		"scheduled at " + instant(s.ScheduledNS),
	})
	all := ""
	if s.Messages > 0 {
		all = "one of " + count(int64(s.Messages)) + " " + one + "s"
	}
	for _, l := range wrap([]string{
		s.Title(), "seed " + strconv.FormatUint(s.Seed, 10), "phase " + s.Phase, all,
	}, " · ", t.opt.width()) {
		t.line(t.paint(l, dim))
	}
	if s.Why != "" {
		t.wrapped("", whyWords(s.Why), 0, dim)
	}
}

// whyWords says what a message was picked for.
func whyWords(why string) string {
	switch why {
	case "slowest":
		return "picked: none after the warm-up took longer"
	case "lost":
		return "picked: the first after the warm-up that was acknowledged and then lost"
	case "failed":
		return "picked: the first after the warm-up whose caller got an exception"
	case "duplicated":
		return "picked: the first after the warm-up of which more than one copy was stored"
	}
	return "picked: the first after the warm-up that was " + why
}

// entry tells the first of some entries and returns how many of them that took.
func (t *teller) entry(list []result.StoryEntry) int {
	e, n := &list[0], 1
	if e.Attempt > t.begun && t.begun > 0 && e.Kind != result.StoryChosen {
		t.sameQueue(e)
	}
	switch e.Kind {
	case result.StoryChosen:
		t.chosen(e)
	case result.StoryEnded:
		k := good
		if e.Outcome != "SEND_OK" && e.Outcome != "HANDED_OVER" {
			k = bad
		}
		t.at(e, e.Outcome+" after "+duration(e.SpanNS), k)
		t.attempt = 0
	case result.StoryUpdated:
		t.at(e, "fault table: "+updateWords(e), plain)
	case result.StoryHostSilent, result.StoryRequestMissed, result.StoryResponseMissed:
		n = t.silence(list)
	default:
		if words := t.words(e); words != "" {
			t.at(e, t.whose(e)+t.inGo(e, words), plain)
		}
	}
	if t.sources && e.Source != "" {
		t.sub("source: "+e.Source, dim)
	}
	return n
}

// sameQueue tells an attempt for which nobody chose a queue: it goes where the one before went.
func (t *teller) sameQueue(e *result.StoryEntry) {
	t.begun, t.attempt = e.Attempt, e.Attempt
	t.at(e, fmt.Sprintf("attempt %d of %d: the same queue again", e.Attempt, t.of), bold)
}

// inGo calls a thread of the Go client a goroutine. Those of brokers stay threads.
func (t *teller) inGo(e *result.StoryEntry, words string) string {
	if !strings.HasPrefix(t.story.Client, "go-") || serverWords(e) != "" {
		return words
	}
	return strings.ReplaceAll(words, "thread", "goroutine")
}

// at writes a line with the time of an entry in front, unless the line above has the same.
func (t *teller) at(e *result.StoryEntry, text string, k ink) {
	when := instant(e.AtNS)
	lead := pad(when, t.column, true) + "  "
	if when == t.said {
		lead = strings.Repeat(" ", t.column+2)
	}
	t.said = when
	t.wrapped(lead, text, t.column+2, k)
}

// sub writes a line that belongs to the one above.
func (t *teller) sub(text string, k ink) {
	indent := t.column + 4
	t.wrapped(strings.Repeat(" ", indent), text, indent, k)
}

// whose names the attempt of an entry if it is not the one under way.
func (t *teller) whose(e *result.StoryEntry) string {
	if e.Attempt == 0 || e.Attempt == t.attempt {
		return ""
	}
	return "attempt " + strconv.Itoa(e.Attempt) + ": "
}

// silence folds what TCP sends again, because nothing acknowledges it, into one line.
func (t *teller) silence(list []result.StoryEntry) int {
	e := &list[0]
	gaps := []string{exact(e.SpanNS)}
	n := 1
	for n < len(list) && list[n].Kind == e.Kind && list[n].Attempt == e.Attempt {
		gaps = append(gaps, exact(list[n].SpanNS))
		n++
	}
	t.at(e, fmt.Sprintf("%s%s: silence; TCP sends again after %s", t.whose(e), missedWords(e),
		strings.Join(gaps, ", ")), plain)
	return n
}

// ending says where the time went and what became of the message.
func (t *teller) ending() {
	s := t.story
	if s.AnsweredNS == nil {
		t.wrapped("", "No answer before the run ends at "+instant(s.EndNS)+".", 0, bad)
	} else {
		t.wrapped("", duration(*s.AnsweredNS-s.ScheduledNS)+sumWord(s)+partsWords(s.Parts), 0, bold)
	}
	copies := "no copy was stored"
	switch {
	case s.Copies == 1:
		copies = "one copy was stored"
	case s.Copies > 1:
		copies = strconv.Itoa(s.Copies) + " copies were stored"
	}
	k := plain
	if s.Fate == "lost" || s.Fate == "stranded" {
		k = bad
	}
	when := "At the end of the run"
	if s.CutNS > 0 {
		when = "When the run was left, at " + instant(s.CutNS)
	}
	t.wrapped("", when+": "+copies+"; "+strings.ReplaceAll(s.Fate, "_", " ")+".", 0, k)
}

// sumWord joins a time with its parts: attempts of one message that run side by side are more than it.
func sumWord(s *result.Story) string {
	left := *s.AnsweredNS - s.ScheduledNS
	for _, p := range s.Parts {
		left -= p.SpanNS
	}
	if left < 0 {
		return ", with attempts side by side: "
	}
	return " = "
}

// partsWords add up where the time went.
func partsWords(parts []result.StoryPart) string {
	var words []string
	for _, p := range parts {
		switch p.What {
		case result.PartThread:
			words = append(words, duration(p.SpanNS)+" until a thread was free")
		case result.PartRoute:
			words = append(words, duration(p.SpanNS)+" asking the name server")
		case result.PartClient:
			words = append(words, duration(p.SpanNS)+" in the client, between attempts")
		case result.PartPause:
			words = append(words, duration(p.SpanNS)+" before its caller sent it again")
		case result.PartAttempt:
			how := p.Outcome
			if p.ConnectNS > 0 {
				how += ", " + duration(p.ConnectNS) + " of it connecting"
			}
			words = append(words, fmt.Sprintf("%s at %s (%s)", duration(p.SpanNS), p.Broker, how))
		}
	}
	if len(words) == 0 {
		return "no attempt"
	}
	return strings.Join(words, " + ")
}
