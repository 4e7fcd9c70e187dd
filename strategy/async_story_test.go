package strategy

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// asyncCommand runs the commands of a story about asynchronous sends. Each prints the next attempt,
// or what the callback got.
func (s *ship) asyncCommand(
	t *testing.T, d *datadriven.TestData, cmd string, args []string,
	arg func(key, otherwise string) string,
) string {
	th := &s.threads[s.thread(t, d, arg)]
	a := &s.async
	switch cmd {
	case "async":
		// async [to=b2] [left=2s] [thread=1]: begins a send, to a queue of the caller's choice if one
		// is given.
		left := millis(t, d, arg("left", "3s"))
		to := arg("to", "")
		if to == "" {
			return s.after(a.Begin(s.now, left, s.policy, &s.profile, &s.settings, s.route, th, s,
				&s.trace))
		}
		q := Queue{Broker: s.broker(t, d, to[:1]), ID: int32(to[1] - '0')}
		return s.after(a.BeginFixed(s.now, left, s.policy, &s.profile, &s.settings, q, &s.trace))
	case "handed":
		// handed: the hand-over is over.
		a.Handed(s.now)
		return s.table()
	case "threw":
		// threw connect-failed [thread=1]: the network did not take the attempt.
		return s.after(a.Threw(s.now, storyOutcome(t, d, args[0]), th, s))
	case "ended":
		// ended timeout [written=5ms] [thread=1]: an attempt ended, written so long after it began.
		written := a.from + millis(t, d, arg("written", "0ms"))
		return s.after(a.Ended(s.now, written, storyOutcome(t, d, args[0]), th, s))
	default:
		d.Fatalf(t, "unknown command %q", cmd)
		return ""
	}
}

// after prints the next attempt of an asynchronous send, or what the callback got.
func (s *ship) after(a Attempt, more bool) string {
	if more {
		return fmt.Sprintf("%s within %dms\n", s.queue(a.Queue), a.Timeout)
	}
	if s.async.Callbacks() == 0 {
		return "= nobody is told\n"
	}
	out := "= " + s.result(s.async.Result())
	if n := s.async.Callbacks(); n > 1 {
		out += fmt.Sprintf(", callback number %d", n)
	}
	return out + "\n"
}
