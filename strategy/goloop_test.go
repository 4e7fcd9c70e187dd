package strategy

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestGoStories runs the scripts of testdata/go, one for each quirk of the Go client. Every command
// runs in every release, as in TestStories.
func TestGoStories(t *testing.T) {
	datadriven.Walk(t, "testdata/go", func(t *testing.T, path string) {
		var ships []*goShip
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "producers" {
				// producers [selector=hash] [one-way] [index=4294967295] [send_msg_timeout=1s]
				// [retry_times=1]: one of each release, with the settings that nobody changed.
				ships = nil
				for _, release := range GoReleases() {
					ships = append(ships, newGoShip(t, d, release))
				}
				return "ok\n"
			}
			return goEach(ships, func(s *goShip) string { return s.command(t, d) })
		})
	})
}

// goEach runs a command in every release and groups the releases by what they said.
func goEach(ships []*goShip, run func(*goShip) string) string {
	var answers []string
	groups := map[string][]string{}
	for _, s := range ships {
		a := run(s)
		if !slices.Contains(answers, a) {
			answers = append(answers, a)
		}
		groups[a] = append(groups[a], s.profile.Release)
	}
	if len(answers) == 1 {
		return orOK(answers[0])
	}
	var out strings.Builder
	for _, a := range answers {
		fmt.Fprintf(&out, "%s:\n", spans(GoReleases(), groups[a]))
		for line := range strings.Lines(orOK(a)) {
			out.WriteString("  " + line)
		}
	}
	return out.String()
}

// goShip is one release's producer. What it shares with those of the Java client is in ship.
type goShip struct {
	ship
	profile  GoProfile
	selector QueueSelector
	key      int32
	mode     GoMode
	loop     GoLoop
}

func newGoShip(t *testing.T, d *datadriven.TestData, release string) *goShip {
	p, err := LookupGo(release)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	s := &goShip{profile: p, ship: ship{names: storyBrokers, settings: GoDefaultSettings()}}
	robin := &SelectGoRoundRobin{Rule: p.Index}
	s.selector = robin
	for _, a := range d.CmdArgs {
		value := strings.Join(a.Vals, "")
		switch a.Key {
		case "one-way":
			s.mode = GoOneWay
		case "async":
			s.mode = GoAsync
		case "selector":
			s.selector = map[string]QueueSelector{
				"hash": SelectGoHash{}, "random": SelectByRandom{}, "none": SelectByHash{HashAbsFirst},
			}[value]
		case "key":
			s.key = GoHash(value)
		case "index":
			v, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			robin.StartAt(uint32(v))
		case "send_msg_timeout":
			s.settings.SendMsgTimeout, err = parseMillis(value)
		case "retry_times":
			s.settings.RetryTimesWhenSendFailed, err = strconv.Atoi(value)
		}
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	return s
}

func (s *goShip) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "route", "draw":
		var words []string
		for _, a := range d.CmdArgs {
			words = append(words, a.String())
		}
		return s.ship.command(t, d, d.Cmd, words, "")
	case "no-route":
		s.route = nil
		return ""
	case "send":
		// send
		// connect-failed 3s
		// ----
		//
		// A whole send; each line is how the next attempt ends, and after what time. A line that
		// begins with a broker is how every attempt on it ends.
		return s.send(t, d)
	case "async":
		// async a broker-error:2: what the caller of SendAsync gets if its attempt on a ends so.
		b := s.broker(t, d, d.CmdArgs[0].Key)
		return s.result(GoAsyncResult(&s.profile, b, storyOutcome(t, d, d.CmdArgs[1].Key))) + "\n"
	}
	d.Fatalf(t, "no command %q", d.Cmd)
	return ""
}

func (s *goShip) send(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	began := s.now
	l := &s.loop
	l.Begin(&s.profile, &s.settings, s.selector, s.key, s.mode, s, &s.trace)
	ends := strings.Split(strings.TrimSpace(d.Input), "\n")
	for !l.Over() {
		if s.route == nil {
			out.WriteString("asks for the route\n")
		}
		a, more := l.Next(s.route)
		if !more {
			continue
		}
		words := s.takeEnd(t, d, &ends, a)
		s.now += millis(t, d, words[1])
		l.Done(storyOutcome(t, d, words[0]))
		fmt.Fprintf(&out, "%s within %s: %s after %s\n",
			s.queue(a.Queue), formatMillis(a.Timeout), words[0], words[1])
	}
	r := l.Result()
	fmt.Fprintf(&out, "= %s after %s\n", s.result(r), formatMillis(s.now-began))
	if r.Attempts != l.attempts {
		t.Errorf("%s: the result has %d attempts of %d", s.profile.Release, r.Attempts, l.attempts)
	}
	return out.String()
}

// result prints what the caller gets.
func (s *goShip) result(r Result) string {
	if r.Exception == GoBrokerError || r.Exception == GoUnknownStatus {
		return fmt.Sprintf("%s %d", r.Exception, r.Code)
	}
	return s.ship.result(r)
}

// TestGoPage: docs/versions.md has the table of the Go client's releases.
func TestGoPage(t *testing.T) {
	page, err := os.ReadFile("../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```\n" + GoBehaviourTable() + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("docs/versions.md does not have the table:\n%s", want)
	}
}

// TestGoHash: FNV-1a of 32 bits, by its published test vectors.
func TestGoHash(t *testing.T) {
	for s, want := range map[string]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := uint32(GoHash(s)); got != want {
			t.Errorf("%q: got %#x, want %#x", s, got, want)
		}
	}
}

// TestGoLookup: releases have names, and an unknown one is an error that lists them.
func TestGoLookup(t *testing.T) {
	const want = `strategy: no release "2.0.0" of the Go client; there are 2.1.0, 2.1.1, 2.1.2, head`
	if _, err := LookupGo("2.0.0"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if NumExceptions != len(exceptionNames) {
		t.Errorf("%d exceptions have %d names", NumExceptions, len(exceptionNames))
	}
}

// TestGoLoopAlloc: a send allocates nothing.
func TestGoLoopAlloc(t *testing.T) {
	p, err := LookupGo(GoHead)
	if err != nil {
		t.Fatal(err)
	}
	s := GoDefaultSettings()
	r := NewRoute([]RouteBroker{{0, 4, true}, {1, 4, true}})
	sel := &SelectGoRoundRobin{}
	var l GoLoop
	if n := testing.AllocsPerRun(100, func() {
		l.Begin(&p, &s, sel, 0, GoSync, nil, nil)
		for _, more := l.Next(r); more; _, more = l.Next(r) {
			l.Done(Outcome{Kind: OutcomeBrokerError, Code: CodeSystemError})
		}
	}); n != 0 {
		t.Errorf("%v allocations for a send", n)
	}
}
