package sim

import "math/bits"

// event is an entry of the queue. It holds no pointer, so that the garbage collector
// need not look at it, and has three fields, so that the compiler keeps it in registers
// (which it does for structs of up to four).
type event struct {
	at   Time
	rank uint64 // the place among the events of its instant, see newRank
	act  action
}

// sequenceBits is the width of the sequence number in a rank. At 10^7 events per
// second of wall time it lasts for two centuries.
const sequenceBits = 56

// newRank returns a rank: the priority in the upper 8 bits, the sequence below. No two
// events of an engine have the same, since no two have the same sequence.
func newRank(p Priority, sequence uint64) uint64 {
	return uint64(p)<<sequenceBits | sequence
}

// before is the total order of events: (time, priority, sequence).
func (a event) before(b event) bool {
	return a.at < b.at || a.at == b.at && a.rank < b.rank
}

// less is before as a number, 1 or 0. Which of two events of a heap comes first is as
// good as random, and a branch on it would be mispredicted half of the time.
func (a event) less(b event) int {
	_, borrow := bits.Sub64(a.rank, b.rank, 0)
	_, borrow = bits.Sub64(uint64(a.at), uint64(b.at), borrow)
	return int(borrow)
}

// action is what an event does: the handler that it calls, and the arguments.
type action uint64

func newAction(h HandlerID, kind uint16, index uint32) action {
	return action(h)<<48 | action(kind)<<32 | action(index)
}

func (a action) handler() HandlerID { return HandlerID(a >> 48) }
func (a action) kind() uint16       { return uint16(a >> 32) }
func (a action) index() uint32      { return uint32(a) }
