package report

import (
	"fmt"
	"strconv"

	"simrun/internal/result"
)

// unawaitedWords are those of what happens to asynchronous and one-way sends only.
func unawaitedWords(e *result.StoryEntry) string {
	switch e.Kind {
	case result.StorySubmitted:
		if e.N == 0 {
			return "an executor takes it: a thread of its own sends it"
		}
		return "an executor takes it: it waits for a thread, behind " + others(e.N)
	case result.StoryPermitAwaited:
		return "the permits of backpressure are used up: the caller waits"
	case result.StoryCallbackQueued:
		return "it is over, but every thread that runs callbacks is at work: it waits, behind " + others(e.N)
	case result.StoryScanFound:
		return "a scan finds that the time for the answer has been over for a second"
	case result.StoryAskedNameServer:
		return "no address of a master of " + e.Broker + " is known: the request goes to the name server"
	case result.StoryConnectsAside:
		return "no connection to " + e.Broker + ": one is made, and no thread waits for it"
	case result.StoryHandedOver:
		return "the request is handed to the socket; nobody asks for an answer"
	case result.StoryNotAnswered:
		return e.Broker + " is done with it, " + e.Outcome + ", and nobody is told"
	case result.StoryLostUntold:
		return "it never gets a connection, and nobody is told"
	case result.StoryCalledBackAgain:
		return "the callback has run " + strconv.Itoa(e.N) + " times"
	}
	return ""
}

func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}
