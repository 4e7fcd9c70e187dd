package lint

import (
	"fmt"
	"slices"

	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// avoidance warns of a fault table that nobody asks.
func (l *linter) avoidance() {
	if l.p.Settings.SendLatencyFaultEnable && l.p.Choice != config.ChooseByPolicy {
		l.told("send_latency_fault_enable", "avoids nothing with queue_choice = %q: who picks the queue never "+
			"asks the fault table", l.p.Choice)
	}
}

// avoids says whether the producer's choices heed its fault table.
func (l *linter) avoids() bool {
	return l.java() && l.p.Settings.SendLatencyFaultEnable && l.p.Choice == config.ChooseByPolicy
}

// isolationBy is how long the table makes a broker unavailable by a latency; an attempt that failed has one
// that stands in for it.
func (l *linter) isolationBy(latency strategy.Millis) sim.Duration {
	limits, durations := l.p.Settings.LatencyMax, l.p.Settings.NotAvailableDuration
	if limits == nil {
		limits = l.profile.LatencyMax
	}
	if durations == nil {
		durations = l.profile.NotAvailableDuration
	}
	for i := min(len(limits), len(durations)) - 1; i >= 0; i-- {
		if latency >= limits[i] {
			return sim.Duration(durations[i]) * sim.Millisecond
		}
	}
	return 0
}

// isolation warns of brokers that are avoided for longer than they are away.
func (l *linter) isolation() {
	if !l.avoids() {
		return
	}
	var first *config.Fault
	var isolated, shortest sim.Duration
	more := 0
	for i := range l.cfg.Faults {
		f := &l.cfg.Faults[i]
		away, lasts := l.outage(f, true), l.isolatedBy(f)
		if !failsSends(f.Kind) || away == 0 || lasts <= away || !l.reaches(f) {
			continue
		}
		if first == nil {
			first, isolated, shortest = f, lasts, away
		} else {
			more++
		}
	}
	if first == nil {
		return
	}
	others := ""
	if more > 0 {
		others = fmt.Sprintf(" (and %d more)", more)
	}
	l.told("not_available_duration", "an error isolates a broker for %s > %s, the outage of fault.%s%s: a "+
		"broker that is well again gets no share for up to %s, and the others carry it", inWords(isolated),
		inWords(shortest), first.Name, others, inWords(isolated-shortest))
}

// isolatedBy is how long an error of a fault isolates a broker. The update of an asynchronous send after
// its submit overwrites what its own hand-over has just told of the broker: nothing is left of a refused
// connect, and of one that nobody answers the time that it took. Sends that time out are told of later.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and MQClientAPIImpl.sendMessageAsync, 4.9.3-5.1.3.
func (l *linter) isolatedBy(f *config.Fault) sim.Duration {
	erases := l.p.Mode == config.Async && l.profile.AsyncThrow == strategy.AsyncThrowRetries &&
		l.profile.Update == strategy.UpdateOverwrites
	switch {
	case erases && refuses(f.Kind):
		return 0
	case erases && f.Kind == config.Vanish:
		return l.isolationBy(strategy.Millis(releases.ConnectTimeout / sim.Millisecond))
	default:
		return l.isolationBy(l.profile.IsolationLatency)
	}
}

// failsSends says whether a kind of fault makes sends to a broker fail.
func failsSends(k config.FaultKind) bool {
	return silent(k) || k.Ends() || k == config.DiskStall || k == config.LockHold || k == config.RollingRestart
}

// reaches says whether a fault strikes a master that the producer sends to.
func (l *linter) reaches(f *config.Fault) bool {
	if f.Kind == config.Partition && !l.cutsOff(f) {
		return false
	}
	return slices.ContainsFunc(l.cfg.Struck(f), func(t config.Target) bool {
		return t.Kind == config.BrokerTarget && t.ID == 0 && slices.Contains(l.brokers, t.Index)
	})
}

// detector warns of a detector that has nothing to probe, and of settings that no producer can make.
func (l *linter) detector() {
	s := &l.p.Settings
	if !l.java() || l.profile.Detector == strategy.DetectorNone {
		return
	}
	if s.StartDetectorEnable && !s.SendLatencyFaultEnable {
		l.told("start_detector_enable", "probes nothing without send_latency_fault_enable: the fault table is "+
			"empty")
	}
	usual := strategy.DefaultSettings(l.profile)
	for _, v := range []struct {
		key       string
		is, usual strategy.Millis
	}{
		{"detect_interval", s.DetectInterval, usual.DetectInterval},
		{"detect_timeout", s.DetectTimeout, usual.DetectTimeout},
	} {
		if v.is != v.usual {
			l.told(v.key, "is %d ms, but a setter comes too late in %s, which goes on with %d ms: the detector "+
				"has its copy of the settings from the constructor", v.is, l.profile.Release, v.usual)
		}
	}
}

// backpressure warns of a limit that does not limit.
func (l *linter) backpressure() {
	const key = "enable_backpressure_for_async_mode"
	switch {
	case !l.java() || !l.p.Remoting.Backpressure:
	case l.p.Mode != config.Async:
		l.told(key, "changes nothing in mode %q", l.p.Mode)
	case l.wire.Backpressure == releases.FutileBackpressure:
		l.told(key, "changes nothing in %s: the permits of a send are given back right after its submit",
			l.profile.Release)
	}
}

// singleBroker warns of a topic that leaves nowhere to go.
func (l *linter) singleBroker() {
	for _, share := range l.p.Topics {
		on := slices.DeleteFunc(slices.Clone(l.brokers), func(i int) bool { return !l.topicOn(share.Name, i) })
		if len(on) != 1 || l.p.Choice != config.ChooseByPolicy {
			continue
		}
		struck := slices.ContainsFunc(l.cfg.Faults, func(f config.Fault) bool {
			return failsSends(f.Kind) && l.reaches(&f)
		})
		if l.avoids() || struck {
			l.told("topic", "topic %s is on 1 < 2 brokers (%s): while that fails there is no other, and neither "+
				"retries nor fault avoidance can help", share.Name, l.cfg.Brokers[on[0]].Name)
		}
	}
}
