package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// causes counts what took the messages that are stranded or lost, and how extra copies came about.
// The number of rows depends on the faults and brokers of the scenario, not on the number of messages.
type causes struct {
	losses []lossRow
	extras []extraRow
}

// lossRow counts the messages that have one loss and one fate.
type lossRow struct {
	loss        model.Loss
	fate        model.Fate
	n, acked    int64
	first, last sim.Time
}

// extraRow counts the extra copies on one broker that came about in one way.
type extraRow struct {
	broker int32
	gaveUp strategy.OutcomeKind
	late   bool
	n      int64
}

// fate follows the n messages of a send that come to a bad end, or back from one.
func (c *causes) fate(f *model.FateChange, n int64) {
	acked := int64(0)
	if f.Answered && f.OK {
		acked = n
	}
	if gone(f.From) {
		row := c.loss(f.Was, f.From, f.At)
		row.n -= n
		row.acked -= acked
	}
	if gone(f.To) {
		row := c.loss(f.Loss, f.To, f.At)
		row.n += n
		row.acked += acked
		row.last = f.At
	}
}

// answer notes that a caller is told that its n messages are stored, when they are lost already.
func (c *causes) answer(a *model.Answer, n int64) {
	if gone(a.Fate) && acknowledged(a.Result.Status) {
		c.loss(a.Loss, a.Fate, a.At).acked += n
	}
}

// acknowledged says whether a caller was told that its message is stored.
func acknowledged(s strategy.Status) bool {
	return s != strategy.StatusNone && s != strategy.StatusHanded
}

// loss is the row of a loss and a fate, a new one if it is the first.
func (c *causes) loss(l model.Loss, fate model.Fate, at sim.Time) *lossRow {
	for i := range c.losses {
		if row := &c.losses[i]; row.loss == l && row.fate == fate {
			return row
		}
	}
	c.losses = append(c.losses, lossRow{loss: l, fate: fate, first: at})
	return &c.losses[len(c.losses)-1]
}

// extraCopy counts a copy beyond the first of n messages.
func (c *causes) extraCopy(x *model.Copy, n int64) {
	for i := range c.extras {
		if row := &c.extras[i]; row.broker == x.Broker && row.gaveUp == x.GaveUp && row.late == x.Late {
			row.n += n
			return
		}
	}
	c.extras = append(c.extras, extraRow{x.Broker, x.GaveUp, x.Late, n})
}

// check compares the sums with the ledger.
func (c *causes) check(l *model.Ledger) error {
	var have, want [fates]int64
	for _, row := range c.losses {
		have[row.fate] += row.n
	}
	for _, row := range l.Rows {
		for f, n := range row.ByFate {
			want[f] += n
		}
	}
	for f := range have {
		if gone(model.Fate(f)) && have[f] != want[f] {
			return fmt.Errorf("experiment: causes for %d messages %v, the ledger has %d", have[f],
				model.Fate(f), want[f])
		}
	}
	var extras int64
	for _, row := range c.extras {
		extras += row.n
	}
	if extras != l.ExtraCopies {
		return fmt.Errorf("experiment: causes for %d extra copies, the ledger has %d", extras,
			l.ExtraCopies)
	}
	return nil
}

// lossResults are the rows that count any message.
func (c *causes) lossResults(cfg *config.Config) []result.Loss {
	var out []result.Loss
	for _, row := range c.losses {
		if row.n == 0 {
			continue
		}
		l := result.Loss{
			Broker: cfg.Brokers[row.loss.Broker].Name, Cause: row.loss.Cause.String(),
			Fate: row.fate.String(), N: row.n, Acked: row.acked,
			FirstNS: int64(row.first), LastNS: int64(row.last),
		}
		if row.loss.Fault >= 0 && int(row.loss.Fault) < len(cfg.Faults) {
			l.Fault = cfg.Faults[row.loss.Fault].Name
		}
		out = append(out, l)
	}
	return out
}

func (c *causes) extraResults(cfg *config.Config) []result.Extra {
	var out []result.Extra
	for _, row := range c.extras {
		out = append(out, result.Extra{
			Broker: cfg.Brokers[row.broker].Name, GaveUp: row.gaveUp.String(), Late: row.late, N: row.n,
		})
	}
	slices.SortStableFunc(out, func(a, b result.Extra) int { return cmp.Compare(b.N, a.N) })
	return out
}
