package model

import (
	"math"
	"sort"

	"simrun/sim"
)

// rateShape is a Shape with its integral. That counts in the messages' own time: at factor 1 a unit of it
// passes in a nanosecond, and arrivals that are steady in it follow the shape.
type rateShape struct {
	pieces []ratePiece
	// period is that of the shape, 0 if it never begins anew; area is what one is worth.
	period sim.Duration
	area   float64
}

// ratePiece is a stretch over which the factor changes evenly.
type ratePiece struct {
	at       sim.Duration
	length   float64 // +Inf of the last one of a shape without a period
	from, to float64
	slope    float64
	before   float64 // the area of the pieces before it
}

// moment is a point of time on a shape, at a fraction of a nanosecond behind at.
type moment struct {
	at    sim.Time
	part  float64
	start sim.Time // of the period
	piece int
}

// newRateShape is nil for a rate that does not change: then factor is by how much it differs.
func newRateShape(s *Shape) (shape *rateShape, factor float64) {
	flat := true
	for _, p := range s.Points {
		flat = flat && p.Factor == s.Points[0].Factor
	}
	switch {
	case len(s.Points) == 0:
		return nil, 1
	case flat:
		return nil, s.Points[0].Factor
	}
	return buildRateShape(s), 1
}

func buildRateShape(s *Shape) *rateShape {
	r := &rateShape{period: s.Period}
	for i, p := range s.Points {
		piece := ratePiece{at: p.At, from: p.Factor, to: p.Factor, before: r.area, length: math.Inf(1)}
		last := i == len(s.Points)-1
		switch {
		case !last:
			piece.to, piece.length = s.Points[i+1].Factor, float64(s.Points[i+1].At-p.At)
		case s.Period > 0:
			piece.length = float64(s.Period - p.At)
		}
		if piece.length == 0 {
			continue // a step, or the end of the period
		}
		piece.slope = (piece.to - piece.from) / piece.length
		r.pieces = append(r.pieces, piece)
		r.area += piece.rest(0)
	}
	return r
}

// rest is the area of a piece behind its point x.
func (p *ratePiece) rest(x float64) float64 {
	if p.from == 0 && p.to == 0 {
		return 0
	}
	return max(0, float64((p.length-x)*(p.factor(x)+p.to))/2)
}

func (p *ratePiece) factor(x float64) float64 {
	return max(0, p.from+float64(p.slope*x))
}

// reach is how far behind x the piece has gathered an area, at most that of the rest.
func (p *ratePiece) reach(x, area float64) float64 {
	f := p.factor(x)
	root := math.Sqrt(max(0, float64(f*f)+float64(2*float64(p.slope*area))))
	if f+root == 0 {
		return 0
	}
	return min(2*area/(f+root), p.length-x)
}

// pass moves m on by an area. It is false if the shape never has as much any more, or not within the range
// of sim.Time.
func (r *rateShape) pass(m *moment, area float64) bool {
	p := &r.pieces[m.piece]
	x := float64(m.at.Sub(m.start)-p.at) + m.part
	rest := p.rest(x)
	if area < rest {
		return m.move(p.reach(x, area))
	}
	return r.passPiece(m, area-rest)
}

// passPiece moves m on to the end of its piece, and by an area from there.
func (r *rateShape) passPiece(m *moment, area float64) bool {
	if m.piece++; m.piece == len(r.pieces) {
		m.piece = 0
		if r.period == 0 || !m.skip(r.period, 1) {
			return false
		}
	}
	target := r.pieces[m.piece].before + area
	if target >= r.area {
		if r.period == 0 || r.area == 0 {
			return false
		}
		n := math.Floor(target / r.area)
		if !m.skip(r.period, n) {
			return false
		}
		target = min(max(0, target-float64(n*r.area)), math.Nextafter(r.area, 0))
	}
	m.piece = sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].before > target }) - 1
	p := &r.pieces[m.piece]
	m.at, m.part = m.start.Add(p.at), 0
	return m.move(p.reach(0, target-p.before))
}

// skip moves the period of m on by n of them.
func (m *moment) skip(period sim.Duration, n float64) bool {
	if float64(n*float64(period)) > float64(sim.Never-m.start)/2 {
		return false
	}
	m.start += sim.Time(n) * sim.Time(period)
	return true
}

// move moves m on by d nanoseconds.
func (m *moment) move(d float64) bool {
	d += m.part
	if d > float64(sim.Never-m.at)/2 {
		return false
	}
	whole := math.Floor(d)
	m.at += sim.Time(whole)
	m.part = d - whole
	return true
}
