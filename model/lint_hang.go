package model

import (
	"slices"

	"simrun/sim"
)

// hang is a planned fault that keeps sends waiting.
type hang struct {
	fault *Fault
	// brokers are those of the producer that fall silent at once, lasts is how long they are silent.
	brokers []int
	lasts   sim.Duration
}

// silent says whether a kind of fault leaves sends to a broker without any answer.
func (k FaultKind) silent() bool {
	switch k {
	case PowerLoss, DiskLoss, Vanish, Pause, CablePull, BlackHole, Partition:
		return true
	default:
		return false
	}
}

// longestHang is the fault that silences most of the producer's brokers, of those the longest.
func (l *linter) longestHang() (worst hang) {
	for i := range l.cfg.Faults {
		f := &l.cfg.Faults[i]
		if !f.Kind.silent() {
			continue
		}
		h := l.hangOf(f)
		n := len(h.brokers) - len(worst.brokers)
		if len(h.brokers) > 0 && (n > 0 || n == 0 && h.lasts > worst.lasts) {
			worst = h
		}
	}
	return worst
}

// hangOf is a fault as a hang; its brokers are none if it strikes no master that the producer sends to.
func (l *linter) hangOf(f *Fault) hang {
	h := hang{fault: f, lasts: l.outage(f, false)}
	if f.Kind == Partition && !l.cutsOff(f) {
		return h
	}
	for _, t := range l.cfg.Struck(f) {
		if t.Kind == BrokerTarget && t.ID == 0 && slices.Contains(l.brokers, t.Index) {
			h.brokers = append(h.brokers, t.Index)
		}
	}
	if f.Rate > 0 && len(h.brokers) > 1 {
		h.brokers = h.brokers[:1] // each on its own
	}
	slices.Sort(h.brokers)
	return h
}

// deaf says whether a kind of fault leaves a SYN to a broker unanswered: no kernel of its host gets it.
func (k FaultKind) deaf() bool { return k.silent() && k != Pause }

// refuses says whether the connections of a broker end with a fault of this kind, and new ones are refused.
func (k FaultKind) refuses() bool { return k == Kill || k == Shutdown || k == RollingRestart }

// cutsOff says whether a partition keeps the producer from the brokers that it strikes.
func (l *linter) cutsOff(f *Fault) bool {
	if len(f.To) == 0 {
		return true
	}
	return slices.ContainsFunc(f.To, func(t Target) bool {
		return t.Kind == ProducerTarget && &l.cfg.Producers[t.Index] == l.p
	})
}

// outage is how long a strike of a fault lasts, with the start of a process that it ended if that counts;
// 0 for one that lasts to the end, or whose length is drawn.
func (l *linter) outage(f *Fault, startup bool) (d sim.Duration) {
	d = f.Duration
	switch {
	case f.Rate > 0:
		return 0
	case f.Period > 0 || f.Kind == RollingRestart:
		d = f.Down
	}
	if d == 0 && f.Kind != RollingRestart || !startup || !f.Kind.ends() && f.Kind != RollingRestart {
		return d
	}
	most := sim.Duration(0)
	for _, t := range l.cfg.Struck(f) {
		most = max(most, l.startupOf(t))
	}
	return d + most
}
