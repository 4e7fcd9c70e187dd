package strategy

import (
	"strconv"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// onceCommand runs the commands of a story about sends of one attempt. Each prints the attempt, or what
// the caller gets.
func (s *ship) onceCommand(
	t *testing.T, d *datadriven.TestData, cmd string, args []string,
	arg func(key, otherwise string) string,
) string {
	o := &s.once
	began := s.now - millis(t, d, arg("looked-up", "0ms"))
	switch cmd {
	case "oneway":
		// oneway [looked-up=2s] [thread=1]: begins a one-way send, after a look-up that took so long.
		th := &s.threads[s.thread(t, d, arg)]
		return s.afterOnce(o.Begin(began, s.now, s.policy, &s.profile, &s.settings, s.route, th, s,
			&s.trace))
	case "fixed":
		// fixed to=b2 [looked-up=2s]: begins a send to a queue of the caller's choice.
		to := arg("to", "")
		q := Queue{Broker: s.broker(t, d, to[:1]), ID: int32(to[1] - '0')}
		return s.afterOnce(o.BeginFixed(began, s.now, &s.profile, &s.settings, q, &s.trace))
	case "selected":
		// selected key=-7 | nothing=true [looked-up=2s]: begins a send with a selector by hash, or one
		// that returns null.
		var sel QueueSelector = SelectByHash{Rule: s.profile.SelectByHash}
		if arg("nothing", "") == "true" {
			sel = selectNothing{}
		}
		return s.afterOnce(o.BeginSelected(began, s.now, &s.profile, &s.settings, sel,
			key(t, d, arg("key", "0")), s.route, s, &s.trace))
	case "done":
		// done handed-over: ends the attempt.
		o.Done(s.now, storyOutcome(t, d, args[0]))
		return "= " + s.result(o.Result()) + "\n"
	default:
		return s.asyncCommand(t, d, cmd, args, arg)
	}
}

func (s *ship) afterOnce(a Attempt, more bool) string {
	if more {
		return s.queue(a.Queue) + " within " + formatMillis(a.Timeout) + "\n"
	}
	return "= " + s.result(s.once.Result()) + "\n"
}

// selectNothing is a selector that returns null.
type selectNothing struct{}

func (selectNothing) SelectQueue([]Queue, int32, Broker, Source) (Queue, bool) {
	return Queue{}, false
}

func key(t *testing.T, d *datadriven.TestData, word string) int32 {
	n, err := strconv.ParseInt(word, 10, 32)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return int32(n)
}
