package experiment

import (
	"testing"

	"simrun/model"
	"simrun/sim"
	"simrun/strategy"
)

// told is one observation of each kind that is hashed.
type told struct {
	copy    model.Copy
	attempt model.Attempt
	answer  model.Answer
	fate    model.FateChange
	table   model.TableChange
	ledger  model.Ledger
}

func someObservations() told {
	m := model.Message{Group: 1, Number: 2, Instance: 3, Scheduled: 4}
	return told{
		copy:    model.Copy{Message: m, Broker: 5, Number: 6, At: 7},
		attempt: model.Attempt{Message: m, Try: 1, Queue: strategy.Queue{Broker: 2, ID: 3}, Began: 8, Ended: 9},
		answer:  model.Answer{Message: m, Began: 10, At: 11, Attempts: 12},
		fate:    model.FateChange{Message: m, At: 13, From: model.AtRisk, To: model.Durable, Broker: 14},
		table: model.TableChange{
			At: 15, Group: 1, Instance: 3, Broker: 16,
			After: strategy.Item{Latency: 17, Start: 18},
		},
		ledger: model.Ledger{Sent: 19, Rows: []model.LedgerRow{{Answer: "in flight"}}, ExtraCopies: 20},
	}
}

func (t *told) digest() string {
	d := newDigest()
	d.attempt(&t.attempt)
	d.copyStored(&t.copy)
	d.answer(&t.answer)
	d.fate(&t.fate)
	d.table(&t.table)
	d.ledger(&t.ledger)
	return d.sum()
}

// Goal: whatever can be observed differently gives another digest. Method: change one thing at a time.
func TestDigestCovers(t *testing.T) {
	base := someObservations()
	seen := map[string]string{base.digest(): "nothing"}
	for name, change := range map[string]func(*told){
		"attempt's group":   func(o *told) { o.attempt.Group++ },
		"attempt's message": func(o *told) { o.attempt.Number++ },
		"try":               func(o *told) { o.attempt.Try++ },
		"broker":            func(o *told) { o.attempt.Queue.Broker++ },
		"queue":             func(o *told) { o.attempt.Queue.ID++ },
		"attempt's start":   func(o *told) { o.attempt.Began++ },
		"attempt's end":     func(o *told) { o.attempt.Ended++ },
		"outcome":           func(o *told) { o.attempt.Outcome.Kind++ },
		"response code":     func(o *told) { o.attempt.Outcome.Code++ },
		"copy's message":    func(o *told) { o.copy.Message.Number++ },
		"copy's broker":     func(o *told) { o.copy.Broker++ },
		"number of copy":    func(o *told) { o.copy.Number++ },
		"time of copy":      func(o *told) { o.copy.At++ },
		"scheduled":         func(o *told) { o.answer.Scheduled++ },
		"instance":          func(o *told) { o.answer.Instance++ },
		"began":             func(o *told) { o.answer.Began++ },
		"answered":          func(o *told) { o.answer.At++ },
		"attempts":          func(o *told) { o.answer.Attempts++ },
		"status":            func(o *told) { o.answer.Result.Status++ },
		"exception":         func(o *told) { o.answer.Result.Exception++ },
		"cause":             func(o *told) { o.answer.Result.Cause++ },
		"code":              func(o *told) { o.answer.Result.Code-- },
		"fate's message":    func(o *told) { o.fate.Number++ },
		"fate's time":       func(o *told) { o.fate.At++ },
		"fate before":       func(o *told) { o.fate.From++ },
		"fate after":        func(o *told) { o.fate.To++ },
		"fate's broker":     func(o *told) { o.fate.Broker++ },
		"table's time":      func(o *told) { o.table.At++ },
		"table's group":     func(o *told) { o.table.Group++ },
		"table's instance":  func(o *told) { o.table.Instance++ },
		"table's broker":    func(o *told) { o.table.Broker++ },
		"item's latency":    func(o *told) { o.table.After.Latency++ },
		"item's start":      func(o *told) { o.table.After.Start++ },
		"item's old start":  func(o *told) { o.table.Before.Start++ },
		"reachable":         func(o *told) { o.table.After.Reachable = true },
		"was reachable":     func(o *told) { o.table.Before.Reachable = true },
		"known":             func(o *told) { o.table.Known = true },
		"sent":              func(o *told) { o.ledger.Sent++ },
		"extra copies":      func(o *told) { o.ledger.ExtraCopies++ },
		"answer's name":     func(o *told) { o.ledger.Rows[0].Answer = "SEND_OK" },
		"ledger cell":       func(o *told) { o.ledger.Rows[0].ByFate[2]++ },
	} {
		o := someObservations()
		change(&o)
		sum := o.digest()
		if other, taken := seen[sum]; taken {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[sum] = name
	}
}

// Goal: the layout of the digest does not change by accident. Method: a fixed list of observations. If
// this fails on purpose, results of older binaries can't be compared any more: say so.
func TestDigestIsStable(t *testing.T) {
	const want = "3f2192b708c2dd94"
	o := someObservations()
	if got := o.digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// Goal: the digest is about what happened, not about when somebody looked. Method: one world in windows,
// the same in a single step.
func TestDigestIgnoresWindows(t *testing.T) {
	sc := shortScenario(4)
	run := must(Run(t.Context(), sc, Options{}))
	f := must(newFold(sc, 20*sim.Second))
	w := model.New(sc.Config, f)
	if err := w.RunUntil(sim.Time(sc.Config.Duration)); err != nil {
		t.Fatal(err)
	}
	ledger := w.Ledger()
	f.digest.ledger(&ledger)
	if got := f.digest.sum(); got != run.Digest {
		t.Errorf("digest %s in one step, %s in windows", got, run.Digest)
	}
}

// Goal: records that cross the end of the buffer are hashed like any others.
func TestDigestBuffers(t *testing.T) {
	o := someObservations()
	d := newDigest()
	sums := map[string]bool{}
	const records = 3 * digestBuffer / 24
	for range records {
		d.fate(&o.fate)
		sums[d.sum()] = true // flushes each time
	}
	whole := newDigest()
	for range records {
		whole.fate(&o.fate)
	}
	if got := whole.sum(); got != d.sum() || len(sums) != records {
		t.Errorf("%s with buffer, %s without; %d different sums of %d", got, d.sum(), len(sums), records)
	}
}
