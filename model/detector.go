package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// detectorTick is the period of the detector's task.
const detectorTick = sim.Duration(strategy.DetectorTick) * sim.Millisecond

// startDetector plans an instance's detector rounds, if it is switched on. The task has a thread of
// its own.
//
// Source: LatencyFaultToleranceImpl.startDetector, 5.3.3.
func (w *World) startDetector(i int32) {
	in := &w.insts[i]
	if !in.g.cfg.Settings.StartDetectorEnable {
		return
	}
	in.detector = w.addThread(i, in.threads+1, detector)
	first := w.firstRun(i, phaseDetector, w.scaled(detectorTick), w.scaled(firstDetection))
	w.timerAfter(first, evDetect, i)
}

// detectDue begins a round over the fault table, unless the last one still hangs: a broker that does
// not even answer a SYN holds the thread for the whole connect timeout.
func (w *World) detectDue(i int32) {
	w.timerAfter(w.scaled(detectorTick), evDetect, i)
	in := &w.insts[i]
	if in.detecting {
		return
	}
	in.detecting = true
	w.threads[in.detector].at = none
	w.nextProbe(i)
}

// nextProbe asks the next broker of the round for an offset. Any broker that reads requests answers;
// a wait of DetectTimeout that ends without an answer closes the channel that all sends share.
//
// Source: DefaultMQProducerImpl, the ServiceDetector of its constructor, and
// LatencyFaultToleranceImpl.detectByOneRound, 5.3.3.
func (w *World) nextProbe(i int32) {
	in := &w.insts[i]
	th := &w.threads[in.detector]
	timeout := in.g.cfg.Settings.DetectTimeout
	for {
		b, more := in.policy.NextProbe(w.clock(i), strategy.Broker(th.at))
		if !more {
			in.detecting = false
			w.hangUp(in.detector)
			return
		}
		th.at = int32(b)
		if !w.masters[w.channelOf(i, th.at)] {
			w.probed(i, strategy.ProbeUnresolved)
			continue
		}
		out, over := w.invoke(w.callOf(in.detector), th.at, timeout)
		if !over {
			return
		}
		w.probed(i, probeOf(out))
	}
}

// probeEnds ends one probe and goes on with the round.
func (w *World) probeEnds(i int32, out strategy.Outcome) {
	w.probed(i, probeOf(out))
	w.nextProbe(i)
}

func probeOf(out strategy.Outcome) strategy.Probe {
	if out.Kind == strategy.OutcomeOK {
		return strategy.ProbeAnswered
	}
	return strategy.ProbeFailed
}

// probed tells the policy, and the observer if that turned the broker's reachable flag.
func (w *World) probed(i int32, p strategy.Probe) {
	in := &w.insts[i]
	now, b := w.clock(i), strategy.Broker(w.threads[in.detector].at)
	if p != strategy.ProbeUnresolved {
		w.said.probe = ProbeEnd{
			Began: w.calls.items[w.threads[in.detector].call].began, At: w.eng.Now(), Group: in.group,
			Instance: i - in.g.first, Broker: int32(b), Answered: p == strategy.ProbeAnswered,
		}
		w.obs.Probed(&w.said.probe)
	}
	before, _ := in.policy.Item(b)
	in.policy.Probed(now, b, p, nil)
	after, exists := in.policy.Item(b)
	if !exists || after.Reachable == before.Reachable {
		return
	}
	w.said.table = TableChange{
		At: w.eng.Now(), Group: in.group, Instance: i - in.g.first,
		Broker: int32(b), Probe: true, Before: before, After: after, Known: true, ClockMillis: now,
		Until: w.unclock(i, after.Start),
	}
	w.obs.TableChanged(&w.said.table)
}
