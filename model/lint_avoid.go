package model

import (
	"fmt"
	"math"
	"slices"

	"simrun/sim"
	"simrun/strategy"
)

// avoidance warns of a fault table that nobody asks.
func (l *linter) avoidance() {
	if l.p.Settings.SendLatencyFaultEnable && l.p.Choice != ChooseByPolicy {
		l.told("send_latency_fault_enable", "avoids nothing with queue_choice = %q: who picks the queue never "+
			"asks the fault table", l.p.Choice)
	}
}

// avoids says whether the producer's choices heed its fault table.
func (l *linter) avoids() bool {
	return l.java() && l.p.Settings.SendLatencyFaultEnable && l.p.Choice == ChooseByPolicy
}

// errorIsolation is how long an attempt that failed makes its broker unavailable: what the table says of
// the latency that stands in for it.
func (l *linter) errorIsolation() sim.Duration {
	limits, durations := l.p.Settings.LatencyMax, l.p.Settings.NotAvailableDuration
	if limits == nil {
		limits = l.profile.LatencyMax
	}
	if durations == nil {
		durations = l.profile.NotAvailableDuration
	}
	for i := min(len(limits), len(durations)) - 1; i >= 0; i-- {
		if l.profile.IsolationLatency >= limits[i] {
			return sim.Duration(durations[i]) * sim.Millisecond
		}
	}
	return 0
}

// isolation warns of brokers that are avoided for longer than they are away.
func (l *linter) isolation() {
	if !l.avoids() || l.erases() {
		return
	}
	isolated := l.errorIsolation()
	var first *Fault
	var shortest sim.Duration
	more := 0
	for i := range l.cfg.Faults {
		f := &l.cfg.Faults[i]
		away := l.outage(f, true)
		if !f.Kind.failsSends() || away == 0 || isolated <= away || !l.reaches(f) {
			continue
		}
		if first == nil {
			first, shortest = f, away
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

// erases says whether an asynchronous send ends the isolation that its own failed hand-over began: its
// update after the submit overwrites it.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and MQClientAPIImpl.sendMessageAsync, 4.9.3-5.1.3.
func (l *linter) erases() bool {
	return l.p.Mode == Async && l.profile.AsyncThrow == strategy.AsyncThrowRetries &&
		l.profile.Update == strategy.UpdateOverwrites
}

// failsSends says whether a kind of fault makes sends to a broker fail.
func (k FaultKind) failsSends() bool {
	return k.silent() || k.ends() || k == DiskStall || k == LockHold || k == RollingRestart
}

// reaches says whether a fault strikes a master that the producer sends to.
func (l *linter) reaches(f *Fault) bool {
	if f.Kind == Partition && !l.cutsOff(f) {
		return false
	}
	return slices.ContainsFunc(l.cfg.Struck(f), func(t Target) bool {
		return t.Kind == BrokerTarget && t.ID == 0 && slices.Contains(l.brokers, t.Index)
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
	case l.p.Mode != Async:
		l.told(key, "changes nothing in mode %q", l.p.Mode)
	case l.wire.backpressure == futileBackpressure:
		l.told(key, "changes nothing in %s: the permits of a send are given back right after its submit",
			l.profile.Release)
	}
}

// singleBroker warns of a topic that leaves nowhere to go.
func (l *linter) singleBroker() {
	for _, share := range l.p.Topics {
		on := slices.DeleteFunc(slices.Clone(l.brokers), func(i int) bool { return !l.topicOn(share.Name, i) })
		if len(on) != 1 || l.p.Choice != ChooseByPolicy {
			continue
		}
		struck := slices.ContainsFunc(l.cfg.Faults, func(f Fault) bool {
			return f.Kind.failsSends() && l.reaches(&f)
		})
		if l.avoids() || struck {
			l.told("topic", "topic %s is on 1 < 2 brokers (%s): while that fails there is no other, and neither "+
				"retries nor fault avoidance can help", share.Name, l.cfg.Brokers[on[0]].Name)
		}
	}
}

// threads warns of fewer threads than the sends that a silent broker holds, by Little's law.
func (l *linter) threads() {
	p := l.p
	if l.hang.fault == nil || p.Mode != Sync || p.Rate <= 0 || p.Choice != ChooseByPolicy {
		return
	}
	held := l.timeout
	if l.capped() {
		held = min(held, sim.Duration(p.Settings.SendMsgMaxTimeoutPerRequest)*sim.Millisecond)
	}
	if l.hang.lasts > 0 {
		held = min(held, l.hang.lasts)
	}
	rate := p.Rate / float64(max(p.Batch, 1)) / float64(p.Count)
	share := l.share(l.hang.brokers)
	need := float64(rate*share) * (float64(held) / float64(sim.Second))
	if need <= float64(p.Threads) {
		return
	}
	l.told("threads", "%d < %d = %.3g/s of an instance x %.3g to %s x %s, the sends that hang in fault.%s: "+
		"soon all threads do, and sends to brokers that are well wait, too", p.Threads, int(math.Ceil(need)),
		rate, share, l.names(l.hang.brokers), inWords(held), l.hang.fault.Name)
}

// share is the share of the producer's sends that go to some brokers while all are well: that of their
// queues.
func (l *linter) share(brokers []int) (share float64) {
	all := 0.0
	for _, t := range l.p.Topics {
		weight := t.Weight
		if weight == 0 {
			weight = 1
		}
		all += weight
		on, struck := 0, 0
		for _, i := range l.brokers {
			if !l.topicOn(t.Name, i) {
				continue
			}
			on++
			if slices.Contains(brokers, i) {
				struck++
			}
		}
		if on > 0 {
			share += float64(weight * (float64(struck) / float64(on)))
		}
	}
	return share / all
}
