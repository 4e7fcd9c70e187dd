package trace

import (
	"io"
	"math"
	"strconv"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// chrome writes the JSON of Chrome's trace viewer, which Perfetto reads as well. Producer groups are
// processes with lanes for threads, brokers are processes with counters, phases and faults are one of their
// own.
type chrome struct {
	output
	cfg                *config.Config
	window             Window
	producers, brokers []string // as in JSON, without quotes
	held               held
	lanes              []lanes // by group
	events             int64
	leftOut            int64 // sends for which there was no lane
}

// Chrome writes a trace to w, in the trace event format: each send with its attempts, isolations, what
// happened to processes, faults, phases, and what was in flight to each broker.
func Chrome(cfg *config.Config, w io.Writer, window Window) Sink {
	c := &chrome{output: output{w: w}, cfg: cfg, window: window, held: newHeld()}
	inner := func(s string) string { s = jsonText(s); return s[1 : len(s)-1] }
	c.producers, c.brokers = names(cfg, inner)
	c.lanes = make([]lanes, len(cfg.Producers))
	c.line = append(c.line, `{"displayTimeUnit":"ms","traceEvents":[`...)
	c.process(worldPID, "faults and phases", 0)
	for i, name := range c.producers {
		c.process(c.producerPID(int32(i)), "producer "+name, 1+i)
	}
	for i, name := range c.brokers {
		c.process(c.brokerPID(i), "broker "+name, 1+len(c.producers)+i)
	}
	return c
}

// worldPID is the process of what is about everything.
const worldPID = 1

func (c *chrome) producerPID(group int32) int { return worldPID + 1 + int(group) }
func (c *chrome) brokerPID(broker int) int    { return worldPID + 1 + len(c.producers) + broker }

// process names a process. Names are as in JSON already.
func (c *chrome) process(pid int, name string, order int) {
	c.begin(`{"ph":"M","name":"process_name","pid":`, pid)
	c.text(`,"args":{"name":"`, name, `"}}`)
	c.end()
	c.begin(`{"ph":"M","name":"process_sort_index","pid":`, pid)
	c.text(`,"args":{"sort_index":`, strconv.Itoa(order), `}}`)
	c.end()
}

// thread names a thread.
func (c *chrome) thread(pid, tid int, name string, order int) {
	c.begin(`{"ph":"M","name":"thread_name","pid":`, pid)
	c.text(`,"tid":`, strconv.Itoa(tid), `,"args":{"name":"`, name, `"}}`)
	c.end()
	c.begin(`{"ph":"M","name":"thread_sort_index","pid":`, pid)
	c.text(`,"tid":`, strconv.Itoa(tid), `,"args":{"sort_index":`, strconv.Itoa(order), `}}`)
	c.end()
}

// AttemptEnded implements experiment.Witness.
func (c *chrome) AttemptEnded(a *model.Attempt) {
	if a.AnsweredAt == 0 && c.window.touches(a.Began, a.Ended) {
		c.held.add(a)
	}
}

// Answered implements experiment.Witness.
func (c *chrome) Answered(a *model.Answer) {
	attempts := c.held.take(&a.Message)
	if c.window.touches(a.Began, a.At) {
		c.send(&a.Message, a.Began, a.At, answerName(&a.Result), attempts)
	}
	c.held.give(attempts)
}

// send writes a send with its attempts, which lie within it.
func (c *chrome) send(m *model.Message, from, to sim.Time, answer string, attempts []model.Attempt) {
	tid, isNew, nth := c.lanes[m.Group].take(m.Instance, from, to)
	if tid == 0 {
		c.leftOut++
		return
	}
	pid := c.producerPID(m.Group)
	if isNew {
		c.thread(pid, tid, laneName(c.producers[m.Group], m.Instance, nth), laneOrder(m.Instance, nth))
	}
	c.slice("send", pid, tid, from, to)
	c.text(`,"name":"`, strconv.FormatUint(m.Number, 10), ` `, answer, `","args":{"message":`,
		strconv.FormatUint(m.Number, 10), `,"instance":`, strconv.Itoa(int(m.Instance)),
		`,"scheduled_ns":`, strconv.FormatInt(int64(m.Scheduled), 10),
		`,"attempts":`, strconv.Itoa(len(attempts)), `}}`)
	c.end()
	for i := range attempts {
		a := &attempts[i]
		c.slice("attempt", pid, tid, max(a.Began, from), min(a.Ended, to))
		c.text(`,"name":"`, c.brokers[a.Queue.Broker], `:`, strconv.Itoa(int(a.Queue.ID)), ` `,
			outcomeName(a.Outcome), `","args":{"attempt":`, strconv.Itoa(int(a.Try)),
			`,"unsent":`, strconv.FormatBool(a.Unsent), `}}`)
		c.end()
	}
}

// TableChanged implements experiment.Witness.
func (c *chrome) TableChanged(t *model.TableChange, isolates, explained bool) {
	if !isolates || !c.window.holds(t.At) {
		return
	}
	name := "avoids " + c.brokers[t.Broker]
	if !explained {
		name += ", with no fault"
	}
	c.instant(c.producerPID(t.Group), t.At, name)
	c.text(`,"args":{"instance":`, strconv.Itoa(int(t.Instance)), `,"latency_ms":`,
		strconv.FormatInt(int64(t.After.Latency), 10), `,"until_ns":`,
		strconv.FormatInt(int64(t.Until), 10), `,"after":"`, outcomeName(t.Outcome), `"}}`)
	c.end()
}

// processWords say what happened to a process.
var processWords = map[model.ProcessWhat]string{
	model.FaultBegan: "fault strikes", model.FaultEnded: "fault lets go", model.Started: "serves again",
	model.BytesLost: "bytes lost", model.Registered: "registered", model.Unregistered: "unregistered",
	model.Recovered: "recovered",
}

// Process implements experiment.Witness.
func (c *chrome) Process(p *model.ProcessEvent) {
	if !c.window.holds(p.At) {
		return
	}
	pid := worldPID
	switch p.Target.Kind {
	case config.BrokerTarget:
		pid = c.brokerPID(p.Target.Index)
	case config.ProducerTarget:
		pid = c.producerPID(int32(p.Target.Index))
	}
	target := jsonText(c.cfg.TargetName(p.Target))
	c.instant(pid, p.At, target[1:len(target)-1]+" "+processWords[p.What])
	c.text(`,"args":{`)
	if p.Fault >= 0 {
		c.text(`"fault":`, jsonText(c.cfg.Faults[p.Fault].Name), `,`)
	}
	c.text(`"bytes":`, strconv.FormatInt(p.Bytes, 10), `}}`)
	c.end()
}

// Finish implements Sink.
func (c *chrome) Finish(run *result.Run) error {
	now := sim.Time(run.SimulatedNS)
	for _, attempts := range c.held.left() {
		a := &attempts[0]
		c.send(&a.Message, a.Began, max(now, attempts[len(attempts)-1].Ended), "not answered", attempts)
	}
	c.stretches(run)
	c.counters(run)
	c.line = append(c.line, "\n],\"otherData\":{"...)
	c.text(`"scenario":`, jsonText(run.Scenario), `,"seed":"`, strconv.FormatUint(run.Seed, 10),
		`","digest":"`, run.Digest, `","sends_left_out":`, strconv.FormatInt(c.leftOut, 10), "}}\n")
	c.end()
	return c.err
}

// stretches writes the phases and faults.
func (c *chrome) stretches(run *result.Run) {
	tid := 0
	write := func(kind, name string, from, to int64) {
		to = min(to, run.SimulatedNS)
		if from >= to || !c.window.touches(sim.Time(from), sim.Time(to)) {
			return
		}
		text := jsonText(name)
		tid++
		c.thread(worldPID, tid, kind+" "+text[1:len(text)-1], tid)
		c.slice(kind, worldPID, tid, sim.Time(from), sim.Time(to))
		c.text(`,"name":`, text, `}`)
		c.end()
	}
	for _, p := range run.Phases {
		if p.Name != result.PhaseAll {
			write("phase", p.Name, p.FromNS, p.ToNS)
		}
	}
	for i := range run.Faults {
		if f := &run.Faults[i]; f.Began {
			write("fault", f.Name, f.FromNS, f.ToNS)
		}
	}
}

// counters writes what was in flight to each broker, and how many sends waited there, by window.
func (c *chrome) counters(run *result.Run) {
	for i := range run.Series.Windows {
		w := &run.Series.Windows[i]
		if !c.window.touches(sim.Time(w.FromNS), sim.Time(w.FromNS+run.Series.WindowNS)) {
			continue
		}
		for b := range w.Brokers {
			for _, counter := range []struct {
				name  string
				value float64
			}{
				{"in flight", w.Brokers[b].InFlight},
				{"queue", w.Brokers[b].Queue},
				{"avoided by % of instances", 100 * w.Avoided[b]},
			} {
				c.begin(`{"ph":"C","pid":`, c.brokerPID(b))
				c.time(`,"ts":`, w.FromNS)
				c.text(`,"name":"`, counter.name, `","args":{"value":`,
					strconv.FormatFloat(math.Round(counter.value*1000)/1000, 'f', -1, 64), `}}`)
				c.end()
			}
		}
	}
}

// slice begins a complete event; the caller adds its name.
func (c *chrome) slice(category string, pid, tid int, from, to sim.Time) {
	c.begin(`{"ph":"X","pid":`, pid)
	c.text(`,"tid":`, strconv.Itoa(tid), `,"cat":"`, category, `"`)
	c.time(`,"ts":`, int64(from))
	c.time(`,"dur":`, int64(max(0, to-from)))
}

// instant begins an instant event of a process; the caller adds its arguments. The name is as in JSON.
func (c *chrome) instant(pid int, at sim.Time, name string) {
	c.begin(`{"ph":"i","s":"p","tid":0,"pid":`, pid)
	c.time(`,"ts":`, int64(at))
	c.text(`,"name":"`, name, `"`)
}

// begin begins an event with its process.
func (c *chrome) begin(head string, pid int) {
	if c.events > 0 {
		c.line = append(c.line, ',')
	}
	c.events++
	c.line = append(c.line, '\n')
	c.text(head, strconv.Itoa(pid))
}

func (c *chrome) text(parts ...string) {
	for _, p := range parts {
		c.line = append(c.line, p...)
	}
}

// time writes nanoseconds as microseconds.
func (c *chrome) time(head string, ns int64) {
	c.line = append(c.line, head...)
	c.number(ns / 1000)
	c.line = append(c.line, '.')
	rest := ns % 1000
	c.line = append(c.line, byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}
