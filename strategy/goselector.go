package strategy

import "math"

// GoIndex is how the round robin of a release of the Go client counts.
//
// Source: rocketmq-client-go producer/selector.go, roundRobinQueueSelector.Select, v2.1.0 and v2.1.1.
type GoIndex uint8

const (
	// GoIndexUnsigned: a uint32. After its end comes 0.
	GoIndexUnsigned GoIndex = iota
	// GoIndexSigned: an int32. The step over its end has no counterpart: unless the number of queues
	// divides it, Go panics. The next choice counts from 0 again.
	GoIndexSigned
)

// String returns the value's name.
func (v GoIndex) String() string { return nameOf(goIndexNames, uint8(v), "GoIndex") }

var goIndexNames = []string{"unsigned", "signed"}

// SelectGoRoundRobin is the round robin of the official Go client, the default of its producer: one
// counter for all goroutines of a selector and topic. It starts at 0 and is stepped before it is
// used, so the first choice is the second queue. A retry passes over the last broker's queues, a
// step each; if the list has no other it takes one more step.
//
// The Go client has no fault table. To v2.1.1 a selector is not told the last broker; in v2.1.2
// the producer tells it none, by mistake: give it NoBroker. The zero value counts as v2.1.1 and later do.
//
// Source: rocketmq-client-go producer/selector.go, roundRobinQueueSelector.Select, v2.1.0 to the
// head of master in December 2025.
type SelectGoRoundRobin struct {
	Rule  GoIndex
	index uint32
}

// StartAt puts the counter where a selector that has been in use for long may be: the next choice
// is the queue behind the place that v stands for.
func (s *SelectGoRoundRobin) StartAt(v uint32) { s.index = v }

// SelectQueue implements [QueueSelector]. It is false where Go panics.
func (s *SelectGoRoundRobin) SelectQueue(
	queues []Queue, _ int32, last Broker, _ Source,
) (Queue, bool) {
	n := uint32(len(queues))
	if n == 0 {
		return Queue{}, false
	}
	if last != NoBroker {
		for range n {
			if at, ok := s.step(n); ok && queues[at].Broker != last {
				return queues[at], true
			}
		}
	}
	at, ok := s.step(n)
	if !ok {
		return Queue{}, false
	}
	return queues[at], true
}

// step advances the counter and folds it into a list of n.
func (s *SelectGoRoundRobin) step(n uint32) (uint32, bool) {
	s.index++
	if s.Rule == GoIndexUnsigned || s.index <= math.MaxInt32 {
		return s.index % n, true
	}
	s.index = 0
	return 0, (math.MaxInt32+1)%n == 0
}

// SelectGoHash is the hash selector of the Go client, for a message with a sharding key: everything
// with one key goes to one queue, also on a retry, as long as the list stays as it is. (Without a key
// it is [SelectByRandom].)
//
// Source: rocketmq-client-go producer/selector.go, hashQueueSelector.Select, v2.1.0 to the head of
// master in December 2025, with ints of 64 bits.
type SelectGoHash struct{}

// SelectQueue implements [QueueSelector]. key has the bits of [GoHash].
func (SelectGoHash) SelectQueue(queues []Queue, key int32, _ Broker, _ Source) (Queue, bool) {
	if len(queues) == 0 {
		return Queue{}, false
	}
	return queues[uint32(key)%uint32(len(queues))], true
}

// GoHash is what [SelectGoHash] takes of a sharding key: FNV-1a of 32 bits, over bytes.
func GoHash[T ~string | ~[]byte](key T) int32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * prime
	}
	return int32(h)
}
