package model

import (
	"simrun/model/config"
	"simrun/sim"
)

// roll is a rolling restart: one target after the other.
type roll struct {
	strike int32
	at     int32 // the target it is at
	step   rollStep
}

type rollStep uint8

const (
	rollWiped    rollStep = iota // the shutdown is to come
	rollStopping                 // SIGTERM has come
	rollDown                     // the process has ended
	rollStarting                 // it starts
)

// rollBegins begins a rolling restart, with the wipe of the first target's write permission if there is
// one.
func (w *World) rollBegins(strike int32) {
	w.rolls = append(w.rolls, roll{strike: strike, at: none})
	w.rollOn(int32(len(w.rolls))-1, 0)
}

// rollOn goes on to the next target after a gap: its wipe comes so much before its shutdown, but not
// before now.
func (w *World) rollOn(i int32, gap sim.Duration) {
	r := &w.rolls[i]
	s := &w.strikes[r.strike]
	r.at++
	if int(r.at) == len(s.Targets) || s.To > 0 && w.eng.Now() >= s.To {
		return
	}
	if f := &w.cfg.Faults[s.Fault]; f.Wipe {
		w.timerAfter(max(gap-f.WipeBefore, 0), evRollWipe, i)
		return
	}
	w.timerAfter(gap, evRollStop, i)
}

func (w *World) rollWipes(i int32) {
	r := &w.rolls[i]
	r.step = rollWiped
	f := &w.cfg.Faults[w.strikes[r.strike].Fault]
	if t := w.strikes[r.strike].Targets[r.at]; t.Kind == config.BrokerTarget && t.ID == 0 {
		w.wipeWritePerm(f, int32(t.Index))
	}
	w.timerAfter(f.WipeBefore, evRollStop, i)
}

func (w *World) rollStops(i int32) {
	r := &w.rolls[i]
	s := &w.strikes[r.strike]
	t := s.Targets[r.at]
	w.tellTarget(t, FaultBegan, s.Fault)
	r.step = rollStopping
	p := w.targetProc(t)
	w.procs[p].roll = i
	w.shutDown(p, s.Fault)
	if !w.procs[p].running {
		w.rolledDown(p)
	}
}

// rolledDown is the end of a process that a rolling restart has shut down.
func (w *World) rolledDown(p int32) {
	i := w.procs[p].roll
	if i == none || w.rolls[i].step != rollStopping {
		return
	}
	w.rolls[i].step = rollDown
	w.timerAfter(w.cfg.Faults[w.strikes[w.rolls[i].strike].Fault].Down, evRollStart, i)
}

func (w *World) rollStarts(i int32) {
	r := &w.rolls[i]
	s := &w.strikes[r.strike]
	r.step = rollStarting
	w.tellTarget(s.Targets[r.at], FaultEnded, s.Fault)
	w.start(w.targetProc(s.Targets[r.at]))
}

// rolledUp is the open port of a process that a rolling restart has started.
func (w *World) rolledUp(p int32) {
	i := w.procs[p].roll
	if i == none || w.rolls[i].step != rollStarting {
		return
	}
	w.procs[p].roll = none
	w.rollOn(i, w.cfg.Faults[w.strikes[w.rolls[i].strike].Fault].Gap)
}
