package model

import (
	"fmt"
	"slices"
	"strings"

	"simrun/sim"
	"simrun/strategy"
)

// A lint is a warning about settings that are each allowed and contradict each other: it names the
// inequality with both values, and what follows from it. What only matters if a send can hang is said only
// of configurations in which a planned fault makes one hang.

// lint adds the warnings of a configuration without mistakes.
func (c *checker) lint() {
	for i := range c.cfg.Producers {
		p := &c.cfg.Producers[i]
		l := linter{checker: c, p: p, path: "producer." + p.Name + "."}
		l.timeout = sim.Duration(p.Settings.SendMsgTimeout) * sim.Millisecond
		if p.Client == JavaClient {
			profile, err := p.Profile()
			wire, wireErr := p.wire()
			if err != nil || wireErr != nil {
				continue // reported
			}
			l.profile, l.wire = profile, wire
		} else {
			l.profile.Budget = strategy.BudgetPerAttempt
		}
		l.brokers = c.brokersOf(p)
		l.hang = l.longestHang()
		l.all()
	}
}

// linter looks at one producer.
type linter struct {
	*checker
	p       *Producer
	path    string
	profile strategy.Profile
	wire    clientProfile
	timeout sim.Duration
	// brokers are those that the producer sends to, hang the planned fault that keeps its sends waiting.
	brokers []int
	hang    hang
}

func (l *linter) all() {
	l.brokerWaits()
	l.brokerQueue()
	l.connect()
	l.retries()
	l.requestCap()
	l.asyncRetries()
	l.avoidance()
	l.isolation()
	l.detector()
	l.backpressure()
	l.singleBroker()
	l.threads()
}

// java says whether it is a producer of the Java client.
func (l *linter) java() bool { return l.p.Client == JavaClient }

// told adds a warning about a key of the producer.
func (l *linter) told(key, format string, args ...any) {
	l.warn(l.path+key, format, args...)
	l.problems[len(l.problems)-1].Lint = true
}

// brokersOf are the brokers of a producer's topics, in their order.
func (c *checker) brokersOf(p *Producer) (list []int) {
	for i := range c.cfg.Brokers {
		for _, share := range p.Topics {
			if c.topicOn(share.Name, i) {
				list = append(list, i)
				break
			}
		}
	}
	return list
}

// topicOn says whether a broker has a topic.
func (c *checker) topicOn(name string, broker int) bool {
	i := slices.IndexFunc(c.cfg.Topics, func(t Topic) bool { return t.Name == name })
	if i < 0 {
		return false
	}
	brokers := c.cfg.Topics[i].Brokers
	return len(brokers) == 0 || slices.Contains(brokers, c.cfg.Brokers[broker].Name)
}

// names lists brokers for a sentence: "broker a", "brokers a, b and 3 more".
func (c *checker) names(list []int) string {
	const few = 2
	var names []string
	for _, i := range list[:min(few, len(list))] {
		names = append(names, c.cfg.Brokers[i].Name)
	}
	switch more := len(list) - few; {
	case len(list) == 1:
		return "broker " + names[0]
	case more > 0:
		return fmt.Sprintf("brokers %s and %d more", strings.Join(names, ", "), more)
	default:
		return "brokers " + strings.Join(names, " and ")
	}
}

// inWords writes a time as a scenario does: "600s", "250ms".
func inWords(d sim.Duration) string {
	switch {
	case d%sim.Second == 0:
		return fmt.Sprintf("%ds", d/sim.Second)
	case d%sim.Millisecond == 0:
		return fmt.Sprintf("%dms", d/sim.Millisecond)
	default:
		return d.String()
	}
}

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
		if !f.Kind.silent() || f.Kind == Partition && !l.cutsOff(f) {
			continue
		}
		h := hang{fault: f, lasts: l.outage(f, false)}
		for _, t := range l.cfg.Struck(f) {
			if t.Kind == BrokerTarget && t.ID == 0 && slices.Contains(l.brokers, t.Index) {
				h.brokers = append(h.brokers, t.Index)
			}
		}
		if f.Rate > 0 && len(h.brokers) > 1 {
			h.brokers = h.brokers[:1] // each on its own
		}
		slices.Sort(h.brokers)
		n := len(h.brokers) - len(worst.brokers)
		if len(h.brokers) > 0 && (n > 0 || n == 0 && h.lasts > worst.lasts) {
			worst = h
		}
	}
	return worst
}

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
