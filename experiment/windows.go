package experiment

import (
	"simrun/internal/result"
	"simrun/model"
	"simrun/sim"
	"simrun/strategy"
)

// maxWindows bounds the number of windows of a time series: about as many as a figure has points across,
// so that a long run costs no more memory than a short one.
const maxWindows = 800

// shortWindows is the number of windows that a run too short for windows of a second gets at most.
const shortWindows = 120

// niceWidths are the widths of windows a reader can do sums with.
var niceWidths = []sim.Duration{
	1 * sim.Millisecond, 2 * sim.Millisecond, 5 * sim.Millisecond,
	10 * sim.Millisecond, 20 * sim.Millisecond, 50 * sim.Millisecond,
	100 * sim.Millisecond, 200 * sim.Millisecond, 500 * sim.Millisecond,
	1 * sim.Second, 2 * sim.Second, 5 * sim.Second, 10 * sim.Second, 20 * sim.Second,
	30 * sim.Second, 1 * sim.Minute, 2 * sim.Minute, 5 * sim.Minute, 10 * sim.Minute,
	20 * sim.Minute, 30 * sim.Minute, 1 * sim.Hour, 2 * sim.Hour, 6 * sim.Hour, 24 * sim.Hour,
}

// windowWidth is the width of the windows of a run: the least nice one that is at least a second
// and gives at most 800 windows; below a minute the least that gives at most 120.
func windowWidth(run sim.Duration) sim.Duration {
	for _, w := range niceWidths {
		n := (run + w - 1) / w
		if run < sim.Minute && n <= shortWindows || w >= sim.Second && n <= maxWindows {
			return w
		}
	}
	// Longer than 130 years of niceWidths: a number of days, whatever it is.
	last := niceWidths[len(niceWidths)-1]
	return (run/maxWindows/last + 1) * last
}

// windows is the time series of a run under way. The quantiles of a window are taken when it
// closes, so that one histogram serves them all.
type windows struct {
	width   sim.Duration
	brokers []string
	list    []result.Window
	// Of the window that is open: its number, its start and end, and its latencies.
	open       int
	start, end sim.Time
	latency    latency
}

func newWindows(cfg *model.Config, width sim.Duration) windows {
	n := int((cfg.Duration + width - 1) / width)
	w := windows{width: width, list: make([]result.Window, n), end: sim.Time(width)}
	for _, b := range cfg.Brokers {
		w.brokers = append(w.brokers, b.Name)
	}
	nb := len(cfg.Brokers)
	sends, shares := make([]int64, n*nb), make([]float64, 2*n*nb)
	for i := range w.list {
		w.list[i] = result.Window{
			FromNS:  int64(i) * int64(width),
			Sends:   sends[i*nb : (i+1)*nb : (i+1)*nb],
			Avoided: shares[2*i*nb : (2*i+1)*nb : (2*i+1)*nb],
			Routed:  shares[(2*i+1)*nb : (2*i+2)*nb : (2*i+2)*nb],
		}
	}
	return w
}

// at is the window of an instant that is not after the open window's end.
func (w *windows) at(t sim.Time) *result.Window {
	if t >= w.start {
		return &w.list[w.open]
	}
	return &w.list[t/sim.Time(w.width)]
}

func (w *windows) sent(a *model.Attempt) { w.at(a.Began).Sends[a.Queue.Broker]++ }

func (w *windows) answer(a *model.Answer, ns int64) {
	win := &w.list[w.open]
	win.N++
	w.latency.add(ns)
	switch {
	case a.Result.Status == strategy.StatusNone:
		win.Failed++
	case gone(a.Fate): // while the acknowledgement was under way
		win.Lost++
	default:
		*acknowledged(win, a.Attempts)++
	}
}

// acknowledged is the counter of a window for messages that are acknowledged and not lost.
func acknowledged(win *result.Window, attempts int32) *int64 {
	if attempts > 1 {
		return &win.OKRetry
	}
	return &win.OK
}

// fate takes an acknowledged message that is lost now out of the successes of the window in which
// it was acknowledged.
func (w *windows) fate(c *model.FateChange) {
	if !c.OK || gone(c.From) == gone(c.To) {
		return
	}
	win := w.at(c.AnsweredAt)
	moved := int64(1)
	if gone(c.From) {
		moved = -1
	}
	*acknowledged(win, c.Attempts) -= moved
	win.Lost += moved
}

// close ends the open window with the quantiles of its latencies and what world looks like now, and
// opens the next one.
func (w *windows) close(world world, members [][]bool, cfg *model.Config) {
	win := &w.list[w.open]
	if win.N > 0 {
		ranks := [3]int64{rankOf(500, win.N), rankOf(950, win.N), rankOf(990, win.N)}
		var at [3]int64
		w.latency.hist.atRanks(ranks[:], at[:])
		for i := range at {
			at[i] = min(at[i], w.latency.max)
		}
		win.P50NS, win.P95NS, win.P99NS, win.MaxNS = at[0], at[1], at[2], w.latency.max
	}
	for b := range w.brokers {
		avoiding, routed, of := 0, 0, 0
		for g := range cfg.Producers {
			if !members[g][b] {
				continue
			}
			of += cfg.Producers[g].Count
			avoiding += world.Avoiding(g, b)
			routed += world.Routed(g, b)
		}
		if of > 0 {
			win.Avoided[b] = float64(avoiding) / float64(of)
			win.Routed[b] = float64(routed) / float64(of)
		}
	}
	w.latency.hist.reset()
	w.latency.max, w.latency.sumHigh, w.latency.sumLow = 0, 0, 0
	w.open++
	w.start = w.end
	w.end = w.end.Add(w.width)
}

// series returns the closed windows.
func (w *windows) series() result.Series {
	return result.Series{WindowNS: int64(w.width), Brokers: w.brokers, Windows: w.list[:w.open]}
}
