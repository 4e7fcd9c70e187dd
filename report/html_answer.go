package report

import (
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// Answer says in one sentence what came of a run: how many sends failed while the fault lasted that hurt
// most, until when, and what was lost or stored twice.
func Answer(r *result.Run) string {
	f := worstFault(r)
	var words string
	if f == nil {
		s, _ := r.StatsOf(result.PhaseAll)
		words = "Without a fault, " + failedWords(s)
		if s.Latency.N > 0 {
			words += ", with a median latency of " + duration(s.Latency.P50NS) + " and a 99th percentile of " +
				duration(s.Latency.P99NS)
		}
	} else {
		s, _ := r.StatsOf(result.FaultPrefix + f.Name)
		words = "While " + f.Name + " lasted" + besideWords(r, f) + ", " + failedWords(s)
		switch after := lastFailure(r, f); {
		case after > 0 && f.FromNS+after >= r.SimulatedNS:
			words += ", to the end of the run"
		case after > 0:
			words += ", the last within " + span(after) + " of its beginning"
		case s.Failed == 0 && s.FirstFailed > 0:
			words += ", though the first attempt of " + ratio(s.FirstFailed, s.Answered()).text + " did"
		}
	}
	return words + "; " + keptWords(r) + "."
}

// besideWords name the faults that were under way with another one: what happened may be theirs.
func besideWords(r *result.Run, f *result.Fault) string {
	var names []string
	for _, o := range r.Faults {
		if o.Began && o.Name != f.Name && o.FromNS < f.ToNS && f.FromNS < o.ToNS {
			names = append(names, o.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (with " + listed(names, 3) + " under way, too)"
}

// failedWords are how many of some sends failed: "0.18% of 575 849 sends failed".
func failedWords(s result.Stats) string {
	n := s.Answered()
	switch {
	case n == 0:
		return "no send was answered"
	case s.Failed == 0:
		return "none of " + plural(n, "send") + " failed"
	}
	return percent(float64(s.Failed)/float64(n), 2) + " of " + plural(n, "send") + " failed"
}

// keptWords are what became of what was acknowledged, over the whole run.
func keptWords(r *result.Run) string {
	s, _ := r.StatsOf(result.PhaseAll)
	words := "no acknowledged message was lost"
	switch {
	case s.AckedLost == 1:
		words = "1 acknowledged message was lost"
	case s.AckedLost > 1:
		words = count(s.AckedLost) + " acknowledged messages were lost"
	}
	if s.HandedMissed > 0 {
		words += ", nothing is left of " + count(s.HandedMissed) + " that were handed over one-way"
	}
	switch {
	case s.ExtraCopies == 1:
		words += ", and 1 was stored once too often"
	case s.ExtraCopies > 1:
		words += ", and " + count(s.ExtraCopies) + " copies too many were stored"
	}
	return words
}

// worstFault is the fault in whose phase most sends failed, of those the one with the longest p99; nil if
// none began that has a phase of its own.
func worstFault(r *result.Run) *result.Fault {
	var worst *result.Fault
	var of result.Stats
	for i := range r.Faults {
		f := &r.Faults[i]
		s, ok := r.StatsOf(result.FaultPrefix + f.Name)
		if !f.Began || !ok {
			continue
		}
		if worst == nil || s.Failed > of.Failed || s.Failed == of.Failed && s.Latency.P99NS > of.Latency.P99NS {
			worst, of = f, s
		}
	}
	return worst
}

// lastFailure is how long after the beginning of a fault the last window with a failed send ends, up to
// the next fault; 0 if none failed.
func lastFailure(r *result.Run, f *result.Fault) int64 {
	to := r.SimulatedNS
	for _, next := range r.Faults {
		if next.Began && next.FromNS > f.FromNS {
			to = min(to, next.FromNS)
		}
	}
	last := int64(0)
	for _, w := range r.Series.Windows {
		if end := w.FromNS + r.Series.WindowNS; w.Failed > 0 && end > f.FromNS && w.FromNS < to {
			last = min(end, to) - f.FromNS
		}
	}
	return last
}

// headline is one of the few numbers that a reader takes away.
type headline struct {
	Label, Value, Mark, Class string
	Notes                     []string
}

// headlines are those of a run, and the name of the fault that they are about.
func headlines(r *result.Run) (of string, list []headline) {
	f := worstFault(r)
	all, _ := r.StatsOf(result.PhaseAll)
	if f == nil {
		return "", append([]headline{
			failedHeadline(r, all, nil), quietLatency("Median latency", all, all.Latency.P50NS, ""),
			quietLatency("p99 latency", all, all.Latency.P99NS, "p99"),
			quietLatency("Longest", all, all.Latency.MaxNS, ""),
		}, keptHeadlines(all)...)
	}
	s, _ := r.StatsOf(result.FaultPrefix + f.Name)
	list = append([]headline{failedHeadline(r, s, f), latencyHeadline(r, s)}, keptHeadlines(all)...)
	avoid, back := aspects[1], aspects[3]
	return f.Name, append(list,
		timeHeadline(r, f, "Time to avoid", "from its beginning", avoid),
		timeHeadline(r, f, "Time to return", "after its end", back))
}

func failedHeadline(r *result.Run, s result.Stats, f *result.Fault) headline {
	h := headline{Label: "Failed sends", Value: count(s.Failed)}
	if n := s.Answered(); n > 0 {
		h.Notes = append(h.Notes, percent(float64(s.Failed)/float64(n), 2)+" of "+count(n))
	}
	if s.Failed > 0 {
		h.Class = "bad"
	}
	if f != nil {
		switch after := lastFailure(r, f); {
		case after > 0 && f.FromNS+after >= r.SimulatedNS:
			h.Notes = append(h.Notes, "to the end of the run")
		case after > 0:
			h.Notes = append(h.Notes, "the last within "+span(after))
		}
	}
	return h
}

func quietLatency(label string, s result.Stats, ns int64, name string) headline {
	h := headline{Label: label, Value: none}
	if s.Latency.N > 0 {
		h.Value = duration(ns)
		h.thin(s.Latency, name)
	}
	return h
}

// thin marks a quantile with few messages beyond it.
func (h *headline) thin(l result.Latency, name string) {
	if slices.Contains(l.Thin, name) {
		h.Notes = append(h.Notes, "fewer than ten messages lie beyond")
	}
}

// latencyHeadline is the tail in a fault beside that of before.
func latencyHeadline(r *result.Run, s result.Stats) headline {
	h := quietLatency("p99 latency", s, s.Latency.P99NS, "p99")
	before, ok := r.StatsOf(result.PhaseBefore)
	if !ok || before.Latency.N == 0 || s.Latency.N == 0 {
		return h
	}
	h.Notes = append(h.Notes, "before: "+duration(before.Latency.P99NS))
	if x := float64(s.Latency.P99NS) / float64(max(before.Latency.P99NS, 1)); x >= 2 {
		h.Notes[len(h.Notes)-1] += ", × " + rounded(x)
		h.Class = "doubt"
	}
	return h
}

// rounded is a factor with two or three digits.
func rounded(x float64) string {
	step := int64(1)
	for x/float64(step) >= 1000 {
		step *= 10
	}
	if x < 10 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return count(int64(x/float64(step)+0.5) * step)
}

func keptHeadlines(all result.Stats) []headline {
	lost := headline{Label: "Acked, then lost", Value: count(all.AckedLost)}
	acked := all.OK + all.OKStatus
	lost.Notes = append(lost.Notes, "of "+count(acked)+" acknowledged")
	if all.AckedLost > 0 {
		lost.Class = "bad"
		if all.Lost > 0 && all.Stranded > 0 {
			lost.Notes = append(lost.Notes, count(all.Lost)+" lost, "+count(all.Stranded)+" stranded")
		}
	}
	extra := headline{Label: "Duplicates", Value: count(all.ExtraCopies), Notes: []string{
		"stored beyond the first copy",
	}}
	if all.ExtraCopies > 0 {
		extra.Class = "doubt"
	}
	return []headline{lost, extra}
}

// timeHeadline is the slowest broker of an aspect of a fault.
func timeHeadline(r *result.Run, f *result.Fault, label, since string, a aspect) headline {
	h := headline{Label: label, Value: none}
	if len(f.Effects) == 0 {
		h.Notes = []string{"no broker is struck"}
		return h
	}
	worst := f.Effects[0]
	for _, e := range f.Effects[1:] {
		if slower(a.of(e), a.of(worst)) {
			worst = e
		}
	}
	s := a.of(worst)
	p := &page{}
	median, last := p.spread(s, absenceOf(r, *f, worst, a))
	h.Value = last.text
	switch {
	case s.Reached == 0:
		h.Notes = append(h.Notes, p.notes...)
	case s.Reached < s.Instances:
		h.Notes = []string{"producer instances reached it", "median " + median.text + " " + since}
	default:
		h.Notes = []string{
			"the last of " + plural(int64(s.Instances), "instance"), "median " + median.text + " " + since,
		}
	}
	if last.text == "never" {
		h.Class = "bad"
	}
	return h
}

// slower says whether a took longer than b; what not all reached took longer than anything.
func slower(a, b result.Spread) bool {
	if a.MaxNS == nil || b.MaxNS == nil {
		return a.MaxNS == nil && b.MaxNS != nil && a.Instances > 0
	}
	return *a.MaxNS > *b.MaxNS
}

// verdictView is the verdict as a sign, a word and a line.
type verdictView struct{ Class, Sign, Word, Line string }

func verdictOf(r *result.Run) verdictView {
	line, k := verdictLine(r)
	v := verdictView{Class: inkClass(k), Line: strings.ToUpper(line[:1]) + line[1:] + "."}
	switch {
	case !r.Complete:
		v.Sign, v.Word = "!", "Interrupted"
	case r.Verdict == result.Passed:
		v.Sign, v.Word = "✓", "Passed"
	case r.Verdict == result.Failed:
		v.Sign, v.Word = "✗", "Failed"
	case r.Verdict == result.Undecided:
		v.Sign, v.Word = "?", "Undecided"
	default:
		v.Sign, v.Word = "–", "No expectations"
	}
	if v.Class == "" {
		v.Class = "none"
	}
	return v
}
