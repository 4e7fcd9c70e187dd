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
	t.fields([]string{
		"message " + count(int64(s.Message)) + " of " + s.Producer,
		"instance " + strconv.Itoa(s.Instance), s.Client, avoidance,
		"scheduled at " + instant(s.ScheduledNS),
	})
	for _, l := range wrap([]string{
		s.Scenario, "seed " + strconv.FormatUint(s.Seed, 10), "phase " + s.Phase,
		"one of " + count(int64(s.Messages)) + " messages",
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
	switch e.Kind {
	case result.StoryChosen:
		t.chosen(e)
	case result.StoryEnded:
		k := good
		if e.Outcome != "SEND_OK" {
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
			t.at(e, t.whose(e)+words, plain)
		}
	}
	if t.sources && e.Source != "" {
		t.sub("source: "+e.Source, dim)
	}
	return n
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

// missedWords say why something did not come through.
func missedWords(e *result.StoryEntry) string {
	switch e.Kind {
	case result.StoryRequestMissed:
		return "the request does not come to " + e.Broker + faultWords(e)
	case result.StoryResponseMissed:
		return "the answer of " + e.Broker + " does not come through" + faultWords(e)
	}
	return e.Broker + " has no power" + faultWords(e)
}

func faultWords(e *result.StoryEntry) string {
	if len(e.Faults) == 0 {
		return ""
	}
	return " (" + strings.Join(e.Faults, ", ") + ")"
}

// words are those of an entry that needs one line; none for one that another entry tells better.
func (t *teller) words(e *result.StoryEntry) string {
	switch e.Kind {
	case result.StoryTaken:
		if e.SpanNS == 0 {
			return ""
		}
		return fmt.Sprintf("one of the %d threads is free, after %s", t.story.Threads,
			duration(e.SpanNS))
	case result.StoryRouteAsked:
		return "no queue is known: the thread asks the name server itself"
	case result.StoryRouteCame:
		return "the name server has answered"
	case result.StoryRouteMissed:
		return "no name server has answered: the thread throws"
	case result.StoryStored:
		return storedWords(e)
	case result.StoryFate:
		return fateWords(e)
	case result.StoryAnswered:
		attempts := "1 attempt"
		if e.N != 1 {
			attempts = strconv.Itoa(e.N) + " attempts"
		}
		return fmt.Sprintf("the caller gets %s, after %s and %s", e.Outcome, duration(e.SpanNS), attempts)
	}
	if words := clientWords(e); words != "" {
		return words
	}
	return serverWords(e)
}

// clientWords are those of what happens on the client's side of the wire.
func clientWords(e *result.StoryEntry) string {
	switch e.Kind {
	case result.StoryNoMaster:
		return "no address of a master of " + e.Broker + " is known"
	case result.StoryConnectBegan:
		return "no connection to " + e.Broker + ": the thread connects"
	case result.StoryConnectJoined:
		return "another thread is connecting to " + e.Broker + ": this one waits for that"
	case result.StoryConnected:
		return "connected"
	case result.StoryConnectRefused:
		return "the connection is refused"
	case result.StoryConnectTimedOut:
		return "connecting took too long"
	case result.StoryNothingLeft:
		return "no time is left for a request: nothing is written"
	case result.StoryWritten:
		if e.SpanNS == 0 {
			return "request written; no time is left for an answer"
		}
		return "request written; " + exact(e.SpanNS) + " for the answer"
	case result.StoryResponseLate:
		return "the answer arrives, and nobody waits for it"
	case result.StoryWaitOver:
		return "the time for the answer is over; the thread has yet to wake up"
	case result.StoryClosedItself:
		return "its timeout closes the connection to " + e.Broker + " under all that use it"
	case result.StorySparedConnection:
		return "a wait as short as that leaves the connection open"
	case result.StoryResetCame:
		return "RST arrives"
	case result.StoryClosedByTimeout:
		return "a timeout of another request closes the connection under it"
	case result.StoryClosedByReset:
		return "the connection is closed under all that use it"
	case result.StoryClosedByPeer:
		return "FIN of " + e.Broker + ": the connection is closed under it"
	case result.StoryLeftByPeer:
		return "FIN of " + e.Broker + ": the connection is closed, but this release lets it wait"
	}
	return ""
}

// serverWords are those of what happens on the broker's side.
func serverWords(e *result.StoryEntry) string {
	switch e.Kind {
	case result.StoryHostGone:
		return "the client has closed the connection meanwhile" + faultWords(e) + ": TCP gives up"
	case result.StoryProcessGone:
		return e.Broker + " does not run, or not any more" + faultWords(e) + ": its host answers RST"
	case result.StoryProcessPaused:
		return e.Broker + " is paused" + faultWords(e) + ": the request waits in its socket buffer"
	case result.StoryAccepted:
		return "a send thread of " + e.Broker + " begins" + faultWords(e)
	case result.StoryQueued:
		words := "all send threads of " + e.Broker + " are busy" + faultWords(e)
		switch e.N {
		case 0:
			return words + ": it is the next"
		case 1:
			return words + ": it waits behind 1 other"
		}
		return fmt.Sprintf("%s: it waits behind %d others", words, e.N)
	case result.StoryFrozen:
		return e.Broker + " is paused" + faultWords(e) + ": its send thread stands still"
	case result.StoryDropped:
		return "the request dies with " + e.Broker + faultWords(e)
	case result.StoryAwaitsFsync:
		return "the answer waits for the disk"
	case result.StoryResponded:
		return e.Broker + " answers " + e.Outcome
	}
	return ""
}

func storedWords(e *result.StoryEntry) string {
	if e.N == 1 {
		return "stored in the page cache of " + e.Broker
	}
	return fmt.Sprintf("stored once more, on %s: copy %d", e.Broker, e.N)
}

// fateWords tell a turn of the message's fate; that it is at risk goes without saying once it is
// stored.
func fateWords(e *result.StoryEntry) string {
	switch e.To {
	case "durable":
		if e.N > 0 {
			return "fsynced on " + e.Broker + ", by its master or a slave: durable"
		}
		return "fsynced on " + e.Broker + ": durable"
	case "lost":
		return "the copy on " + e.Broker + " is gone, and there is no other: lost"
	case "stranded":
		return "only a slave of " + e.Broker + " still has it and will never serve it: stranded"
	case "at_risk":
		if e.From != "never_stored" {
			return "only page caches have it now: at risk"
		}
	}
	return ""
}

// ending says where the time went and what became of the message.
func (t *teller) ending() {
	s := t.story
	if s.AnsweredNS == nil {
		t.wrapped("", "No answer before the run ends at "+instant(s.EndNS)+".", 0, bad)
	} else {
		t.wrapped("", duration(*s.AnsweredNS-s.ScheduledNS)+" = "+partsWords(s.Parts), 0, bold)
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
	t.wrapped("", "At the end of the run: "+copies+"; "+strings.ReplaceAll(s.Fate, "_", " ")+".", 0, k)
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
