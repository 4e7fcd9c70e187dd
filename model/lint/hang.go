package lint

import (
	"slices"

	"simrun/model/config"
	"simrun/sim"
)

// hang is a planned fault that keeps sends waiting.
type hang struct {
	fault *config.Fault
	// brokers are those of the producer that fall silent at once, lasts is how long they are silent.
	brokers []int
	lasts   sim.Duration
}

// silent says whether a kind of fault leaves sends to a broker without any answer.
func silent(k config.FaultKind) bool {
	switch k {
	case config.PowerLoss, config.DiskLoss, config.Vanish, config.Pause, config.CablePull, config.BlackHole,
		config.Partition:
		return true
	default:
		return false
	}
}

// longestHang is the fault that silences most of the producer's brokers, of those the longest.
func (l *linter) longestHang() (worst hang) {
	for i := range l.cfg.Faults {
		f := &l.cfg.Faults[i]
		if !silent(f.Kind) {
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
func (l *linter) hangOf(f *config.Fault) hang {
	h := hang{fault: f, lasts: l.outage(f, false)}
	if f.Kind == config.Partition && !l.cutsOff(f) {
		return h
	}
	for _, t := range l.cfg.Struck(f) {
		if t.Kind == config.BrokerTarget && t.ID == 0 && slices.Contains(l.brokers, t.Index) {
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
func deaf(k config.FaultKind) bool { return silent(k) && k != config.Pause }

// refuses says whether the connections of a broker end with a fault of this kind, and new ones are refused.
func refuses(k config.FaultKind) bool {
	return k == config.Kill || k == config.Shutdown || k == config.RollingRestart
}

// cutsOff says whether a partition keeps the producer from the brokers that it strikes.
func (l *linter) cutsOff(f *config.Fault) bool {
	if len(f.To) == 0 {
		return true
	}
	return slices.ContainsFunc(f.To, func(t config.Target) bool {
		return t.Kind == config.ProducerTarget && &l.cfg.Producers[t.Index] == l.p
	})
}

// outage is how long a strike of a fault lasts, with the start of a process that it ended if that counts;
// 0 for one that lasts to the end, or whose length is drawn.
func (l *linter) outage(f *config.Fault, startup bool) (d sim.Duration) {
	d = f.Duration
	switch {
	case f.Rate > 0:
		return 0
	case f.Period > 0 || f.Kind == config.RollingRestart:
		d = f.Down
	}
	if d == 0 && f.Kind != config.RollingRestart || !startup || !f.Kind.Ends() &&
		f.Kind != config.RollingRestart {
		return d
	}
	most := sim.Duration(0)
	for _, t := range l.cfg.Struck(f) {
		most = max(most, l.cfg.StartupOf(t))
	}
	return d + most
}
