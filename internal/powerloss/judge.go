package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"simrun/sim"
	"simrun/strategy"
)

// verdict is whether a published claim holds in a simulated cell, and what was measured, in words.
type verdict struct {
	holds bool
	words string
}

const (
	// nearly all is how large a share of the sends has to be for a claim about each of them.
	nearlyAll = 0.99
	// enough is how many sends a share is worth mentioning of.
	enough = 5
)

// judge holds the published claim against what became of the sends.
func judge(r *result) verdict {
	v := verdict{holds: r.holds(r.shared) && (r.alone == nil || r.holds(r.alone))}
	v.words = r.words()
	return v
}

// holds says whether a claim is true of a run.
func (r *result) holds(o *outcome) bool {
	until, after := &o.stages[untilNoticed], &o.stages[noticed]
	switch r.claim() {
	case claimUnaffected:
		return until.all.mostly(until.all.atOnce) && after.all.mostly(after.all.atOnce)
	case claimFails:
		return until.all.mostly(until.all.failed) && after.all.mostly(after.all.failed)
	case claimRetry:
	}
	hits := &until.hits
	if hits.sends < enough {
		hits = &after.hits
	}
	return hits.mostly(hits.retried)
}

// mostly says whether n are nearly all of the sends. It is true of no sends at all.
func (t *tally) mostly(n int) bool { return t.sends == 0 || t.share(n) >= nearlyAll }

// words describe what becomes of the sends whose first attempt goes to a group that was struck (of all
// sends where both groups were), until the fault is noticed and after it, and how it is with a single
// thread.
func (r *result) words() string {
	until, after := r.concerned(r.shared, untilNoticed), r.concerned(r.shared, noticed)
	first, second := r.fate(until), r.fate(after)
	words := first
	switch {
	case until.sends < enough && after.sends < enough:
		words = fmt.Sprintf("%d sends choose the group, and none later", until.sends+after.sends)
	case until.sends < enough:
		words = second
	case after.sends < enough:
		words = fmt.Sprintf("for %s %s; then no send goes there", seconds(r.shared.noticedAfter), first)
	case first != second:
		words = fmt.Sprintf("for %s %s. Then %s", seconds(r.shared.noticedAfter), first, second)
	}
	for _, more := range []string{r.aloneWords(), r.because()} {
		if more != "" {
			words += ". " + more
		}
	}
	return words
}

// concerned are the sends that a fault concerns.
func (r *result) concerned(o *outcome, s stage) *tally {
	if r.losesAll() {
		return &o.stages[s].all
	}
	return &o.stages[s].hits
}

// aloneWords tells where instances with a single thread fare otherwise.
func (r *result) aloneWords() string {
	if r.alone == nil {
		return ""
	}
	at := untilNoticed
	if r.concerned(r.shared, at).sends < enough {
		at = noticed
	}
	one, many := r.concerned(r.alone, at), r.concerned(r.shared, at)
	if one.sends < enough || abs(one.share(one.failed)-many.share(many.failed)) < 0.05 {
		return ""
	}
	words := fmt.Sprintf("With one thread an instance %s fail", percent(one.share(one.failed)))
	for _, s := range slices.Sorted(maps.Keys(one.statuses)) {
		words += fmt.Sprintf(", %s are acknowledged with `%v`", percent(one.share(one.statuses[s])), s)
	}
	return words
}

// fate tells what becomes of some sends.
func (r *result) fate(t *tally) string {
	var parts []string
	if part := t.share(t.failed); part >= 0.005 {
		parts = append(parts, percent(part)+" fail"+t.failing())
	}
	if part := t.share(t.retried); part >= 0.005 {
		p := fmt.Sprintf("%s succeed on the retry, after %s in the median", percent(part), span(median(t.late)))
		if t.duplicates*2 > t.retried {
			p += ", and are stored twice"
		}
		parts = append(parts, p)
	}
	for _, s := range slices.Sorted(maps.Keys(t.statuses)) {
		if part := t.share(t.statuses[s]); part >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s are acknowledged with `%v`", percent(part), s))
		}
	}
	if part := t.share(t.atOnce); part >= 0.005 {
		parts = append(parts, percent(part)+" succeed at once")
	}
	return strings.Join(parts, "; ")
}

// failing tells how sends fail.
func (t *tally) failing() string {
	switch m := median(t.latencies); {
	case t.spent*2 > t.failed:
		return ", as the first attempt spends the whole `send_msg_timeout` and no retry follows"
	case t.failures["No route info"]*2 > t.failed:
		return " with \"No route info\""
	case t.share(t.failed) >= nearlyAll:
		return fmt.Sprintf(" after %s in the median", span(m))
	}
	return ""
}

// because names the rule behind a measured fact that contradicts the published table.
func (r *result) because() string {
	hits := r.concerned(r.shared, noticed)
	switch {
	case r.sync && !r.losesMaster() && r.inSync == 1 && hits.mostly(hits.atOnce):
		return "With `in_sync_replicas = 1` a master of 5.3.3 waits for no slave"
	case r.inSync > 1 && hits.statuses[strategy.StatusFlushSlaveTimeout] > 0,
		r.inSync > 1 && r.alone != nil && r.alone.stages[noticed].all.weak > 0:
		return "The master waits for the slave as long as a client for its answer, 3 s: who sees the status " +
			"is a matter of milliseconds"
	case hits.share(hits.weak) > 0.5 && !r.losesMaster():
		return "A slave that is known to be gone is a status of a successful send, not a failure"
	case r.losesMaster() && r.claim() == claimUnaffected:
		return "To a producer this is case 3: it never talks to a slave"
	}
	return r.routes()
}

// routes tells what route clients have in the end, where it has no live master.
func (r *result) routes() string {
	kept, emptied, clients := r.shared.kept, r.shared.emptied, r.shared.clients
	if r.alone != nil {
		kept, emptied, clients = kept+r.alone.kept, emptied+r.alone.emptied, clients+r.alone.clients
	}
	switch {
	case !r.losesAll() || !r.losesMaster():
		return ""
	case emptied == clients:
		return "The slaves still registered leave a route without queues"
	case kept == clients:
		return "With no replica left the topic is unknown, and clients keep the old route"
	}
	return fmt.Sprintf("%d of %d clients ask for the route while only slaves are left in it, and have no "+
		"queues then; for the others the topic is unknown when they ask, and they keep the old route",
		emptied, clients)
}

func abs(x float64) float64 { return max(x, -x) }

// percent writes a share; what is not all is never "100 %", what is something never "0 %".
func percent(x float64) string {
	switch {
	case x == 1:
		return "all"
	case x > 0.99:
		return "over 99 %"
	case x > 0 && x < 0.01:
		return "under 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

func seconds(d sim.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

// span writes a latency.
func span(d sim.Duration) string {
	if d < 100*sim.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/float64(sim.Millisecond))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
