package experiment

import (
	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
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
	means      []float64 // of the latencies of the closed windows, NaN if there is none
	load       []loadRow // by broker
	// underway[window*brokers+broker] is the time of attempts under way, added up.
	underway []int64
}

func newWindows(cfg *config.Config, width sim.Duration) windows {
	n := int((cfg.Duration + width - 1) / width)
	w := windows{
		width: width, list: make([]result.Window, n), means: make([]float64, 0, n), end: sim.Time(width),
		load: make([]loadRow, len(cfg.Brokers)), underway: make([]int64, n*len(cfg.Brokers)),
	}
	for _, b := range cfg.Brokers {
		w.brokers = append(w.brokers, b.Name)
	}
	nb := len(cfg.Brokers)
	sends, shares := make([]int64, n*nb), make([]float64, 2*n*nb)
	exposed := make([]result.BrokerWindow, n*nb)
	for i := range w.list {
		w.list[i] = result.Window{
			FromNS:  int64(i) * int64(width),
			Sends:   sends[i*nb : (i+1)*nb : (i+1)*nb],
			Avoided: shares[2*i*nb : (2*i+1)*nb : (2*i+1)*nb],
			Routed:  shares[(2*i+1)*nb : (2*i+2)*nb : (2*i+2)*nb],
			Brokers: exposed[i*nb : (i+1)*nb : (i+1)*nb],
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

// scheduled counts n messages that come into being.
func (w *windows) scheduled(m *model.Message, n int64) { w.at(m.Scheduled).Scheduled += n }

// sent counts an attempt for n messages that was sent, in the window in which it began, and the time that
// it was under way in each.
func (w *windows) sent(a *model.Attempt, n int64) {
	b := int(a.Queue.Broker)
	win := w.at(a.Began)
	win.Sends[b] += n
	if a.Refused {
		win.Fallbacks += n
	}
	if a.Began >= w.start {
		w.underway[w.open*len(w.brokers)+b] += int64(a.Ended-a.Began) * n
		return
	}
	width := sim.Time(w.width)
	for i := int(a.Began / width); i <= w.open; i++ {
		from, to := max(a.Began, sim.Time(i)*width), min(a.Ended, sim.Time(i+1)*width)
		w.underway[i*len(w.brokers)+b] += int64(to-from) * n
	}
}

// stored notes a copy in the memory of a master.
func (w *windows) stored(c *model.Copy) {
	b := &w.list[w.open].Brokers[c.Broker]
	b.UnsyncedBytes = max(b.UnsyncedBytes, c.UnsyncedBytes)
}

// answer counts an answer to n messages.
func (w *windows) answer(a *model.Answer, ns, n int64) {
	win := &w.list[w.open]
	win.N += n
	w.latency.add(ns, n)
	switch {
	case a.Result.Status == strategy.StatusNone:
		win.Failed += n
	case a.Result.Status == strategy.StatusHanded:
		win.Handed += n
	case gone(a.Fate): // while the acknowledgement was under way
		win.Lost += n
	default:
		*ackedIn(win, a.Result.Status, a.Attempts) += n
	}
}

// ackedIn is the counter of a window for messages that are acknowledged and not lost.
func ackedIn(win *result.Window, status strategy.Status, attempts int32) *int64 {
	switch {
	case status != strategy.StatusSendOK:
		return &win.Weaker
	case attempts > 1:
		return &win.OKRetry
	}
	return &win.OK
}

// fate takes an acknowledged message that is lost now out of the successes of the window in which
// it was acknowledged.
func (w *windows) fate(c *model.FateChange, n int64) {
	if !c.OK || gone(c.From) == gone(c.To) {
		return
	}
	win := w.at(c.AnsweredAt)
	moved := n
	if gone(c.From) {
		moved = -n
	}
	*ackedIn(win, c.Status, c.Attempts) -= moved
	win.Lost += moved
}

// close ends the open window with the quantiles of its latencies and what the world looks like now,
// and opens the next one.
func (f *fold) closeWindow() {
	w := &f.windows
	win := &w.list[w.open]
	w.quantiles(win)
	w.means = append(w.means, w.latency.exactMean())
	f.readLoad()
	for b := range w.load {
		x := &win.Brokers[b]
		x.Utilisation, x.Queue = w.load[b].utilisation(), w.load[b].queue()
		x.Busy = w.load[b].busyReplies
		w.load[b] = loadRow{}
	}
	f.sample(w.end - 1)
	for b := range w.brokers {
		win.Avoided[b], win.Routed[b] = f.outlook(b)
	}
	p := f.exposure.close()
	win.AtRisk, win.AtRiskBytes, win.Unreadable = p.messages, p.bytes, p.unreadable
	w.latency.reset()
	w.open++
	w.start = w.end
	w.end = w.end.Add(w.width)
	f.sample(w.start - 1) // what is there now is there at the start of the next
}

// quantiles fills in those of the latencies of a window.
func (w *windows) quantiles(win *result.Window) {
	if win.N == 0 {
		return
	}
	ranks := [3]int64{rankOf(500, win.N), rankOf(950, win.N), rankOf(990, win.N)}
	var at [3]int64
	w.latency.atRanks(ranks[:], at[:])
	win.P50NS, win.P95NS, win.P99NS, win.MaxNS = at[0], at[1], at[2], w.latency.max
}

// outlook is the share of the producer instances whose table refuses a broker now, and of those whose
// publish list has it.
func (f *fold) outlook(b int) (avoided, routed float64) {
	avoiding, listed, of := 0, 0, 0
	for g := range f.cfg.Producers {
		if !f.faults.members[g][b] {
			continue
		}
		of += f.cfg.Producers[g].Count
		avoiding += f.world.Avoiding(g, b)
		listed += f.world.Routed(g, b)
	}
	if of == 0 {
		return 0, 0
	}
	return float64(avoiding) / float64(of), float64(listed) / float64(of)
}

// series returns the closed windows of a run that came to a time.
func (w *windows) series(now sim.Time) result.Series {
	for i := range w.list[:w.open] {
		width := min(w.width, now.Sub(sim.Time(w.list[i].FromNS)))
		for b := range w.list[i].Brokers {
			if width > 0 {
				w.list[i].Brokers[b].InFlight = float64(w.underway[i*len(w.brokers)+b]) / float64(width)
			}
		}
	}
	return result.Series{WindowNS: int64(w.width), Brokers: w.brokers, Windows: w.list[:w.open]}
}
