package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// ExplainAt writes what one producer instance knows at one instant: its fault table, entry by entry, with
// what put each there, what its next send would choose from, its routes and its connections. With sources it
// says where in RocketMQ's source the rules are.
func ExplainAt(w io.Writer, s *result.Snapshot, opt TextOptions, sources bool) error {
	p := &snapshotPage{page: &page{opt: opt}, snap: s, sources: sources}
	for i := range s.Brokers {
		p.column = max(p.column, runes(s.Brokers[i].Broker))
	}
	p.header()
	p.gap()
	p.tableOfFaults()
	p.gap()
	for i := range s.Topics {
		p.topic(&s.Topics[i])
	}
	p.gap()
	p.connections()
	p.gap()
	p.faults()
	return p.flush(w)
}

// snapshotPage is a page on which a snapshot is told.
type snapshotPage struct {
	*page
	snap    *result.Snapshot
	sources bool
	column  int // width of the names of brokers
}

func (p *snapshotPage) header() {
	s := p.snap
	of := "instance " + strconv.Itoa(s.Instance)
	if s.Instances > 1 {
		of += " of " + count(int64(s.Instances)) + " (from 0)"
	}
	policy := ""
	if s.Policy != "rocketmq" {
		policy = "policy " + s.Policy
	}
	p.fields([]string{s.Producer, of, s.Client, policy, "at " + instant(s.AtNS)})
	for _, l := range wrap([]string{
		s.Title(), "seed " + strconv.FormatUint(s.Seed, 10), "phase " + s.Phase,
		"its own clock shows " + count(s.ClockMS) + " ms",
	}, " · ", p.opt.width()) {
		p.line(p.paint(l, dim))
	}
}

// source says where in RocketMQ's source something is, if that is wanted.
func (p *snapshotPage) source(where string) {
	if p.sources && where != "" {
		p.wrapped("  ", "source: "+where, 2, dim)
	}
}

// tableOfFaults tells the entries of the fault table.
func (p *snapshotPage) tableOfFaults() {
	s := p.snap
	if !s.HasTable {
		p.wrapped("", "No fault table: "+s.NoTable+".", 0, plain)
		return
	}
	p.line(p.paint("fault table", bold))
	for i := range s.Brokers {
		b := &s.Brokers[i]
		lead := "  " + pad(b.Broker, p.column, false) + "  "
		words, k := p.entryWords(b.Entry)
		p.wrapped(lead, words, p.column+4, k)
		if b.Entry != nil {
			for _, l := range p.causes(b.Entry) {
				p.wrapped(strings.Repeat(" ", p.column+4), l, p.column+6, plain)
			}
		}
	}
	p.source(s.Source)
}

// entryWords say whether a broker may be chosen.
func (p *snapshotPage) entryWords(e *result.SnapshotEntry) (string, ink) {
	if e == nil {
		return "no entry: may be chosen", plain
	}
	words, k := "may be chosen", plain
	switch {
	case e.UntilNS != nil:
		words, k = fmt.Sprintf("refused until %s, %s from now", moment(*e.UntilNS),
			duration(*e.UntilNS-p.snap.AtNS)), bad
	case !e.Available:
		words, k = "refused", bad
	}
	if !e.Reachable {
		words, k = words+"; marked as not reachable", bad
	}
	return words, k
}

// causes are what put an entry there, line by line.
func (p *snapshotPage) causes(e *result.SnapshotEntry) []string {
	var lines []string
	if e.UntilNS != nil {
		lines = append(lines, "refused since: "+p.causeOf(e.Refused))
	}
	if !e.Reachable {
		lines = append(lines, "not reachable since: "+p.causeOf(e.Flag))
	}
	told := "last told: " + exact(e.LatencyNS)
	switch {
	case e.Last == nil:
	case e.Refused != nil && *e.Refused == *e.Last:
		told += ", by the same attempt"
	default:
		told += "; " + p.causeOf(e.Last)
	}
	return append(lines, told)
}

// causeOf is an attempt, or a probe, that taught the table something.
func (p *snapshotPage) causeOf(c *result.SnapshotCause) string {
	switch {
	case c == nil:
		return "the hand-over of an asynchronous send"
	case c.Probe:
		return "a probe at " + instant(c.AtNS)
	}
	return fmt.Sprintf("%s at %s, after %s (%s/%d, attempt %d)", c.Outcome, instant(c.AtNS),
		duration(c.AtNS-c.BeganNS), p.snap.Producer, c.Message, c.Attempt)
}

// topic tells a publish list, and what a send would choose from.
func (p *snapshotPage) topic(t *result.SnapshotTopic) {
	p.line(p.paint("topic "+t.Topic, bold))
	list := "publish list: " + queueCount(t.Queues)
	if len(t.Candidates) > 0 {
		list += ", " + candidateWords(t.Candidates)
	}
	var lacks []string
	for _, m := range t.Missing {
		lacks = append(lacks, m.Broker+" ("+m.Why+")")
	}
	switch {
	case !t.HasRoute:
		list += "; no name server has given it a route"
	case len(lacks) == 0:
		list += "; nothing is missing"
	default:
		list += "; missing: " + strings.Join(lacks, ", ")
	}
	p.wrapped("  ", list, 4, plain)
	p.source(p.snap.RouteSource)
	if t.Rule == "" {
		p.wrapped("  ", "a send that begins now first asks the name server for the route", 4, plain)
		return
	}
	p.wrapped("  ", "a send that begins now chooses by: "+t.Rule+"; from "+strings.Join(t.From, " ")+
		p.where(t), 4, plain)
	p.source(t.Source)
}

// where says what decides among the queues.
func (p *snapshotPage) where(t *result.SnapshotTopic) string {
	switch {
	case t.Rule == result.RuleCaller, strings.HasPrefix(t.Rule, "selector"):
		return ""
	case strings.HasPrefix(p.snap.Client, "go-"):
		return "; which of their queues, by one counter of all goroutines"
	case p.snap.Threads == 1:
		return "; which of their queues, by the thread's index"
	}
	return fmt.Sprintf("; which of their queues, by an index that each of the %s threads has of its own",
		count(int64(p.snap.Threads)))
}

// connections tells the connections and what is under way.
func (p *snapshotPage) connections() {
	s := p.snap
	p.line(p.paint("connections, for all that the client knows", bold))
	for i := range s.Brokers {
		b := &s.Brokers[i]
		words := map[string]string{
			"none": "none: the next send makes one", "begun": "a handshake is under way", "open": "open",
		}[b.Connection]
		if !b.Master {
			words = "no address of the master is known"
		}
		switch {
		case b.InFlight == 1:
			words += "; 1 request waits for its answer"
		case b.InFlight > 1:
			words += "; " + count(int64(b.InFlight)) + " requests wait for their answers"
		}
		p.wrapped("  "+pad(b.Broker, p.column, false)+"  ", words, p.column+4, plain)
	}
	p.wrapped("  ", fmt.Sprintf("threads in a send: %s of %s; messages that wait for one: %s; "+
		"it asks name server %s", count(int64(s.Sending)), count(int64(s.Threads)), count(int64(s.Waiting)),
		s.NameServer), 4, plain)
}

// faults tells what the client does not know.
func (p *snapshotPage) faults() {
	var list []string
	for i := range p.snap.Brokers {
		if b := &p.snap.Brokers[i]; len(b.Faults) > 0 {
			list = append(list, b.Broker+": "+strings.Join(b.Faults, ", "))
		}
	}
	if len(list) == 0 {
		p.wrapped("", "No fault has its hand on anything that it talks to.", 0, plain)
		return
	}
	p.wrapped("", "Faults that have their hands on brokers, or on the way to them: "+strings.Join(list, "; ")+
		".", 0, bad)
}
