package sim

import "math/bits"

// wheel holds the events after the edge in slots, each of which covers a span of time.
// Take times as numbers of base 64. An event is on the level of the highest digit in
// which its time differs from the edge, and there in the slot of its own digit. So
// slots are short near the edge and long far away; all of a level is before all of the
// next; and a slot splits over the slots of lower levels when the edge comes to it. No
// width has to be chosen or adapted to the distribution of times, and an event moves at
// most once per level.
//
// The edge may go to any moment of the earliest slot that has just been taken: times
// outside differ from all of those in the same digits.
//
// Source: Varghese, Lauck: Hashed and hierarchical timing wheels (1987), scheme 7; but
// where that moves its hands tick by tick, this one goes from one slot that is in use to
// the next.
type wheel struct {
	levels uint64           // a bit for each level in use
	digits [wheelMax]uint64 // a bit for each slot in use
	slots  [wheelMax][64]slot
	free   *chunk
}

const (
	digitBits = 6
	digitMask = 1<<digitBits - 1
	wheelMax  = 11 // levels: 63 bits of time, 6 at a time
)

// slot is a bag of events.
type slot struct {
	head  *chunk // the only one that isn't full
	count int
}

// chunk is a part of a slot. It has 1024 bytes, a size of which the allocator wastes
// nothing.
type chunk struct {
	next   *chunk
	n      int
	events [42]event
}

// place is that of a slot.
type place struct{ level, digit uint }

// span returns the first and the last moment of a slot.
func (p place) span(edge Time) (start, end Time) {
	shift := p.level * digitBits
	above := uint64(edge) >> (shift + digitBits) << (shift + digitBits)
	from := above | uint64(p.digit)<<shift
	return Time(from), Time(from + 1<<shift - 1)
}

func (w *wheel) empty() bool { return w.levels == 0 }

// first returns the place of the earliest slot in use.
func (w *wheel) first() place {
	level := uint(bits.TrailingZeros64(w.levels))
	return place{level, uint(bits.TrailingZeros64(w.digits[level]))}
}

// add puts an event into its slot. It must be after the edge.
func (w *wheel) add(ev event, edge Time) {
	level := uint(bits.Len64(uint64(ev.at^edge))-1) / digitBits
	digit := uint(ev.at>>(level*digitBits&63)) & digitMask
	s := &w.slots[level][digit]
	c := s.head
	if c == nil || c.n == len(c.events) {
		c = w.grow(s)
		w.digits[level] |= 1 << digit
		w.levels |= 1 << level
	}
	c.events[c.n] = ev
	c.n++
	s.count++
}

// grow adds an empty chunk to a slot.
func (w *wheel) grow(s *slot) *chunk {
	c := w.free
	if c == nil {
		c = new(chunk)
	} else {
		w.free = c.next
	}
	c.next, s.head = s.head, c
	return c
}

// take empties the slot at p and returns what was in it. The caller releases its
// chunks.
func (w *wheel) take(p place) slot {
	s := w.slots[p.level][p.digit]
	w.slots[p.level][p.digit] = slot{}
	w.digits[p.level] &^= 1 << p.digit
	if w.digits[p.level] == 0 {
		w.levels &^= 1 << p.level
	}
	return s
}

// release keeps a chunk for reuse, and returns the next one of its slot.
func (w *wheel) release(c *chunk) *chunk {
	next := c.next
	c.next, c.n, w.free = w.free, 0, c
	return next
}

// filter removes the events for which keep is false.
func (w *wheel) filter(keep func(event) bool, edge Time) {
	for level := range uint(wheelMax) {
		for left := w.digits[level]; left != 0; left &= left - 1 {
			s := w.take(place{level, uint(bits.TrailingZeros64(left))})
			for c := s.head; c != nil; c = w.release(c) {
				for i := range c.n {
					if keep(c.events[i]) {
						w.add(c.events[i], edge)
					}
				}
			}
		}
	}
}
