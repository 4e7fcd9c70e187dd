// Package trace writes down what happens in a run while it happens, in formats that other tools read: a row
// for each attempt, a row for each change of a fault table, and a file for trace viewers. What it holds in
// memory depends on how much is in flight at once, not on how long the run is.
package trace

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Window is the part of a run that is written: from From up to, not including, To. The zero value is all.
type Window struct{ From, To sim.Time }

// holds says whether an instant is in the window.
func (w Window) holds(t sim.Time) bool { return t >= w.From && (w.To == 0 || t < w.To) }

// touches says whether a stretch has a part in the window.
func (w Window) touches(from, to sim.Time) bool { return to >= w.From && (w.To == 0 || from < w.To) }

// Sink writes one file. Errors of its writer are kept and returned by Finish.
type Sink interface {
	experiment.Witness
	// Finish writes what is known at the end only. It must be called once, with the result of the run.
	Finish(run *result.Run) error
}

// Sinks are several of them.
type Sinks []Sink

// AttemptEnded implements experiment.Witness.
func (s Sinks) AttemptEnded(a *model.Attempt) {
	for _, sink := range s {
		sink.AttemptEnded(a)
	}
}

// Answered implements experiment.Witness.
func (s Sinks) Answered(a *model.Answer) {
	for _, sink := range s {
		sink.Answered(a)
	}
}

// TableChanged implements experiment.Witness.
func (s Sinks) TableChanged(c *model.TableChange, isolates, explained bool) {
	for _, sink := range s {
		sink.TableChanged(c, isolates, explained)
	}
}

// Process implements experiment.Witness.
func (s Sinks) Process(p *model.ProcessEvent) {
	for _, sink := range s {
		sink.Process(p)
	}
}

// Finish implements Sink.
func (s Sinks) Finish(run *result.Run) error {
	var errs []error
	for _, sink := range s {
		errs = append(errs, sink.Finish(run))
	}
	return errors.Join(errs...)
}

// deaf is told and does nothing.
type deaf struct{}

func (deaf) AttemptEnded(*model.Attempt)                 {}
func (deaf) Answered(*model.Answer)                      {}
func (deaf) TableChanged(*model.TableChange, bool, bool) {}
func (deaf) Process(*model.ProcessEvent)                 {}

// output is a writer that remembers its first error.
type output struct {
	w   io.Writer
	err error
	// line is what is being put together.
	line []byte
}

// end writes the line.
func (o *output) end() {
	if o.err == nil {
		_, o.err = o.w.Write(o.line)
	}
	o.line = o.line[:0]
}

// outcomeName is how an attempt ended, as in the other results: an error of the broker by its code.
func outcomeName(o strategy.Outcome) string {
	if o.Kind == strategy.OutcomeBrokerError {
		return strategy.CodeName(o.Code)
	}
	return o.Kind.String()
}

// answerName is what the caller got, as in the other results: a status, or an exception with its code.
func answerName(r *strategy.Result) string {
	switch {
	case r.Status != strategy.StatusNone:
		return r.Status.String()
	case r.Code > 0:
		return r.Exception.String() + " " + strategy.CodeName(r.Code)
	}
	return r.Exception.String()
}

// csvText is a text as a field of a CSV file.
func csvText(s string) string {
	if strings.ContainsAny(s, ",\"\r\n") || strings.HasPrefix(s, " ") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// jsonText is a text as a string of JSON.
func jsonText(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always can be
	}
	return string(data)
}

// names are those of the groups and brokers, each written as f does.
func names(cfg *config.Config, f func(string) string) (producers, brokers []string) {
	for i := range cfg.Producers {
		producers = append(producers, f(cfg.Producers[i].Name))
	}
	for i := range cfg.Brokers {
		brokers = append(brokers, f(cfg.Brokers[i].Name))
	}
	return producers, brokers
}
