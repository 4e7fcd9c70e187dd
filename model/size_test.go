package model

import (
	"math"
	"testing"
	"unsafe"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// A message record is one cache line: walking over those that an fsync covers is a hot path.
func TestMessageIsACacheLine(t *testing.T) {
	if n := unsafe.Sizeof(message{}); n != 64 {
		t.Errorf("a message record has %d bytes", n)
	}
}

// A batch is as large as its messages together, and never compressed; a message of at least
// compressMsgBodyOverHowmuch is compressed, after it has been held against maxMessageSize (client.md §4:
// "msg body > compressMsgBodyOverHowmuch compressed", where the source has >=; §7: "A batch is never
// compressed").
//
// Source: DefaultMQProducerImpl.tryToCompressMessage and Validators.checkMessage, 4.2.0, 4.9.8 and 5.3.3.
func TestSizes(t *testing.T) {
	t.Parallel()
	const kib = 1024
	for _, c := range []struct {
		size     int64
		remoting config.Remoting
		batch    int
		want     int32
	}{
		{5 * kib, config.Remoting{}, 0, 5 * kib},
		{5 * kib, config.Remoting{CompressedTo: 0.5}, 1, 2.5 * kib},
		{4 * kib, config.Remoting{CompressedTo: 0.5}, 0, 2 * kib},
		{4*kib - 1, config.Remoting{CompressedTo: 0.5}, 0, 4*kib - 1},
		{4*kib - 1, config.Remoting{CompressedTo: 0.5, CompressOver: kib}, 0, 2*kib - 1},
		{5 * kib, config.Remoting{CompressedTo: 0.5}, 3, 15 * kib},
		{4096 * kib, config.Remoting{}, 0, 4096 * kib},
		{4096*kib + 1, config.Remoting{}, 0, tooLarge},
		{4096*kib + 1, config.Remoting{CompressedTo: 0.1}, 0, tooLarge},
		{3 * kib, config.Remoting{MaxMessageSize: 9 * kib}, 3, 9 * kib},
		{3 * kib, config.Remoting{MaxMessageSize: 9*kib - 1}, 3, tooLarge},
	} {
		cfg := configtest.Small("5.3.3", 1)
		p := &cfg.Producers[0]
		p.MessageSize, p.Remoting, p.Batch = must(sim.Constant(c.size)), c.remoting, c.batch
		w := New(cfg, nil)
		if got := w.sizeOf(&w.groups[0], 5); got != c.want {
			t.Errorf("%+v: %d bytes", c, got)
		}
	}
}

// The messages of a batch have sizes of their own: the mean adds up, the spread grows by the root.
func TestBatchesAddUpDrawnSizes(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	p := &cfg.Producers[0]
	p.MessageSize, p.Batch = must(sim.Uniform(int64(0), int64(1000))), 4
	w := New(cfg, nil)
	const n = 10_000
	var sum, squares float64
	for i := range uint64(n) {
		x := float64(w.sizeOf(&w.groups[0], i))
		sum += x
		squares += x * x
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	if math.Abs(mean-2000) > 25 || math.Abs(deviation-2*1000/math.Sqrt(12)) > 20 {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
}

// What a send touches of an instance, a channel and a thread begins with a cache line: with a thousand
// instances none of it is in a cache when its turn comes.
func TestRecordsAreWholeCacheLines(t *testing.T) {
	for name, n := range map[string]uintptr{
		"an instance": unsafe.Sizeof(instance{}), "a channel": unsafe.Sizeof(channel{}),
		"a thread": unsafe.Sizeof(thread{}),
	} {
		if n%64 != 0 {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
	for name, n := range map[string]uintptr{
		"a channel": unsafe.Offsetof(channel{}.waitHead), "a thread": unsafe.Offsetof(thread{}.src),
	} {
		if n > 64 {
			t.Errorf("the line of %s has %d bytes", name, n)
		}
	}
}

// A message has a byte at least, also where a distribution, or compression, comes to less. (A copy of none
// would end where the one before it ends.)
func TestMessagesHaveAByteAtLeast(t *testing.T) {
	for _, c := range []struct {
		size sim.Sampler
		to   float64
	}{
		{must(sim.Exponential(int64(1))), 0},
		{must(sim.Lognormal(int64(2), 20)), 0},
		{must(sim.Constant(int64(8192))), 0.00001},
	} {
		cfg := configtest.Small("5.3.3", 1)
		cfg.Duration = 30 * sim.Second
		cfg.Producers[0].MessageSize, cfg.Producers[0].Remoting.CompressedTo = c.size, c.to
		w := runWorld(t, cfg, nil)
		for n := range uint64(5000) {
			if got := w.sizeOf(&w.groups[0], n); got < 1 {
				t.Fatalf("message %d has %d bytes", n, got)
			}
		}
	}
}
