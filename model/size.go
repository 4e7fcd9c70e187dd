package model

import (
	"math"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

const (
	// tooLarge is the size of a message that the client does not send.
	tooLarge = -1
)

// Defaults of Remoting.
//
// Source: DefaultMQProducer.compressMsgBodyOverHowmuch and maxMessageSize, all releases.
const (
	defaultCompressOver   = 4096
	defaultMaxMessageSize = 4 << 20
)

// tooLargeResult is what the caller of a message gets that the client does not send.
var tooLargeResult = strategy.Result{
	Exception: strategy.MQClientException, Code: codeMessageIllegal, Broker: strategy.NoBroker,
}

// codeMessageIllegal is MESSAGE_ILLEGAL. Source: ResponseCode, all releases.
const codeMessageIllegal = 13

// sizes is what a group's client does to the sizes of messages.
type sizes struct {
	dist           dist
	compressOver   int64
	compressedTo   float64 // 1 if it does not get smaller
	maxMessageSize int64
	batch          uint64
}

func newSizes(p *config.Producer) sizes {
	s := sizes{
		dist: distOf(p.MessageSize), batch: uint64(max(1, p.Batch)),
		compressOver: p.Remoting.CompressOver, compressedTo: p.Remoting.CompressedTo,
		maxMessageSize: p.Remoting.MaxMessageSize,
	}
	if s.compressOver == 0 {
		s.compressOver = defaultCompressOver
	}
	if s.compressedTo == 0 {
		s.compressedTo = 1
	}
	switch {
	case p.Client == config.GoClient: // which does not look
		s.maxMessageSize = math.MaxInt64
	case s.maxMessageSize == 0:
		s.maxMessageSize = defaultMaxMessageSize
	}
	return s
}

// sizeOf is how many bytes the n-th send of a group takes on the wire and in a log; tooLarge if the client
// does not send it. The check comes before the compression, of which there is none for a batch.
//
// Source: Validators.checkMessage; DefaultMQProducerImpl.tryToCompressMessage, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) sizeOf(g *group, n uint64) int32 {
	s := &g.sizes
	size := w.rawSize(g, n)
	switch {
	case size > s.maxMessageSize:
		return tooLarge
	case size >= s.compressOver && s.batch == 1 && s.compressedTo < 1:
		size = max(1, int64(float64(size)*s.compressedTo))
	}
	return int32(min(size, config.MaxMessageSize))
}

// rawSize is how large the n-th send of a group is for its caller: the sum of the messages of a batch, each
// of a byte at least, however small the distribution says.
func (w *World) rawSize(g *group, n uint64) int64 {
	s := &g.sizes
	if g.cfg.Arrivals == config.RecordedArrivals && g.cfg.Recorded[n].Size > 0 {
		return g.cfg.Recorded[n].Size
	}
	if s.dist.isFixed {
		return clampSize(int64(s.dist.fixed)) * int64(s.batch)
	}
	var sum int64
	for i := range s.batch {
		sum += clampSize(int64(w.sample(&s.dist, drawSize, uint64(g.index), n, i)))
	}
	return sum
}

func clampSize(n int64) int64 { return min(max(n, 1), config.MaxMessageSize) }

// keyOf is the ordering key of the n-th send of a group.
func (w *World) keyOf(g *group, n uint64) uint32 {
	if g.cfg.Arrivals == config.RecordedArrivals && g.cfg.Recorded[n].HasKey {
		return g.cfg.Recorded[n].Key
	}
	d := sim.Key(w.cfg.Seed, drawKey, uint64(g.index), n, 0)
	if g.cfg.Keys > 0 {
		return uint32(d.IntN(g.cfg.Keys))
	}
	return uint32(d.Uint64() >> 32)
}
