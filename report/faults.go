package report

import (
	"slices"
	"strings"

	"simrun/internal/result"
)

// faults writes a block for each fault.
func (p *page) faults(r *result.Run) {
	timed := false
	for _, f := range r.Faults {
		p.fault(r, f)
		timed = timed || f.Began && len(f.Effects) > 0
	}
	if timed {
		const words = "median and last producer instance; returned counts from the end of the fault"
		p.wrapped("", words, 0, dim)
	}
	p.footnotes()
}

// fault writes how the producers took one fault: a row for each broker it struck.
func (p *page) fault(r *result.Run, f result.Fault) {
	p.gap()
	p.fields([]string{
		result.FaultPrefix + f.Name, kindWords(f) + " of " + targetWords(f), whenWords(r, f),
		strikesWords(f),
	})
	if !f.Began {
		p.line("the run ended before it began")
		return
	}
	if len(f.Effects) == 0 {
		p.wrapped("", unseenWords(r, f), 0, dim)
		return
	}
	t := &table{}
	for _, e := range f.Effects {
		t.stub = append(t.stub, cell{text: e.Broker})
	}
	for _, a := range aspects {
		median, last := t.column("median"), t.column("last")
		median.group, last.group = a.group, a.group
		for _, e := range f.Effects {
			m, l := p.spread(a.of(e), absenceOf(r, f, e, a))
			median.cells, last.cells = append(median.cells, m), append(last.cells, l)
		}
	}
	failed := t.column("attempts")
	failed.group = "failed"
	for _, e := range f.Effects {
		failed.put(count(e.FailedAttempts))
	}
	if len(f.Effects) > 1 && f.Repeats() {
		held := t.column("held")
		held.group = "struck"
		times := t.column("times")
		times.group = "struck"
		for _, e := range f.Effects {
			held.put(span(e.HeldNS))
			times.put(count(int64(e.Strikes)))
		}
	}
	if losesBytes(f) {
		lost := t.column("lost")
		lost.group = "bytes"
		for _, e := range f.Effects {
			lost.put(byteSize(e.BytesLost))
		}
	}
	p.table(t)
	p.whoAvoids(f)
	p.aftermath(r, f)
	if names := slavesOnly(f); len(names) > 0 {
		words := "slaves only: producers do not talk to them"
		if len(names) < len(f.Effects) {
			words = "of " + listed(names, 6) + " " + words
		}
		p.wrapped("", words, 0, dim)
	}
}

// whoAvoids says how many of the producer instances the times to avoid are of, if not of all.
func (p *page) whoAvoids(f result.Fault) {
	told := map[[2]int]bool{}
	for _, e := range f.Effects {
		of := [2]int{e.Avoid.Instances, e.Detect.Instances}
		if of[0] == 0 || of[0] == of[1] || told[of] {
			continue
		}
		told[of] = true
		p.wrapped("", "avoided: of the "+count(int64(of[0]))+" of "+count(int64(of[1]))+
			" producer instances that have avoidance on", 0, dim)
	}
}

// kindWords are what a fault does: its kind, and how hard.
func kindWords(f result.Fault) string {
	if f.Detail == "" {
		return f.Kind
	}
	return f.Kind + " (" + f.Detail + ")"
}

// strikesWords say how often a fault struck, if it can do so more than once.
func strikesWords(f result.Fault) string {
	if !f.Repeats() {
		return ""
	}
	words := "struck " + times(int64(f.Strikes)) + ", for " + seconds(f.HeldNS) + " in all"
	if f.DownNS > 0 {
		words += ", down for " + seconds(f.DownNS)
	}
	return words
}

// unseenWords say why a fault has no row.
func unseenWords(r *result.Run, f result.Fault) string {
	switch {
	case hasTarget(f, "name_server:") && hasTarget(f, "producer:"):
		return "no broker is struck"
	case hasTarget(f, "name_server:"):
		return "name servers only: no broker is struck" + routeWords(r, f)
	case hasTarget(f, "producer:"):
		return "producers only: the brokers are well"
	}
	return "no broker is struck"
}

func hasTarget(f result.Fault, prefix string) bool {
	return slices.ContainsFunc(f.Targets, func(t string) bool { return strings.HasPrefix(t, prefix) })
}

// whenWords says when a fault lasted, as far as that was simulated.
func whenWords(r *result.Run, f result.Fault) string {
	switch {
	case !f.Began:
		return "from " + seconds(f.FromNS)
	case !r.Complete && f.ToNS >= r.SimulatedNS:
		return seconds(f.FromNS) + " to the interrupt"
	case f.ToNS >= r.DurationNS:
		return seconds(f.FromNS) + " to the end"
	}
	return interval(f.FromNS, f.ToNS)
}

// aspect is one of the things that instances do about a fault, sooner or later.
type aspect struct {
	group string
	of    func(result.FaultEffect) result.Spread
	// byTable: it takes a fault table; bySends: it takes attempts; afterwards: it takes the end of
	// the fault.
	byTable, bySends, afterwards bool
}

var aspects = []aspect{
	{
		group: "detected", bySends: true,
		of: func(e result.FaultEffect) result.Spread { return e.Detect },
	},
	{
		group: "avoided", byTable: true, bySends: true,
		of: func(e result.FaultEffect) result.Spread { return e.Avoid },
	},
	{
		group: "route gone",
		of:    func(e result.FaultEffect) result.Spread { return e.RouteGone },
	},
	{
		group: "returned", afterwards: true,
		of: func(e result.FaultEffect) result.Spread { return e.Return },
	},
}

// absence is why a time did not come on any instance: a word for the table, and what it means.
type absence struct{ word, note string }

const noteOff = "avoidance is off: send_latency_fault_enable = false"

// absenceOf finds out why an aspect of a fault has no time, supposed it has none.
func absenceOf(r *result.Run, f result.Fault, e result.FaultEffect, a aspect) absence {
	switch {
	case e.Detect.Instances == 0 || a.afterwards && f.ToNS >= r.SimulatedNS:
		return absence{word: none}
	case a.byTable && r.Setup.AvoidanceOff():
		return absence{"off", noteOff}
	case a.byTable && e.Avoiding == 0:
		return absence{"off", "no producer that sends to it has avoidance on"}
	case a.bySends && e.Attempts == 0:
		return absence{"untried", "no producer made an attempt to it while the fault lasted"}
	case a.byTable && e.AvoidingAttempts == 0:
		return absence{"untried", "no producer with avoidance on made an attempt to it while the fault lasted"}
	}
	note := "not by " + seconds(r.SimulatedNS) + ", where the run ended"
	if struckAgain(r, f, e.Broker) {
		note += ", nor before the next fault of the broker"
	}
	return absence{"never", note}
}

// struckAgain says whether a later fault strikes the broker.
func struckAgain(r *result.Run, f result.Fault, broker string) bool {
	return slices.ContainsFunc(r.Faults, func(next result.Fault) bool {
		return next.FromNS > f.FromNS && next.HasTarget(broker)
	})
}

// losesBytes says whether the column of bytes is worth its room.
func losesBytes(f result.Fault) bool {
	return f.Kind == "power-loss" ||
		slices.ContainsFunc(f.Effects, func(e result.FaultEffect) bool { return e.BytesLost > 0 })
}

// slavesOnly names the brokers of a fault that strikes none of their masters.
func slavesOnly(f result.Fault) []string {
	var names []string
	for _, e := range f.Effects {
		master := slices.ContainsFunc(f.Targets, func(t string) bool {
			name, id, ok := strings.Cut(t, ":")
			return name == e.Broker && (!ok || id == "0")
		})
		if e.Detect.Instances == 0 && !master {
			names = append(names, brief(e.Broker, longestLabel))
		}
	}
	return names
}

// spread is the median and the last instance of a time. Where it came on some instances only, the
// number of them takes the place of the last one.
func (p *page) spread(s result.Spread, why absence) (median, last cell) {
	if s.Reached == 0 && s.MedianNS == nil {
		median, last = cell{text: why.word}, cell{text: why.word}
		if why.note != "" {
			last.mark = p.note(why.note)
		}
		return median, last
	}
	text := func(ns *int64) cell {
		if ns == nil {
			return cell{text: none}
		}
		return cell{text: span(*ns)}
	}
	median, last = text(s.MedianNS), text(s.MaxNS)
	if s.Reached < s.Instances {
		last = cell{
			text: count(int64(s.Reached)) + "/" + count(int64(s.Instances)),
			mark: p.note("it came on so many of the producer instances, not on all: there is no last one"),
		}
	}
	return median, last
}

// falselyIsolated tells of brokers that producers avoided without a fault.
func (p *page) falselyIsolated(r *result.Run) {
	var rows []result.Broker
	for _, b := range r.Brokers {
		if b.Phase == result.PhaseAll && b.False > 0 {
			rows = append(rows, b)
		}
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b result.Broker) int { return int(b.False - a.False) })
	struck := r.FaultedBrokers()
	var parts []string
	timed := false
	for _, b := range rows {
		part := brief(b.Name, longestLabel) + " " + times(b.False)
		// The time of a broker that a fault strikes is mostly avoided for a good reason.
		if !slices.Contains(struck, b.Name) && b.AvoidedNS > 0 {
			part += " (avoided for " + span(b.AvoidedNS) + ")"
			timed = true
		}
		parts = append(parts, part)
	}
	const lead = "isolated though healthy: "
	words := listed(parts, 6) + ", renewals included; a slow or failed send was taken for a faulty broker"
	if timed {
		words += ", times summed over instances"
	}
	p.gap()
	p.wrapped(p.paint(lead, doubtful), words, len(lead), plain)
}

// times is how often.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return plural(n, "time")
}
