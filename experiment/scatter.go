package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// kindOfSend is a stratum of the scatter plot. Each has room of its own, so that what is rare is not crowded
// out by what is not.
type kindOfSend uint8

const (
	sendFast    kindOfSend = iota // SEND_OK or handed over, at the first attempt
	sendSlow                      // likewise, and it took slowSend or more
	sendWeaker                    // a weaker status, at the first attempt
	sendRetried                   // it succeeded after a retry
	sendFailed                    // an exception
	sendLost                      // acknowledged and lost, if its own kind has no room for it
	sendKinds
)

// sampleRoom is how many sends of each kind are kept: 20,000 in all, about 1 MB.
var sampleRoom = [sendKinds]int{
	sendFast: 6000, sendSlow: 3000, sendWeaker: 2000, sendRetried: 3000, sendFailed: 3000, sendLost: 3000,
}

// slowSend is the first entry of latencyMax as it comes: what the client calls slow.
const slowSend = 50 * sim.Millisecond

// drawSample is the purpose of the draws that thin the sample, apart from those of the model: (group,
// message, 0).
const drawSample sim.Purpose = 1 << 15

// sampledSend is one send that is kept. It is small: there are up to 20,000 of them.
type sampledSend struct {
	scheduled, answered sim.Time
	number, draw        uint64
	group, broker       int32
	attempts            int32
	kind                kindOfSend
	status              strategy.Status
	lost                bool
}

// stratum keeps the sends of a kind whose draw is below a limit. The limit is halved when there is no more
// room, so what is left at the end is a function of the sends, whatever their order.
type stratum struct {
	kept []sampledSend
	// limit is 2^64 >> halved, less one.
	limit  uint64
	halved int
	// of is how many sends of the kind were answered.
	of int64
}

// scatter is the choice of sends for a scatter plot.
type scatter struct {
	seed  uint64
	room  [sendKinds]int // of each kind
	kinds [sendKinds]stratum
	// lost counts the sends that are lost of those that there is no room kept for otherwise: fast and slow.
	lost int64
}

func newScatter(seed uint64) scatter {
	s := scatter{seed: seed, room: sampleRoom}
	for k := range s.kinds {
		s.kinds[k].limit = 1<<64 - 1
	}
	return s
}

// draw is the number by which a message is thinned out.
func (s *scatter) draw(m *model.Message) uint64 {
	d := sim.Key(s.seed, drawSample, uint64(m.Group), m.Number, 0)
	return d.Uint64()
}

// kindOf is the stratum of a send that was answered.
func kindOf(status strategy.Status, attempts int32, took sim.Duration) kindOfSend {
	switch {
	case status == strategy.StatusNone:
		return sendFailed
	case attempts > 1:
		return sendRetried
	case status != strategy.StatusSendOK && status != strategy.StatusHanded:
		return sendWeaker
	case took >= slowSend:
		return sendSlow
	}
	return sendFast
}

// answer tells of a send that was answered. It is one comparison for most.
func (s *scatter) answer(a *model.Answer) {
	kind := kindOf(a.Result.Status, a.Attempts, a.At.Sub(a.Scheduled))
	st := &s.kinds[kind]
	st.of++
	draw, lost := s.draw(&a.Message), acknowledged(a.Result.Status) && gone(a.Fate)
	if draw > st.limit && !lost {
		return
	}
	send := sampledSend{
		scheduled: a.Scheduled, answered: a.At, number: a.Number, draw: draw, group: a.Group,
		broker: int32(a.Result.Broker), attempts: a.Attempts, kind: kind, status: a.Result.Status, lost: lost,
	}
	if a.Attempts == 0 {
		send.broker = -1
	}
	if lost {
		s.loses(kind, +1)
	}
	s.keep(kind, send)
}

// fate follows what becomes of a send that was acknowledged.
func (s *scatter) fate(c *model.FateChange) {
	if !c.OK || gone(c.From) == gone(c.To) {
		return
	}
	kind := kindOf(c.Status, c.Attempts, c.AnsweredAt.Sub(c.Scheduled))
	draw, lost := s.draw(&c.Message), gone(c.To)
	if lost {
		s.loses(kind, +1)
	} else {
		s.loses(kind, -1)
	}
	if st := &s.kinds[kind]; draw <= st.limit {
		if i := st.find(&c.Message); i >= 0 {
			st.kept[i].lost = lost
			return
		}
	}
	last := &s.kinds[sendLost]
	switch {
	case draw > last.limit:
	case lost:
		s.keep(sendLost, sampledSend{
			scheduled: c.Scheduled, answered: c.AnsweredAt, number: c.Number, draw: draw, group: c.Group,
			broker: c.Broker, attempts: c.Attempts, kind: kind, status: c.Status, lost: true,
		})
	default: // a late copy has brought it back
		last.kept = slices.DeleteFunc(last.kept, func(k sampledSend) bool {
			return k.number == c.Number && k.group == c.Group
		})
	}
}

// loses counts sends that are lost, or back, of kinds that are thinned for want of interest.
func (s *scatter) loses(kind kindOfSend, by int64) {
	if kind == sendFast || kind == sendSlow {
		s.lost += by
	}
}

// keep puts a send into a stratum if its draw is low enough, and makes room for it. One that is lost goes
// to those that are lost if there is none.
func (s *scatter) keep(into kindOfSend, send sampledSend) {
	st := &s.kinds[into]
	if send.draw > st.limit {
		if into != sendLost && send.lost {
			s.keep(sendLost, send)
		}
		return
	}
	st.kept = append(st.kept, send)
	for len(st.kept) > s.room[into] {
		st.limit >>= 1
		st.halved++
		st.kept = slices.DeleteFunc(st.kept, func(k sampledSend) bool {
			if k.draw <= st.limit {
				return false
			}
			if into != sendLost && k.lost {
				s.keep(sendLost, k)
			}
			return true
		})
	}
}

// find is the place of a message that was answered, -1 if it is not kept. Sends are kept in the order of
// their answers.
func (st *stratum) find(m *model.Message) int {
	i, _ := slices.BinarySearchFunc(st.kept, m.AnsweredAt, func(k sampledSend, at sim.Time) int {
		return int(min(1, max(-1, k.answered-at)))
	})
	for ; i < len(st.kept) && st.kept[i].answered == m.AnsweredAt; i++ {
		if k := &st.kept[i]; k.number == m.Number && k.group == m.Group {
			return i
		}
	}
	return -1
}

// result is the sample as it is stored, by answer.
func (s *scatter) result(cfg *config.Config) result.SendSample {
	out := result.SendSample{
		Every: 1 << s.kinds[sendFast].halved, SlowEvery: 1 << s.kinds[sendSlow].halved, Dropped: s.lost,
	}
	var all []sampledSend
	for k := range s.kinds {
		st := &s.kinds[k]
		out.Of += st.of
		all = append(all, st.kept...)
		if kind := kindOfSend(k); kind != sendFast && kind != sendSlow {
			out.Dropped += st.of
		}
	}
	slices.SortStableFunc(all, byAnswer)
	for i := range all {
		k := &all[i]
		if k.lost || k.kind != sendFast && k.kind != sendSlow {
			out.Dropped--
		}
		send := result.SampledSend{
			Producer: cfg.Producers[k.group].Name, Message: k.number, ScheduledNS: int64(k.scheduled),
			LatencyNS: int64(k.answered.Sub(k.scheduled)), Attempts: int(k.attempts),
			Outcome: outcomeOf(k.status), Lost: k.lost,
		}
		if k.broker >= 0 {
			send.Broker = cfg.Brokers[k.broker].Name
		}
		out.Sends = append(out.Sends, send)
	}
	return out
}

// byAnswer orders sends by answer; at one instant by group and number.
func byAnswer(a, b sampledSend) int {
	for _, d := range []int64{
		int64(a.answered - b.answered), int64(a.group - b.group), int64(a.number - b.number),
	} {
		if d != 0 {
			return int(min(1, max(-1, d)))
		}
	}
	return 0
}

// outcomeOf is the outcome of a send in the words of the results.
func outcomeOf(s strategy.Status) string {
	switch s {
	case strategy.StatusNone:
		return result.OutcomeFailed
	case strategy.StatusHanded:
		return result.OutcomeHanded
	case strategy.StatusSendOK:
		return result.OutcomeOK
	}
	return result.OutcomeOKStatus
}
