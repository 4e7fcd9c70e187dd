package experiment

import (
	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

const (
	// mostLanes is how many instances of a group have their isolations kept: as many as a figure can show.
	mostLanes = 16
	// mostIsolations is how many isolations are kept, 1.5 MB; later ones are counted.
	mostIsolations = 20_000
)

// isolations keeps the stretches in which fault tables refused brokers.
type isolations struct {
	cfg     *config.Config
	list    []stretch
	dropped int64
	// open[first[group]+instance*brokers+broker] is 1 + the index of the last stretch of that place of a
	// table, 0 if there is none.
	open  []int32
	first []int
	// tables are what turns a latency into an isolation, by group; nil of a client without a fault table.
	tables []*strategy.RocketMQ
	limits [][]strategy.Millis
}

// stretch is one that is kept.
type stretch struct {
	group, instance, broker        int32
	from, until                    sim.Time
	latency, limit, duration       strategy.Millis
	told, unreachable, isExplained bool
}

func newIsolations(cfg *config.Config) isolations {
	s := isolations{cfg: cfg}
	places := 0
	for g := range cfg.Producers {
		p := &cfg.Producers[g]
		s.first = append(s.first, places)
		places += min(p.Count, mostLanes) * len(cfg.Brokers)
		var table *strategy.RocketMQ
		var limits []strategy.Millis
		profile, err := p.Profile()
		if err == nil && p.Client != config.GoClient && p.Settings.SendLatencyFaultEnable {
			table, _ = strategy.NewRocketMQ(profile, p.Settings, nil).(*strategy.RocketMQ)
			if limits = p.Settings.LatencyMax; limits == nil {
				limits = profile.LatencyMax
			}
		}
		s.tables, s.limits = append(s.tables, table), append(s.limits, limits)
	}
	s.open = make([]int32, places)
	return s
}

// table follows a fault table. Isolates says that the change began or prolonged a refusal, explained that
// a fault accounts for it.
func (s *isolations) table(c *model.TableChange, isolates, explained bool) {
	if c.Instance >= mostLanes || s.tables[c.Group] == nil {
		return
	}
	place := s.first[c.Group] + int(c.Instance)*len(s.cfg.Brokers) + int(c.Broker)
	var open *stretch
	if i := s.open[place]; i > 0 && s.list[i-1].until > c.At {
		open = &s.list[i-1]
	}
	if !isolates {
		if open != nil {
			open.until = min(open.until, max(c.At, c.Until))
			open.unreachable = open.unreachable || !c.After.Reachable
		}
		return
	}
	next := s.read(c, explained)
	if open != nil && open.limit == next.limit && open.told == next.told && open.isExplained == explained {
		open.until = c.Until
		open.unreachable = open.unreachable || next.unreachable
		return
	}
	if open != nil {
		open.until = c.At
	}
	if len(s.list) == mostIsolations {
		s.dropped++
		s.open[place] = 0
		return
	}
	s.list = append(s.list, next)
	s.open[place] = int32(len(s.list))
}

// read finds out what a change that isolates stands for. What a table was told shows in how long it
// refuses the broker: for as long as the true latency asks for, or the latency that stands for a failure.
// Where both ask for the same, the outcome decides; and where neither does, of a policy that doubles its
// durations.
func (s *isolations) read(c *model.TableChange, explained bool) stretch {
	table := s.tables[c.Group]
	out := stretch{
		group: c.Group, instance: c.Instance, broker: c.Broker, from: c.At, until: c.Until,
		latency: c.After.Latency, duration: c.After.Start - c.ClockMillis,
		unreachable: !c.After.Reachable, isExplained: explained,
	}
	_, truly, asLatency := table.NotAvailable(c.After.Latency, false)
	_, failing, asFailure := table.NotAvailable(c.After.Latency, true)
	out.told = !c.Probe && !succeeded(c.Outcome)
	switch {
	case asLatency == asFailure:
	case out.duration == asLatency:
		out.told = false
	case out.duration == asFailure:
		out.told = true
	}
	bucket := truly
	if out.told {
		bucket = failing
	}
	if bucket > 0 {
		out.limit = s.limits[c.Group][bucket-1]
	}
	return out
}

// result are the stretches in the order in which they began.
func (s *isolations) result() []result.Isolation {
	var out []result.Isolation
	for i := range s.list {
		x := &s.list[i]
		out = append(out, result.Isolation{
			Producer: s.cfg.Producers[x.group].Name, Instance: int(x.instance),
			Broker: s.cfg.Brokers[x.broker].Name, FromNS: int64(x.from), UntilNS: int64(x.until),
			LatencyNS: millis(x.latency), LevelNS: millis(x.limit), NotAvailableNS: millis(x.duration),
			Isolated: x.told, Unreachable: x.unreachable, Explained: x.isExplained,
		})
	}
	return out
}
