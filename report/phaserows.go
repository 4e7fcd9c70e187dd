package report

import (
	"slices"
	"strings"

	"simrun/internal/result"
)

// phaseRow is a row of the table of phases: what it says of the messages of one.
type phaseRow struct {
	label string
	of    func(s result.Stats) cell
}

// phaseRows are the rows of the table of phases; those without news are left out.
func (p *page) phaseRows(r *result.Run) []phaseRow {
	rows := []phaseRow{
		{"messages", func(s result.Stats) cell { return cell{text: count(s.Messages)} }},
		{"success", successOf},
	}
	if someStats(r, func(s result.Stats) bool { return s.FirstFailed > 0 || answered(s) == 0 }) {
		rows = append(rows, phaseRow{"first attempt", func(s result.Stats) cell {
			return ratio(answered(s)-s.FirstFailed, answered(s))
		}})
	}
	rows = append(rows, p.timeRows(r)...)
	if someStats(r, func(s result.Stats) bool { return s.SentAttempts() != answered(s) || answered(s) == 0 }) {
		rows = append(rows, phaseRow{"attempts/message", perMessage})
	}
	rows = append(rows, serviceRows(r)...)
	rows = append(rows, shareRows(r)...)
	return append(rows, fateRows(r)...)
}

// someStats says whether any row of all messages is so.
func someStats(r *result.Run, is func(result.Stats) bool) bool {
	return slices.ContainsFunc(r.Stats, func(s result.Stats) bool { return s.Dim == result.DimAll && is(s) }) ||
		len(r.Stats) == 0 && is(result.Stats{})
}

// timeRows are those of how long something took: messages, attempts, the wait for a thread.
func (p *page) timeRows(r *result.Run) []phaseRow {
	var rows []phaseRow
	add := func(label, of, name string, times func(result.Stats) result.Latency) {
		rows = append(rows, phaseRow{label, func(s result.Stats) cell { return p.quantile(times(s), name, of) }})
	}
	if someStats(r, func(s result.Stats) bool { return s.FirstFailedTook.N > 0 }) {
		failed := func(s result.Stats) result.Latency { return s.FirstFailedTook }
		add("  failed after p50", "first attempts that failed", "p50", failed)
	}
	whole := func(s result.Stats) result.Latency { return s.Latency }
	add("latency p50", "messages", "p50", whole)
	add("        p99", "messages", "p99", whole)
	add("        p99.9", "messages", "p999", whole)
	add("        max", "messages", "max", whole)
	if someStats(r, attemptsDiffer) {
		add("attempt p99", "attempts", "p99", func(s result.Stats) result.Latency { return s.AttemptLatency })
	}
	wait := func(s result.Stats) result.Latency { return s.ThreadWait }
	const matters = 1_000_000 // ns
	switch {
	case someStats(r, func(s result.Stats) bool { return wait(s).P99NS >= matters }):
		add("thread wait p99", "messages", "p99", wait)
	case someStats(r, func(s result.Stats) bool { return wait(s).MaxNS >= matters }):
		add("thread wait max", "messages", "max", wait)
	}
	return rows
}

// attemptsDiffer says whether attempts tell something that messages do not: some failed, and they were
// quicker than the messages by more than a twentieth.
func attemptsDiffer(s result.Stats) bool {
	const twentieth = 20
	m, a := s.Latency.P99NS, s.AttemptLatency.P99NS
	return s.FirstFailedTook.N > 0 && s.AttemptLatency.N > 0 && (m-a > m/twentieth || a-m > m/twentieth)
}

// shareRows are the shares of the attempts that went to brokers that faults strike, or that faults of name
// servers moved.
func shareRows(r *result.Run) []phaseRow {
	const most = 6
	names := append(r.FaultedBrokers(), shiftedBrokers(r)...)
	var rows []phaseRow
	for _, b := range names[:min(len(names), most)] {
		rows = append(rows, phaseRow{"share of " + b, func(s result.Stats) cell {
			return cell{text: shareText(r, s.Phase, b)}
		}})
	}
	return rows
}

// serviceRows are those of when the service was not there, or not for all, and of how evenly it was used.
func serviceRows(r *result.Run) []phaseRow {
	var rows []phaseRow
	some := func(is func(result.Availability) bool) bool {
		return slices.ContainsFunc(r.Availability, func(a result.Availability) bool {
			return a.Dim == result.DimAll && is(a)
		})
	}
	const matters = 1_000_000_000 // ns; a few failures in a row are a moment without success, too
	if some(func(a result.Availability) bool { return a.OutageNS >= matters }) {
		rows = append(rows, phaseRow{"no success for", func(s result.Stats) cell {
			return timed(r.AvailabilityOf(s.Phase).OutageNS, bad)
		}})
	}
	if level, ok := telling(r); ok {
		rows = append(rows, phaseRow{"below " + exactPercent(level), func(s result.Stats) cell {
			return timed(belowOf(r.AvailabilityOf(s.Phase), level), doubtful)
		}})
	}
	for _, of := range []struct{ label, of string }{
		{"imbalance", result.BalanceBrokers}, {"queue imbalance", result.BalanceQueues},
	} {
		if unbalanced(r, of.of) {
			rows = append(rows, phaseRow{of.label, func(s result.Stats) cell {
				return cell{text: imbalanceText(r, s.Phase, of.of)}
			}})
		}
	}
	return rows
}

// timed is a time that has a colour when it is not zero.
func timed(ns int64, k ink) cell {
	if ns == 0 {
		k = plain
	}
	return cell{text: span(ns), ink: k}
}

// telling is the level of success below which time is worth telling: the highest up to 99 % that the
// service was below at any time after the warm-up. With more nines a single failure is a bad second.
func telling(r *result.Run) (level float64, ok bool) {
	const most = 0.99
	for _, b := range r.AvailabilityOf(result.PhaseAll).Below {
		if b.NS > 0 && b.Level <= most {
			level, ok = max(level, b.Level), true
		}
	}
	return level, ok
}

// belowOf is the time below a level.
func belowOf(a result.Availability, level float64) int64 {
	for _, b := range a.Below {
		if b.Level == level {
			return b.NS
		}
	}
	return 0
}

// unbalanced says whether the largest share was ever more than a fifth above the mean one. Queues are not
// told where they only repeat what brokers say.
func unbalanced(r *result.Run, of string) bool {
	const much, more = 1.2, 1.1
	return slices.ContainsFunc(r.Balance, func(b result.Balance) bool {
		return b.Of == of && b.MaxOverMean > much &&
			(of == "brokers" || b.MaxOverMean > more*largest(r, b.Phase, "brokers"))
	})
}

// largest is the largest ratio of a phase over topics, 0 if there is none.
func largest(r *result.Run, phase, of string) float64 {
	most := 0.0
	for _, b := range r.Balance {
		if b.Phase == phase && b.Of == of {
			most = max(most, b.MaxOverMean)
		}
	}
	return most
}

func imbalanceText(r *result.Run, phase, of string) string {
	x := largest(r, phase, of)
	if x == 0 {
		return none
	}
	return "×" + valueText(result.UnitPer, x)
}

// fate is something that can become of messages. One that callers want to hear of even where there is none
// has quiet words.
type fate struct {
	label, quiet string
	ink          ink
	of           func(result.Stats) int64
}

var fates = []fate{
	{"sent again", "", doubtful, func(s result.Stats) int64 { return s.Resent }},
	{"  resends", "", doubtful, func(s result.Stats) int64 { return s.Resends }},
	{"callback ran twice", "", doubtful, func(s result.Stats) int64 { return s.DoubleCallbacks }},
	{"handed over", "", plain, func(s result.Stats) int64 { return s.Handed }},
	{"  of them missed", "", bad, func(s result.Stats) int64 { return s.HandedMissed }},
	{"failed", "none failed", bad, func(s result.Stats) int64 { return s.Failed }},
	{"unsent attempts", "", doubtful, func(s result.Stats) int64 { return s.UnsentAttempts }},
	{"acked, then lost", "none acknowledged and lost", bad, func(s result.Stats) int64 { return s.AckedLost }},
	{"duplicates", "none duplicated", doubtful, func(s result.Stats) int64 { return s.ExtraCopies }},
	{"failed, yet stored", "", doubtful, func(s result.Stats) int64 { return s.FailedStored }},
}

// happened says whether a fate befell any message, warm-up included.
func (f fate) happened(r *result.Run) bool {
	return someStats(r, func(s result.Stats) bool { return f.of(s) > 0 })
}

// fateRows are those of what became of messages.
func fateRows(r *result.Run) []phaseRow {
	var rows []phaseRow
	add := func(label string, k ink, of func(result.Stats) int64) {
		rows = append(rows, phaseRow{label, func(s result.Stats) cell { return counted(of(s), k) }})
	}
	for _, name := range weakerStatuses(r) {
		add(name, doubtful, func(s result.Stats) int64 { return countOf(s.Statuses, name) })
	}
	for _, f := range fates {
		if f.happened(r) {
			add(f.label, f.ink, f.of)
		}
	}
	if someStats(r, manyInFlight) {
		add("unanswered", doubtful, func(s result.Stats) int64 { return s.InFlight })
	}
	if len(r.Ledger.Losses) > 0 || moreAtRisk(r) {
		add("most at risk", plain, func(s result.Stats) int64 { return exposureOf(r, s.Phase).AtRisk })
	}
	if slices.ContainsFunc(r.Exposures, func(x result.Exposure) bool { return x.Unreadable > 0 }) {
		add("most unreadable", doubtful, func(s result.Stats) int64 { return exposureOf(r, s.Phase).Unreadable })
	}
	return rows
}

// manyInFlight says whether more than a thousandth of messages had no answer when the run ended; a few
// always are under way then.
func manyInFlight(s result.Stats) bool { return s.InFlight > s.Messages/1000 && s.InFlight > 1 }

// quietWords name what callers want to hear of and did not happen.
func quietWords(r *result.Run) string {
	if r.Ledger.Sent == 0 {
		return ""
	}
	var words []string
	for _, f := range fates {
		if f.quiet != "" && !f.happened(r) {
			words = append(words, f.quiet)
		}
	}
	return strings.Join(words, ", ")
}

// worstInstance names the instance that was longest without a success, if that was a second or more.
func (p *page) worstInstance(r *result.Run) {
	const matters = 1_000_000_000 // ns
	var worst result.Availability
	for _, a := range r.Availability {
		if a.Dim == result.DimAll && a.Phase != result.PhaseAll && a.Phase != result.PhaseWarmup &&
			a.WorstNS > worst.WorstNS {
			worst = a
		}
	}
	if worst.WorstNS < matters {
		return
	}
	p.wrapped("", "worst instance: "+brief(worst.WorstInstance, longestLabel)+" got no success for "+
		span(worst.WorstNS)+" in "+brief(worst.Phase, longestLabel), 0, dim)
}

// weakerStatuses names the weaker statuses that some caller got, in the order in which they came.
func weakerStatuses(r *result.Run) []string {
	var names []string
	for _, s := range r.Stats {
		for _, c := range s.Statuses {
			if s.Dim == result.DimAll && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
