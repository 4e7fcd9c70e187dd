package strategy

// QueueSelector chooses the queue of a send that brings its own choice, send(message, selector,
// argument): RocketMQ's MessageQueueSelector, and the Go client's QueueSelector. A send of that
// kind makes one attempt, asks no fault table and tells none.
//
// Source: DefaultMQProducerImpl.sendSelectImpl, 4.0.0-5.3.3.
type QueueSelector interface {
	// SelectQueue chooses among queues, which are in client order. key is the hash of the
	// argument ([JavaHash] of a string), for selectors that look at it; last is the broker of the
	// attempt before, for those that avoid it. False means that there is no choice, at which
	// the client throws an MQClientException.
	SelectQueue(queues []Queue, key int32, last Broker, src Source) (Queue, bool)
}

// JavaHash is Java's String.hashCode, which a selector by hash takes of its argument.
func JavaHash(s string) int32 { return int32(javaHash(s)) }

// HashRule is how a selector by hash folds a hash code into the list.
//
// Source: SelectMessageQueueByHash.select, 4.0.0-4.7.1 and 4.8.0-5.3.3.
type HashRule uint8

const (
	// HashAbsFirst: the absolute value, modulo the number of queues. The smallest int has none:
	// the position is negative unless the number divides it, and Java throws.
	HashAbsFirst HashRule = iota
	// HashModuloFirst: modulo the number of queues, then the absolute value.
	HashModuloFirst
)

// String returns the value's name, as With accepts it.
func (v HashRule) String() string { return nameOf(hashRuleNames, uint8(v), "HashRule") }

var hashRuleNames = []string{"abs-first", "modulo-first"}

// SelectByHash sends everything with one hash to one queue, as long as the list stays as it is. Its
// Rule is [Profile.SelectByHash].
type SelectByHash struct{ Rule HashRule }

// SelectQueue implements [QueueSelector]. It is false where Java throws.
func (s SelectByHash) SelectQueue(queues []Queue, key int32, _ Broker, _ Source) (Queue, bool) {
	n := int32(len(queues))
	if n == 0 {
		return Queue{}, false
	}
	pos := abs32(key % n)
	if s.Rule == HashAbsFirst {
		pos = abs32(key) % n
	}
	if pos < 0 {
		return Queue{}, false
	}
	return queues[pos], true
}

// SelectByRandom takes any queue, each as likely as another.
//
// Source: SelectMessageQueueByRandom.select, 4.0.0-5.3.3.
type SelectByRandom struct{}

// SelectQueue implements [QueueSelector].
func (SelectByRandom) SelectQueue(queues []Queue, _ int32, _ Broker, src Source) (Queue, bool) {
	if len(queues) == 0 {
		return Queue{}, false
	}
	return queues[src.Int31n(int32(len(queues)))], true
}

// SelectByMachineRoom takes the queues of the nearest machine room that has any, in turn.
//
// RocketMQ has a selector of this name that was never written: it returns null, in every release.
// This one does what its name says, given where the brokers are.
type SelectByMachineRoom struct {
	// Rooms[b] is the room of Broker b; a broker beyond its end is in no room.
	Rooms []string
	// Prefer are rooms in order of preference, the producer's own first. A room that is not in it
	// is as good as none: its brokers are used only if no preferred room has a queue.
	Prefer []string

	next uint32
}

// SelectQueue implements [QueueSelector].
func (s *SelectByMachineRoom) SelectQueue(
	queues []Queue, _ int32, last Broker, _ Source,
) (Queue, bool) {
	for _, room := range s.Prefer {
		if q, ok := s.inTurn(queues, last, func(b Broker) bool { return s.room(b) == room }); ok {
			return q, true
		}
	}
	return s.inTurn(queues, last, func(Broker) bool { return true })
}

// room is where a broker is, "" if it is nowhere.
func (s *SelectByMachineRoom) room(b Broker) string {
	if int(b) < len(s.Rooms) {
		return s.Rooms[b]
	}
	return ""
}

// inTurn takes the next queue among those on brokers that will do: on another one than the last, if
// there is such.
func (s *SelectByMachineRoom) inTurn(
	queues []Queue, last Broker, will func(Broker) bool,
) (Queue, bool) {
	all, others := uint32(0), uint32(0)
	for _, q := range queues {
		if will(q.Broker) {
			all++
			if q.Broker != last {
				others++
			}
		}
	}
	among := others
	if others == 0 {
		among = all
	}
	if among == 0 {
		return Queue{}, false
	}
	s.next++
	skip := s.next % among
	for _, q := range queues {
		if !will(q.Broker) || (others > 0 && q.Broker == last) {
			continue
		}
		if skip == 0 {
			return q, true
		}
		skip--
	}
	panic("strategy: fewer queues than were counted")
}

// SelectFixed always takes the same queue: send(message, queue).
type SelectFixed struct{ Queue Queue }

// SelectQueue implements [QueueSelector]. The queue need not be in the list: the client does not
// look.
func (s SelectFixed) SelectQueue([]Queue, int32, Broker, Source) (Queue, bool) {
	return s.Queue, true
}
