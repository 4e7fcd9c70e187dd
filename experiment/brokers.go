package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// brokerFold sees brokers from the producers: attempts, and how long tables refused them.
type brokerFold struct {
	rows []brokerRow // phase*brokers + broker
	// tables[(first instance of the group + instance)*brokers + broker] is that place of a fault
	// table.
	tables  []refusal
	first   []int // by group
	brokers int
	// avoided[phase*groups+group] is the time that the group's tables refused brokers, all together.
	avoided []sim.Duration
	owner   []int // by instance: its group
	// byInstance[phase*instances+instance] is that of an instance.
	byInstance []sim.Duration
	// top is the peak so far of the bytes in the memory of each master, in the phase that owns the instant.
	top []int64
	// ranged are those of the expectations with a window of their own that are about a broker.
	ranged []*ranged
}

// brokerRow is one broker name in one phase. An attempt belongs to the phase in which it began; if
// it was under way when a fault began, to the fault.
type brokerRow struct {
	attempts, failed    int64
	fallbacks           int64 // of those sent: the table refused the broker
	unsent              int64 // of the attempts: given up by the client before it sent anything
	outcomes            [outcomeKinds]int64
	codes               []codeCount // of the error answers
	latency             latency     // of the attempts that did not fail
	isolations, falsely int64
	avoided             sim.Duration
	// Of the detector: its requests, the unanswered ones, and the time that they took.
	probes, probesFailed int64
	probing              sim.Duration
	exposed              brokerPeak
}

// brokerPeak is the most that a broker had on one leg: bytes in its master's memory only, and messages that
// no replica served.
type brokerPeak struct{ unsyncedBytes, unreadable int64 }

func (p *brokerPeak) raise(level brokerPeak) {
	p.unsyncedBytes = max(p.unsyncedBytes, level.unsyncedBytes)
	p.unreadable = max(p.unreadable, level.unreadable)
}

// probed counts a probe.
func (r *brokerRow) probed(p *model.ProbeEnd) {
	r.probes++
	if !p.Answered {
		r.probesFailed++
	}
	r.probing += p.At.Sub(p.Began)
}

// codeCount counts error answers with one response code.
type codeCount struct {
	code int
	n    int64
}

// answeredCode counts error answers with a code.
func (r *brokerRow) answeredCode(code int, n int64) {
	for i := range r.codes {
		if r.codes[i].code == code {
			r.codes[i].n += n
			return
		}
	}
	r.codes = append(r.codes, codeCount{code, n})
}

// outcomeKinds is the number of ways in which an attempt can end.
const outcomeKinds = int(strategy.OutcomeHanded) + 1

// refusal is the state of one broker in one fault table: refused from since to until.
type refusal struct{ since, until sim.Time }

func newBrokerFold(cfg *config.Config, phases int) brokerFold {
	f := brokerFold{brokers: len(cfg.Brokers), rows: make([]brokerRow, phases*len(cfg.Brokers))}
	for g, p := range cfg.Producers {
		f.first = append(f.first, len(f.owner))
		f.owner = append(f.owner, slices.Repeat([]int{g}, p.Count)...)
	}
	f.top = make([]int64, f.brokers)
	f.tables = make([]refusal, len(f.owner)*f.brokers)
	f.avoided = make([]sim.Duration, phases*len(f.first))
	f.byInstance = make([]sim.Duration, phases*len(f.owner))
	return f
}

// attempt counts an attempt for n messages.
func (f *brokerFold) attempt(phase int, a *model.Attempt, n int64) {
	f.rows[phase*f.brokers+int(a.Queue.Broker)].attempt(a, n)
}

func (r *brokerRow) attempt(a *model.Attempt, n int64) {
	r.attempts += n
	switch {
	case a.Unsent:
		r.unsent += n
	case a.Refused:
		r.fallbacks += n
	}
	r.outcomes[a.Outcome.Kind] += n
	if !succeeded(a.Outcome) {
		r.failed += n
		if a.Outcome.Kind == strategy.OutcomeBrokerError {
			r.answeredCode(a.Outcome.Code, n)
		}
		return
	}
	r.latency.add(int64(a.Ended-a.Began), n)
}

// isolated counts an isolation.
func (r *brokerRow) isolated(explained bool) {
	r.isolations++
	if !explained {
		r.falsely++
	}
}

// table follows the refusals of a fault table. Phase is the owner of the instant.
func (f *brokerFold) table(
	line *timeline, phase int, c *model.TableChange, isolates, explained bool,
) {
	if isolates {
		f.rows[phase*f.brokers+int(c.Broker)].isolated(explained)
		for _, r := range f.ranged {
			if r.sees(int(c.Broker), c.At) {
				r.row.isolated(explained)
			}
		}
	}
	i := (f.first[c.Group]+int(c.Instance))*f.brokers + int(c.Broker)
	f.settle(line, i, c.At)
	r := &f.tables[i]
	r.since, r.until = c.At, c.Until
}

// settle books the time that a place of a fault table was refused up to now to the phases that own it.
func (f *brokerFold) settle(line *timeline, place int, now sim.Time) {
	r, broker, group := &f.tables[place], place%f.brokers, f.owner[place/f.brokers]
	from, to := r.since, min(r.until, now)
	for _, r := range f.ranged {
		if int(r.broker) == broker {
			r.row.avoided += max(0, min(to, r.to).Sub(max(from, r.from)))
		}
	}
	for i := len(line.changes) - 1; i >= 0 && from < to; i-- {
		ch := line.changes[i]
		if ch.at >= to {
			continue
		}
		part := max(from, ch.at)
		f.rows[ch.phase*f.brokers+broker].avoided += to.Sub(part)
		f.avoided[ch.phase*len(f.first)+group] += to.Sub(part)
		f.byInstance[ch.phase*len(f.owner)+place/f.brokers] += to.Sub(part)
		to = part
	}
	r.since = max(r.since, now)
}

// settleAll books all refusals up to now.
func (f *brokerFold) settleAll(line *timeline, now sim.Time) {
	for i := range f.tables {
		f.settle(line, i, now)
	}
}

func (r *brokerRow) merge(other *brokerRow) {
	r.attempts += other.attempts
	r.failed += other.failed
	r.unsent += other.unsent
	r.fallbacks += other.fallbacks
	for i, n := range other.outcomes {
		r.outcomes[i] += n
	}
	for _, c := range other.codes {
		r.answeredCode(c.code, c.n)
	}
	r.latency.merge(&other.latency)
	r.isolations += other.isolations
	r.falsely += other.falsely
	r.avoided += other.avoided
	r.probes += other.probes
	r.probesFailed += other.probesFailed
	r.probing += other.probing
	r.exposed.raise(other.exposed)
}

// sent are the attempts that went towards the broker.
func (r *brokerRow) sent() int64 { return r.attempts - r.unsent }

// result is the row as it is shown, as a share of all attempts of its phase that were sent.
func (r *brokerRow) result(all int64) result.Broker {
	out := result.Broker{
		Attempts:   r.attempts,
		Unsent:     r.unsent,
		Failed:     r.failed,
		Outcomes:   r.failures(),
		Statuses:   r.statuses(),
		Latency:    r.latency.result(),
		Isolations: r.isolations,
		False:      r.falsely,
		AvoidedNS:  int64(r.avoided),
		Fallbacks:  r.fallbacks,

		Probes: r.probes, ProbesFailed: r.probesFailed, ProbeNS: int64(r.probing),

		UnsyncedBytesMax: r.exposed.unsyncedBytes, UnreadableMax: r.exposed.unreadable,
	}
	if all > 0 {
		out.Share = float64(r.sent()) / float64(all)
	}
	return out
}

// failures are the failed attempts by outcome, error answers by their code.
func (r *brokerRow) failures() []result.Count {
	var out []result.Count
	for k := strategy.OutcomeBrokerError + 1; k <= strategy.OutcomeInterrupted; k++ {
		out = append(out, result.Count{Name: k.String(), N: r.outcomes[k]})
	}
	for _, c := range r.codes {
		out = append(out, result.Count{Name: strategy.CodeName(c.code), N: c.n})
	}
	return counted(out)
}

// statuses are the attempts answered with a weaker status.
func (r *brokerRow) statuses() []result.Count {
	var out []result.Count
	for k := strategy.OutcomeFlushDiskTimeout; k <= strategy.OutcomeSlaveNotAvailable; k++ {
		out = append(out, result.Count{Name: k.String(), N: r.outcomes[k]})
	}
	return counted(out)
}
