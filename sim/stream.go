package sim

// Stream is a sequence of random numbers, for programs under simulation that read
// one themselves: Java's thread-local random index, or a shuffle. Whatever else is
// random should be a [Draw] of its own [Key], which a decision made elsewhere does
// not shift.
type Stream struct{ d Draw }

// NewStream returns the stream that belongs to (seed, p, a, b), say of instance a's
// thread b. It shares nothing with the draws of [Key].
func NewStream(seed uint64, p Purpose, a, b uint64) Stream {
	return Stream{Key(seed, p, a, b, streamAttempt)}
}

// streamAttempt stands where a key has its third number, and no caller has such an
// attempt.
const streamAttempt = ^uint64(0)

// Uint64 returns the next number, uniform over all 2^64.
func (s *Stream) Uint64() uint64 { return s.d.Uint64() }

// Int32 returns the next number, uniform over all 2^32 including the negative ones,
// as java.util.Random.nextInt() does.
func (s *Stream) Int32() int32 { return int32(s.d.Uint64() >> 32) }

// Int31n returns the next number, uniform over 0 … n-1 without bias, as
// java.util.Random.nextInt(int) does. It panics if n is not positive.
func (s *Stream) Int31n(n int32) int32 {
	if n <= 0 {
		panic("sim: Int31n of a number that is not positive")
	}
	return int32(below(&s.d, uint64(n)))
}
