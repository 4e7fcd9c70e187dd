package experiment

import (
	"fmt"
	"strconv"

	"simrun/internal/result"
	"simrun/sim"
)

// words tell a difference; nil if there is none.
func (d *differ) words(x *parting) *result.Difference {
	if x == nil {
		return nil
	}
	f := x.fact
	out := &result.Difference{
		AtNS: int64(x.at), What: x.what, Producer: d.sides[0].cfg.Producers[f.group].Name,
		HasMessage: true, Message: f.number,
	}
	switch f.happening {
	case happensAttempt:
		out.Attempt = int(f.n)
	case happensTable:
		out.Instance, out.Broker = int(f.number), d.brokers[f.n]
		out.HasMessage, out.Message = false, 0
		for i, t := range x.told {
			if x.has[i] && t.caused && !out.HasMessage {
				out.HasMessage, out.Message = true, t.cause
			}
		}
	}
	for i, to := range []*string{&out.A, &out.B} {
		*to = "nothing of the kind"
		if x.has[i] {
			*to = d.said(x, &x.told[i])
		}
	}
	return out
}

// said is what one of the runs has to say of a difference.
func (d *differ) said(x *parting, t *telling) string {
	f := x.fact
	switch f.happening {
	case happensSchedule:
		return fmt.Sprintf("scheduled at %s, by instance %d", clock(t.at), t.instance)
	case happensAttempt:
		return d.attempted(x.what, t)
	case happensAnswer:
		return fmt.Sprintf("%s at %s, after %s", resultText(t.result), clock(t.at), attemptsText(t.attempts))
	case happensFate:
		return fmt.Sprintf("%s at %s", t.fate, clock(t.at))
	case happensTable:
		words := "not refused"
		if t.refuses > 0 {
			words = fmt.Sprintf("refused for %s", t.refuses.Round(sim.Millisecond))
		}
		if !t.reachable {
			words += ", marked as not reachable"
		}
		return words + ", from " + clock(t.at)
	}
	return ""
}

// attempted tells an attempt, with what matters where.
func (d *differ) attempted(what string, t *telling) string {
	where := fmt.Sprintf("to %s, queue %d, ", d.brokers[t.queue.Broker], t.queue.ID)
	switch what {
	case result.DiffQueue:
		return where + "at " + clock(t.began)
	case result.DiffBudget:
		return (sim.Duration(t.timeout) * sim.Millisecond).String()
	}
	return fmt.Sprintf("%sfrom %s to %s: %s", where, clock(t.began), clock(t.at), outcomeText(t.outcome))
}

// attemptsText counts attempts.
func attemptsText(n int32) string {
	if n == 1 {
		return "1 attempt"
	}
	return strconv.Itoa(int(n)) + " attempts"
}

// clock is a time of the run, to the microsecond.
func clock(at sim.Time) string {
	us := (int64(at) + 500) / 1000
	return fmt.Sprintf("%d.%06ds", us/1e6, us%1e6)
}
