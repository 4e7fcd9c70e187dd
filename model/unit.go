package model

import (
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// scaled is a time that RocketMQ's code or the kernel has fixed, in this world's unit.
func (w *World) scaled(d sim.Duration) sim.Duration { return d * w.unit }

// millis are milliseconds of a client's clock.
func (w *World) millis(m strategy.Millis) sim.Duration {
	return sim.Duration(m) * w.scaled(sim.Millisecond)
}

// scaleProfile puts the times of a profile into this world's unit.
func (w *World) scaleProfile(p *releases.Broker) {
	for _, d := range []*sim.Duration{
		&p.RegisterTimeout, &p.ClusterPoll, &p.FirstReport, &p.StoreShutdown, &p.SchedulerShutdown,
	} {
		*d *= w.unit
	}
}

// apiTimeout is how long a lookup or heartbeat of an instance waits for its answer, mqClientApiTimeout.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer and sendHeartbeatToAllBroker, 4.2.0 (fixed),
// 4.9.8 and 5.3.3.
func (w *World) apiTimeout(i int32) strategy.Millis {
	if d := w.insts[i].g.cfg.Remoting.APITimeout; d > 0 {
		return strategy.Millis(d / w.scaled(sim.Millisecond))
	}
	return defaultAPITimeout
}

// defaultAPITimeout is mqClientApiTimeout, in milliseconds. Source: ClientConfig, 4.9.2 and later; a
// literal before.
const defaultAPITimeout = 3000
