package timetable

import (
	"simrun/model/config"
	"simrun/model/internal/place"
)

// Side says which packets a strike of a fault of the network is about: those between the endpoints in it and
// those on the other side, which is everyone else if anyone is set.
type Side struct {
	places *place.Map
	kind   config.FaultKind
	oneWay bool
	in, to bits
	anyone bool
}

// bits is a set of endpoints.
type bits []uint64

func (b bits) add(e int32) { b[e>>6] |= 1 << (e & 63) }

func (b bits) has(e int32) bool { return b[e>>6]>>(e&63)&1 != 0 }

// newSide makes the side of a strike of fault f at targets.
func newSide(f *config.Fault, targets []config.Target, places *place.Map) *Side {
	words := (places.Len() + 63) / 64
	s := &Side{
		places: places, kind: f.Kind, oneWay: f.OneWay, anyone: len(f.To) == 0,
		in: make(bits, words), to: make(bits, words),
	}
	for _, t := range targets {
		s.in.add(places.Endpoint(t))
	}
	for _, t := range f.To {
		s.to.add(places.Endpoint(t))
	}
	return s
}

// other says whether an endpoint is on the other side.
func (s *Side) other(e int32) bool {
	if s.anyone {
		return !s.in.has(e)
	}
	return s.to.has(e)
}

// Hits says whether a packet from one endpoint to another feels the fault. What stays within a host
// feels none but a black hole, which is at the port of a process. Producers come to a broker's port,
// everyone to a name server's.
func (s *Side) Hits(from, to int32) bool {
	if s.kind == config.BlackHole {
		return s.in.has(to) && (s.places.IsInstance(from) || s.places.IsNameServer(to))
	}
	if s.places.Host(from) == s.places.Host(to) {
		return false
	}
	if s.kind == config.CablePull {
		return s.in.has(from) || s.in.has(to)
	}
	return s.in.has(from) && s.other(to) || !s.oneWay && s.in.has(to) && s.other(from)
}
