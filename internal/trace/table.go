package trace

import (
	"io"
	"strconv"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// tableHeader are the columns of faulttable.csv.
const tableHeader = "at_ns,producer,instance,broker,cause,latency_ns,not_available_ns,until_ns,reachable," +
	"isolates,explained,known_before,until_before_ns,reachable_before\n"

// table writes faulttable.csv.
type table struct {
	deaf
	output
	window             Window
	producers, brokers []string
}

// FaultTable writes a row for each change of a fault table to w.
func FaultTable(cfg *config.Config, w io.Writer, window Window) Sink {
	t := &table{output: output{w: w}, window: window}
	t.producers, t.brokers = names(cfg, csvText)
	t.line = append(t.line, tableHeader...)
	t.end()
	return t
}

// TableChanged implements experiment.Witness.
func (t *table) TableChanged(c *model.TableChange, isolates, explained bool) {
	if !t.window.holds(c.At) {
		return
	}
	cause := outcomeName(c.Outcome)
	if c.Probe {
		cause = "PROBE"
	}
	t.number(int64(c.At))
	t.line = append(t.line, ',')
	t.line = append(t.line, t.producers[c.Group]...)
	t.comma(int64(c.Instance))
	t.line = append(t.line, ',')
	t.line = append(t.line, t.brokers[c.Broker]...)
	t.line = append(t.line, ',')
	t.line = append(t.line, csvText(cause)...)
	t.comma(nanos(c.After.Latency))
	t.comma(max(0, nanos(c.After.Start-c.ClockMillis)))
	t.until(c.Until, c.At)
	t.flag(c.After.Reachable)
	t.flag(isolates)
	t.flag(explained)
	t.flag(c.Known)
	before := c.Until.Add(-sim.Duration(nanos(c.After.Start - c.Before.Start)))
	if c.Known {
		t.until(before, c.At)
		t.flag(c.Before.Reachable)
	} else {
		t.line = append(t.line, ",,"...)
	}
	t.line = append(t.line, '\n')
	t.end()
}

// until writes when the broker may be chosen again; nothing if it may be now.
func (t *table) until(at, now sim.Time) {
	t.line = append(t.line, ',')
	if at > now {
		t.number(int64(at))
	}
}

func (t *table) flag(b bool) {
	t.line = append(t.line, ',')
	t.line = strconv.AppendBool(t.line, b)
}

// Finish implements Sink.
func (t *table) Finish(*result.Run) error { return t.err }

// nanos is a client's span in nanoseconds.
func nanos(m strategy.Millis) int64 { return int64(m) * int64(sim.Millisecond) }
