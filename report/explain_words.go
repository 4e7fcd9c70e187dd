package report

import (
	"fmt"
	"strconv"
	"strings"

	"simrun/internal/result"
)

func faultWords(e *result.StoryEntry) string {
	if len(e.Faults) == 0 {
		return ""
	}
	return " (" + strings.Join(e.Faults, ", ") + ")"
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
	case result.StorySendsAgain:
		return fmt.Sprintf("the send has failed; its caller sends it again after %s (resend %d)",
			duration(e.SpanNS), e.N)
	case result.StoryTooLarge:
		return "it is larger than max_message_size: the client throws"
	case result.StoryStored:
		return storedWords(e)
	case result.StoryFate:
		return fateWords(e)
	case result.StoryAnswered:
		attempts := "1 attempt"
		if e.N != 1 {
			attempts = strconv.Itoa(e.N) + " attempts"
		}
		return t.answerer(e) + ", after " + duration(e.SpanNS) + " and " + attempts
	}
	if words := clientWords(e); words != "" {
		return words
	}
	if words := unawaitedWords(e); words != "" {
		return words
	}
	return serverWords(e)
}

// answerer says who gets the answer, and which.
func (t *teller) answerer(e *result.StoryEntry) string {
	switch {
	case e.Outcome == "HANDED_OVER":
		return "the caller goes on and knows no more than HANDED_OVER"
	case t.story.Mode == "async":
		return "the callback gets " + e.Outcome
	}
	return "the caller gets " + e.Outcome
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
	case result.StoryAwaitsDial:
		return "the client dials another connection, and dials one at a time: it waits for its turn"
	case result.StoryWriteFailed:
		return "its time is over, so the write fails, and that closes the connection to " + e.Broker
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
	case result.StoryKeptConnection:
		return "this release leaves the connection open after a timeout"
	case result.StoryIdleClosed:
		return "the connection to " + e.Broker + " was idle for two minutes, and closed"
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
	case result.StoryLeftByReset:
		return "the connection is closed, but this release lets it wait"
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
	case result.StoryRefused:
		return e.Broker + " does not store it" + faultWords(e) + ": " + refusalWords[e.Outcome]
	case result.StoryAwaitsLock:
		return "its send thread waits for the put lock of " + e.Broker + faultWords(e)
	case result.StoryAwaitsDisk:
		return "its send thread has the put lock of " + e.Broker + ", and the disk does not answer" +
			faultWords(e)
	case result.StoryAwaitsFsync:
		return "the answer waits for the disk"
	case result.StoryAwaitsSlaves:
		return "the answer waits for slaves" + faultWords(e)
	case result.StoryResponded:
		return e.Broker + " answers " + e.Outcome
	}
	return ""
}

// refusalWords are the reasons of a broker that does not store a message.
var refusalWords = map[string]string{
	"page cache busy":             "the put lock is held for too long (page cache busy)",
	"pool empty":                  "no buffer of the transient store pool is left",
	"queue full":                  "its send queue is full",
	"page cache busy, queued":     "fast failure empties the queue, the put lock is held for too long",
	"time in queue":               "fast failure: it has waited for a send thread for too long",
	"page cache busy, at the put": "the put lock is held for too long (page cache busy)",
	"disk full":                   "its disk is full",
}

func storedWords(e *result.StoryEntry) string {
	if e.N == 1 {
		return "stored in the page cache of " + e.Broker
	}
	why := "an attempt that ended with " + e.Outcome + " had stored one, too"
	if e.Late {
		why = "the client had given this attempt up, with " + e.Outcome
	}
	return fmt.Sprintf("stored once more, on %s: copy %d; %s", e.Broker, e.N, why)
}

// causeWords say why a copy is gone.
func causeWords(e *result.StoryEntry) string {
	if e.Cause == "" {
		return ","
	}
	return ", " + result.LossWords(e.Cause) + faultWords(e) + ","
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
		return "the copy on " + e.Broker + " is gone" + causeWords(e) + " and there is no other: lost"
	case "stranded":
		words := "only a slave of " + e.Broker + " still has it and will never serve it: stranded"
		if e.Cause == "" {
			return words
		}
		return "the copy on " + e.Broker + " is gone" + causeWords(e) + " and " + words
	case "at_risk":
		if e.From != "never_stored" {
			return "only page caches have it now: at risk"
		}
	}
	return ""
}
