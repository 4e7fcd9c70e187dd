package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// selectorDraw is a strategy.Source that gives each message its own luck, wherever it is sent.
type selectorDraw struct{ draw sim.Draw }

// Int32 implements strategy.Source.
func (s *selectorDraw) Int32() int32 { return int32(s.draw.Uint64() >> 32) }

// Int31n implements strategy.Source.
func (s *selectorDraw) Int31n(n int32) int32 { return int32(s.draw.IntN(int(n))) }

// selectorSource is the source of the random choices for a message. It is valid until the next one.
func (w *World) selectorSource(g *group, r *message) strategy.Source {
	w.selectorDraw.draw = sim.Key(w.cfg.Seed, drawSelector, uint64(g.index), r.Number, uint64(r.resends))
	return &w.selectorDraw
}

// buildSelector gives an instance the selector that its callers use, if they do.
func (w *World) buildSelector(i int32) {
	in := &w.insts[i]
	g := in.g
	switch g.cfg.Choice {
	case config.ChooseByHash:
		in.selector = strategy.SelectByHash{Rule: g.profile.SelectByHash}
	case config.ChooseByRandom:
		in.selector = strategy.SelectByRandom{}
	case config.ChooseByMachineRoom:
		sel := &strategy.SelectByMachineRoom{Rooms: make([]string, len(w.names))}
		for b := range w.names {
			sel.Rooms[b] = w.cfg.ZoneOf(config.Target{Kind: config.BrokerTarget, Index: b})
		}
		if own := w.cfg.ZoneOf(w.places.Target(w.endpointOfInstance(i))); own != "" {
			sel.Prefer = []string{own}
		}
		in.selector = sel
	}
}

// selectorOf is the selector of an instance's callers.
func (w *World) selectorOf(in *instance) strategy.QueueSelector { return in.selector }

// chosenQueue is the queue of ChooseQueue.
func chosenQueue(c *config.Config, q config.QueueName) strategy.Queue {
	for b := range c.Brokers {
		if c.Brokers[b].Name == q.Broker {
			return strategy.Queue{Broker: strategy.Broker(b), ID: int32(q.ID)}
		}
	}
	return strategy.Queue{Broker: strategy.NoBroker}
}

// keyHash is the hash code of a message's key, which callers write as a decimal string.
func (w *World) keyHash(g *group, number uint64) int32 {
	if g.cfg.Choice != config.ChooseByHash {
		return 0
	}
	return hashOfDecimal(uint64(w.keyOf(g, number)))
}

// hashOfDecimal is String.valueOf(v).hashCode().
func hashOfDecimal(v uint64) int32 {
	hash, power := int32(0), int32(1)
	for {
		hash += (int32('0') + int32(v%10)) * power
		power *= 31
		if v /= 10; v == 0 {
			return hash
		}
	}
}
