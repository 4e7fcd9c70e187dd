package model

import "simrun/sim"

// Delays of a client's tasks from its start.
//
// Source: MQClientInstance.startScheduledTask, 4.2.0, 4.9.8 and 5.3.3; LatencyFaultToleranceImpl
// .startDetector, 5.1.4 and 5.3.3; rocketmq-client-go internal/client.go, rmqClient.Start, v2.1.0 to
// 2173d07.
const (
	firstPoll      = 10 * sim.Millisecond
	firstHeartbeat = 1000 * sim.Millisecond
	firstDetection = detectorTick
)

// startOf is when instance i starts, in a run that begins cold.
func (w *World) startOf(i int32) sim.Duration {
	d := sim.Key(w.cfg.Seed, drawStart, ownerInstance(i), 0, 0)
	return sim.Duration(float64(d.Float64() * float64(w.cfg.Start.Spread)))
}

// firstRun is when a task of instance i runs first: at its phase, or after a cold start, so long after
// that.
func (w *World) firstRun(i int32, which uint64, period, delay sim.Duration) sim.Duration {
	if w.cfg.Start.Cold {
		return w.startOf(i) + delay
	}
	return w.phase(ownerInstance(i), which, period)
}

// planStart has the threads of instance i take messages: at once, or when it has started.
func (w *World) planStart(i int32) {
	if w.cfg.Start.Cold {
		g := w.insts[i].g
		if g.starting == 0 || w.startOf(i) < w.startOf(g.firstUp) {
			g.firstUp = i
		}
		g.starting++
		w.after(w.startOf(i), evStart, i)
		return
	}
	in := &w.insts[i]
	for t := range in.threads {
		w.rest(in, in.firstThread+t)
	}
}

// starts is the start of an instance. It knows nobody yet: its first lookups and connections are those of
// its first sends.
//
// Source: DefaultMQProducerImpl.start and MQClientInstance.start, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) starts(i int32) {
	in := &w.insts[i]
	g := in.g
	in.started = true
	g.starting--
	g.started = append(g.started, i)
	for t := in.firstThread; t < in.firstThread+in.threads; t++ {
		if w.beginNext(t) {
			w.run(t)
		}
	}
}

// startedFor is who sends message n that would be instance i's: another one that has started, if i has
// not. As long as nobody has, messages wait for the first one that will.
func (w *World) startedFor(g *group, n uint64, i int32) int32 {
	switch k := uint64(len(g.started)); {
	case w.insts[i].started:
		return i
	case k == 0:
		return g.firstUp
	default:
		return g.started[n%k]
	}
}
