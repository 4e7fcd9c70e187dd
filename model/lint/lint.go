package lint

import (
	"fmt"
	"slices"
	"strings"

	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// Check returns the warnings of a configuration in which Validate finds no mistake, in the order of its
// producers.
func Check(cfg *config.Config) []config.Problem {
	c := &lints{cfg: cfg}
	for i := range cfg.Producers {
		p := &cfg.Producers[i]
		l := linter{lints: c, p: p, path: "producer." + p.Name + "."}
		l.timeout = sim.Duration(p.Settings.SendMsgTimeout) * sim.Millisecond
		if p.Client == config.JavaClient {
			profile, err := p.Profile()
			wire, wireErr := p.Wire()
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
	return c.problems
}

// lints collects the warnings of a configuration.
type lints struct {
	cfg      *config.Config
	problems []config.Problem
}

// linter looks at one producer.
type linter struct {
	*lints
	p       *config.Producer
	path    string
	profile strategy.Profile
	wire    releases.Client
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
	l.pace()
	l.idleSettings()
}

// java says whether it is a producer of the Java client.
func (l *linter) java() bool { return l.p.Client == config.JavaClient }

// told adds a warning about a key of the producer. It is valid until the next one.
func (l *linter) told(key, format string, args ...any) *config.Problem {
	l.problems = append(l.problems, config.Problem{
		Path: l.path + key, Message: fmt.Sprintf(format, args...), Warning: true,
	})
	return &l.problems[len(l.problems)-1]
}

// brokersOf are the brokers that a producer sends to, in their order: those of its topics, or that of its
// queue.
func (c *lints) brokersOf(p *config.Producer) (list []int) {
	for i := range c.cfg.Brokers {
		if p.Choice == config.ChooseQueue && c.cfg.Brokers[i].Name != p.Queue.Broker {
			continue
		}
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
func (c *lints) topicOn(name string, broker int) bool {
	i := slices.IndexFunc(c.cfg.Topics, func(t config.Topic) bool { return t.Name == name })
	if i < 0 {
		return false
	}
	brokers := c.cfg.Topics[i].Brokers
	return len(brokers) == 0 || slices.Contains(brokers, c.cfg.Brokers[broker].Name)
}

// names lists brokers for a sentence: "broker a", "brokers a, b and 3 more".
func (c *lints) names(list []int) string {
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
