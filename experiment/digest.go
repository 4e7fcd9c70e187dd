package experiment

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"simrun/model"
)

// digest is a 64-bit xxHash of what an observer was told, in the order told. What is hashed:
// every attempt that ended, every answer, every stored copy, every change of a fate or of a fault
// table, each as a few little-endian 64-bit words, the first of which starts with the kind of the
// record; and at the end the ledger, which covers the messages still in flight.
//
// Scheduled times are part of the answers, route and process events are causes that show in the
// attempts; neither is hashed apart. The layout is part of the results' schema: changing it changes
// every digest.
type digest struct {
	h   *xxhash.Digest
	n   int // bytes used of buf
	buf [digestBuffer]byte
}

const (
	digestBuffer = 8 << 10
	recordMax    = 64
)

// Kinds of records.
const (
	recAttempt uint64 = iota + 1
	recAnswer
	recCopy
	recFate
	recTable
	recLedger
)

func newDigest() *digest { return &digest{h: xxhash.New()} }

// fit makes room for a record of at most recordMax bytes. It is small enough to be inlined.
func (d *digest) fit() {
	if d.n > digestBuffer-recordMax {
		d.flush()
	}
}

func (d *digest) flush() {
	_, _ = d.h.Write(d.buf[:d.n]) // it never fails
	d.n = 0
}

// sum is the digest of everything so far, as 16 hexadecimal digits.
func (d *digest) sum() string {
	d.flush()
	return fmt.Sprintf("%016x", d.h.Sum64())
}

// who packs the kind of a record with the message it is about. (More than 2^12 groups or 2^48
// messages of one fold into each other; that is still the same for the same run.)
func who(kind uint64, m *model.Message) uint64 {
	return kind<<60 | uint64(uint32(m.Group)&(1<<12-1))<<48 | m.Number&(1<<48-1)
}

// pack packs two 32-bit numbers.
func pack(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

func (d *digest) attempt(a *model.Attempt) {
	d.fit()
	b := (*[40]byte)(d.buf[d.n:])
	d.n += len(b)
	put(b[0:], who(recAttempt, &a.Message))
	put(b[8:], pack(int32(a.Queue.Broker), a.Queue.ID))
	put(b[16:], uint64(a.Began))
	put(b[24:], uint64(a.Ended))
	put(b[32:], uint64(uint32(a.Try))<<40|uint64(a.Outcome.Kind)<<32|uint64(uint32(a.Outcome.Code)))
}

func (d *digest) answer(a *model.Answer) {
	d.fit()
	b := (*[48]byte)(d.buf[d.n:])
	d.n += len(b)
	put(b[0:], who(recAnswer, &a.Message))
	put(b[8:], pack(a.Instance, a.Attempts))
	put(b[16:], uint64(a.Scheduled))
	put(b[24:], uint64(a.Began))
	put(b[32:], uint64(a.At))
	put(b[40:], uint64(a.Result.Status)<<48|
		uint64(a.Result.Exception)<<40|uint64(a.Result.Cause)<<32|uint64(uint32(a.Result.Code)))
}

func (d *digest) copyStored(c *model.Copy) {
	d.fit()
	b := (*[24]byte)(d.buf[d.n:])
	d.n += len(b)
	put(b[0:], who(recCopy, &c.Message))
	put(b[8:], pack(c.Broker, c.Number))
	put(b[16:], uint64(c.At))
}

func (d *digest) fate(f *model.FateChange) {
	d.fit()
	b := (*[24]byte)(d.buf[d.n:])
	d.n += len(b)
	put(b[0:], who(recFate, &f.Message))
	put(b[8:], pack(f.Broker, int32(f.From)<<8|int32(f.To)))
	put(b[16:], uint64(f.At))
}

func (d *digest) table(c *model.TableChange) {
	d.fit()
	b := (*[56]byte)(d.buf[d.n:])
	d.n += len(b)
	put(b[0:], recTable<<60|uint64(uint32(c.Broker)))
	put(b[8:], pack(c.Group, c.Instance))
	put(b[16:], uint64(c.At))
	put(b[24:], uint64(flags(c)))
	put(b[32:], uint64(c.After.Latency))
	put(b[40:], uint64(c.Before.Start))
	put(b[48:], uint64(c.After.Start))
}

func flags(c *model.TableChange) uint8 {
	f := uint8(0)
	for i, set := range [...]bool{c.Known, c.Before.Reachable, c.After.Reachable} {
		if set {
			f |= 1 << i
		}
	}
	return f
}

// ledger hashes the account of all messages.
func (d *digest) ledger(l *model.Ledger) {
	d.flush()
	b := binary.LittleEndian.AppendUint64(d.buf[:0], recLedger<<60)
	b = binary.LittleEndian.AppendUint64(b, uint64(l.Sent))
	b = binary.LittleEndian.AppendUint64(b, uint64(l.ExtraCopies))
	for i := range l.Rows {
		b = append(b, l.Rows[i].Answer...)
		for _, n := range l.Rows[i].ByFate {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
	}
	_, _ = d.h.Write(b)
}

func put(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
