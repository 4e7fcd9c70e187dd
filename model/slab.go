package model

// slab is a table whose free places are used again, the one that was freed last first: it is still
// in the cache. An index stays valid until free.
type slab[T any] struct {
	items []T
	spare []int32
	live  int
}

// alloc returns the index of a place; what is in it is left over from its last use.
func (s *slab[T]) alloc() int32 {
	s.live++
	if n := len(s.spare); n > 0 {
		i := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return i
	}
	var zero T
	s.items = append(s.items, zero)
	return int32(len(s.items) - 1)
}

func (s *slab[T]) free(i int32) {
	s.live--
	s.spare = append(s.spare, i)
}

// used says of each place whether it is in use.
func (s *slab[T]) used() []bool {
	used := make([]bool, len(s.items))
	for i := range used {
		used[i] = true
	}
	for _, i := range s.spare {
		used[i] = false
	}
	return used
}

// fifo is a queue in a ring that grows when it is full.
type fifo[T any] struct {
	ring  []T // the length is zero or a power of two
	first int
	count int
}

func (q *fifo[T]) len() int { return q.count }

func (q *fifo[T]) push(v T) { *q.add() = v }

// add makes a new youngest entry; what is in it is left over from its last use.
func (q *fifo[T]) add() *T {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.count++
	return q.at(q.count - 1)
}

func (q *fifo[T]) grow() {
	ring := make([]T, max(8, 2*len(q.ring)))
	for i := range q.count {
		ring[i] = *q.at(i)
	}
	q.ring, q.first = ring, 0
}

// at is the i-th oldest entry.
func (q *fifo[T]) at(i int) *T { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// head is the oldest entry; the queue must not be empty.
func (q *fifo[T]) head() *T { return &q.ring[q.first] }

func (q *fifo[T]) pop() T {
	v := q.ring[q.first]
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
	return v
}

// skip drops the oldest entry without reading it.
func (q *fifo[T]) skip() {
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
}

// truncate drops the youngest entries, so that n are left.
func (q *fifo[T]) truncate(n int) { q.count = n }
