package experiment

import (
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// spread summarises times by instance as durations since an instant, over the instances of the groups
// that are in and whose topic has the broker. The median is the nearest rank, and absent where an instance
// that never got there has it.
func (f *faultFold) spread(e *effect, at []sim.Time, since sim.Time, in func(group int) bool) result.Spread {
	var s result.Spread
	var reached []int64
	for g := range f.members {
		if !f.members[g][e.broker] || !in(g) {
			continue
		}
		for i := f.first[g]; i < f.first[g]+f.cfg.Producers[g].Count; i++ {
			s.Instances++
			if at[i] != notYet {
				reached = append(reached, int64(at[i].Sub(since)))
			}
		}
	}
	s.Reached = len(reached)
	slices.Sort(reached)
	if rank := (s.Instances + 1) / 2; rank > 0 && rank <= s.Reached {
		s.MedianNS = &reached[rank-1]
	}
	if s.Reached > 0 && s.Reached == s.Instances {
		s.MaxNS = &reached[s.Reached-1]
	}
	return s
}

// results returns what came of all faults by now, the end of the run.
func (f *faultFold) results(now sim.Time) []result.Fault {
	out := []result.Fault{}
	for i := range f.cfg.Faults {
		out = append(out, f.result(i, now))
	}
	return out
}

func (f *faultFold) result(i int, now sim.Time) result.Fault {
	spec, s := &f.cfg.Faults[i], &f.strikes[i]
	r := result.Fault{
		Name: spec.Name, Kind: spec.Kind.String(), Detail: detail(spec), FromNS: int64(spec.At),
		ToNS: int64(f.cfg.Duration), Began: sim.Time(spec.At) <= now, Strikes: s.n, HeldNS: int64(s.held),
		Effects: slaveEffects(f.cfg, spec),
	}
	if spec.Duration > 0 {
		r.ToNS = min(r.ToNS, int64(spec.At+spec.Duration))
	}
	if spec.Repeats() {
		r.Spans = s.spans
		r.DownNS, r.Downs = int64(f.downtimes[i].total), f.downtimes[i].spans
	}
	for _, t := range f.cfg.Struck(spec) {
		r.Targets = append(r.Targets, f.cfg.TargetName(t))
	}
	for _, t := range spec.To {
		r.To = append(r.To, f.cfg.TargetName(t))
	}
	for j := f.of[i]; j < f.of[i+1]; j++ {
		r.Effects = append(r.Effects, f.effectResult(&f.effects[j]))
	}
	return r
}

func (f *faultFold) effectResult(e *effect) result.FaultEffect {
	every := func(int) bool { return true }
	return result.FaultEffect{
		Broker:         f.cfg.Brokers[e.broker].Name,
		Detect:         f.spread(e, e.detect, e.begin, every),
		Avoid:          f.spread(e, e.avoid, e.begin, f.avoids),
		RouteGone:      f.spread(e, e.gone, e.begin, every),
		Return:         f.spread(e, e.back, e.end, every),
		FailedAttempts: e.failedAttempts,

		Attempts: e.attempts, AvoidingAttempts: e.avoiding, Avoiding: f.avoiding(e.broker),

		BytesLost: e.bytesLost,
		Strikes:   e.strikes,
		HeldNS:    int64(e.held),
		AvoidedNS: int64(e.avoided),
		StarvedNS: int64(e.starved),
	}
}

// struckBy are the brokers that producers can feel a fault on.
func (f *faultFold) struckBy(fault int) []int {
	var out []int
	for i := f.of[fault]; i < f.of[fault+1]; i++ {
		out = append(out, f.effects[i].broker)
	}
	return out
}

// avoiding counts the producer instances with avoidance on whose topic has queues on a broker.
func (f *faultFold) avoiding(broker int) int {
	n := 0
	for g := range f.cfg.Producers {
		if f.avoids(g) && f.members[g][broker] {
			n += f.cfg.Producers[g].Count
		}
	}
	return n
}

// avoids says whether a producer group has avoidance on.
func (f *faultFold) avoids(group int) bool {
	return f.cfg.Producers[group].Settings.SendLatencyFaultEnable
}

// slaveEffects are the rows of brokers of which a fault strikes only slaves that no master waits for:
// there is nothing that a producer could see of it.
func slaveEffects(cfg *config.Config, spec *config.Fault) []result.FaultEffect {
	struck := cfg.Struck(spec)
	var out []result.FaultEffect
	for _, t := range struck {
		if t.Kind != config.BrokerTarget || cfg.Brokers[t.Index].Role == config.SyncMaster {
			continue
		}
		name := cfg.Brokers[t.Index].Name
		master := slices.Contains(struck, config.Target{Index: t.Index})
		listed := slices.ContainsFunc(out, func(e result.FaultEffect) bool { return e.Broker == name })
		if !master && !listed {
			out = append(out, result.FaultEffect{Broker: name})
		}
	}
	return out
}

// detail says in a few words how hard a fault strikes, and when, as far as its kind and its times do
// not.
func detail(f *config.Fault) string {
	var parts []string
	switch f.Kind {
	case config.Slow:
		if f.Factor != 1 {
			parts = append(parts, fmt.Sprintf("×%g", f.Factor))
		}
		if f.Delay > 0 {
			parts = append(parts, fmt.Sprintf("+%v", f.Delay))
		}
		if f.Ramp > 0 {
			parts = append(parts, fmt.Sprintf("within %v", f.Ramp))
		}
	case config.PacketLoss:
		parts = append(parts, fmt.Sprintf("%g%%", 100*f.Loss))
	case config.BrokerPermission:
		parts = append(parts, fmt.Sprintf("to %d", f.Permission))
	case config.RollingRestart:
		if f.Down > 0 {
			parts = append(parts, fmt.Sprintf("%v each", f.Down))
		}
		if f.Wipe {
			parts = append(parts, "after wipeWritePerm")
		}
	}
	if f.OneWay {
		parts = append(parts, "one way")
	}
	switch {
	case f.Rate > 0:
		parts = append(parts, "at random times")
	case f.Period > 0:
		parts = append(parts, fmt.Sprintf("%v of every %v", f.Down, f.Period))
	}
	return strings.Join(parts, ", ")
}
