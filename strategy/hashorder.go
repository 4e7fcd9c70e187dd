package strategy

import (
	"slices"
	"unicode/utf16"
)

// hashOrder keeps brokers in the order in which Java's ConcurrentHashMap iterates over their
// names. The order decides between fault items that tie ([PickSortHalf]), and the order of probes.
//
// A bin of the hash table is a list in order of insertion; bins come in the order of their number.
// When the table grows, each bin is split in two, and the part before the last run of nodes that
// stay together comes out reversed. Bins of eight and more names, which Java turns into trees, are
// kept as lists: with the usual names that takes hundreds of brokers.
//
// Source: java.util.concurrent.ConcurrentHashMap of OpenJDK 8: spread, putVal, addCount, transfer.
type hashOrder struct {
	hashes  []uint32 // by broker
	brokers []Broker // present ones in iteration order
	bins    uint32   // a power of two
	scratch []Broker
}

// firstBins is the number of bins of new ConcurrentHashMap(16): room for one and a half times as
// many entries as asked for, rounded up to a power of two.
const firstBins = 32

func newHashOrder(names []string) hashOrder {
	h := hashOrder{
		hashes:  make([]uint32, len(names)),
		brokers: make([]Broker, 0, len(names)),
		scratch: make([]Broker, 0, len(names)),
		bins:    firstBins,
	}
	for i, name := range names {
		h.hashes[i] = spread(javaHash(name))
	}
	return h
}

// javaHash is String.hashCode: over UTF-16 units, not bytes.
func javaHash(s string) uint32 {
	var h uint32
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + uint32(u)
	}
	return h
}

// spread folds the high bits into the low ones.
func spread(h uint32) uint32 { return (h ^ h>>16) & 0x7fffffff }

func (h *hashOrder) bin(b Broker) uint32 { return h.hashes[b] & (h.bins - 1) }

// add appends an absent broker to its bin and grows the table when it is three quarters full.
func (h *hashOrder) add(b Broker) {
	i := len(h.brokers)
	for i > 0 && h.bin(h.brokers[i-1]) > h.bin(b) {
		i--
	}
	h.brokers = slices.Insert(h.brokers, i, b)
	if n := uint32(len(h.brokers)); n >= h.bins-h.bins/4 {
		h.grow()
	}
}

// remove drops a broker.
func (h *hashOrder) remove(b Broker) {
	if i := slices.Index(h.brokers, b); i >= 0 {
		h.brokers = slices.Delete(h.brokers, i, i+1)
	}
}

// after is the position behind a broker, or, if it is gone, that of its bin; 0 for NoBroker.
func (h *hashOrder) after(b Broker) int {
	if b == NoBroker {
		return 0
	}
	if i := slices.Index(h.brokers, b); i >= 0 {
		return i + 1
	}
	i := 0
	for i < len(h.brokers) && h.bin(h.brokers[i]) < h.bin(b) {
		i++
	}
	return i
}

// grow doubles the number of bins.
func (h *hashOrder) grow() {
	old := h.bins
	h.bins *= 2
	low, high := h.scratch[:0], []Broker(nil)
	for start := 0; start < len(h.brokers); {
		end := start + 1
		for end < len(h.brokers) &&
			h.hashes[h.brokers[end]]&(old-1) == h.hashes[h.brokers[start]]&(old-1) {
			end++
		}
		low, high = h.split(h.brokers[start:end], old, low, high)
		start = end
	}
	// All low bins come before all high ones: bin i splits into i and i+old.
	h.scratch = h.brokers
	h.brokers = append(low, high...)
}

// split appends the halves of one bin: nodes before the last run reversed, then the run.
func (h *hashOrder) split(bin []Broker, bit uint32, low, high []Broker) (l, r []Broker) {
	run := len(bin) - 1
	for run > 0 && h.hashes[bin[run-1]]&bit == h.hashes[bin[run]]&bit {
		run--
	}
	push := func(b Broker) {
		if h.hashes[b]&bit == 0 {
			low = append(low, b)
		} else {
			high = append(high, b)
		}
	}
	for i := run - 1; i >= 0; i-- {
		push(bin[i])
	}
	for _, b := range bin[run:] {
		push(b)
	}
	return low, high
}
