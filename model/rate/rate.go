package rate

import (
	"math"
	"slices"
	"sort"

	"simrun/sim"
)

// Shape is a rate that changes: piecewise linear between Points, and the same again each Period. The
// zero value is a constant rate.
type Shape struct {
	// Points rise in At, the first is at 0. Two points at one time are a step.
	Points []Point
	// Period is when it begins anew, not before the last point; 0 is never. After the last point its factor
	// stays.
	Period sim.Duration
}

// Point is the rate at a time, as a factor of the rate; >= 0.
type Point struct {
	At     sim.Duration
	Factor float64
}

// factorAt is the factor at a time; behind a step, that behind it.
func (s *Shape) factorAt(at sim.Duration) float64 {
	if s.Period > 0 {
		at %= s.Period
	}
	i, _ := slices.BinarySearchFunc(s.Points, at, func(p Point, at sim.Duration) int {
		if p.At <= at {
			return -1
		}
		return 1
	})
	switch {
	case i == 0:
		return s.Points[0].Factor
	case i == len(s.Points):
		return s.Points[i-1].Factor
	}
	a, b := s.Points[i-1], s.Points[i]
	part := float64(at-a.At) / float64(b.At-a.At)
	return a.Factor + float64((b.Factor-a.Factor)*part)
}

// Peak is the highest factor from one time until right before another.
func (s *Shape) Peak(from, to sim.Duration) float64 {
	if len(s.Points) == 0 {
		return 1
	}
	most := s.factorAt(from)
	if to <= from {
		return most
	}
	most = max(most, s.factorAt(to-1))
	for _, p := range s.Points {
		at := p.At
		if s.Period > 0 && at <= from {
			at += s.Period * ((from-at)/s.Period + 1)
		}
		if at > from && at < to {
			most = max(most, p.Factor)
		}
	}
	return most
}

// Curve is a Shape with its integral. That counts in the messages' own time: at factor 1 a unit of it
// passes in a nanosecond, and arrivals that are steady in it follow the shape.
type Curve struct {
	pieces []piece
	// period is that of the shape, 0 if it never begins anew; area is what one is worth.
	period sim.Duration
	area   float64
}

// piece is a stretch over which the factor changes evenly.
type piece struct {
	at       sim.Duration
	length   float64 // +Inf of the last one of a shape without a period
	from, to float64
	slope    float64
	before   float64 // the area of the pieces before it
}

// Moment is a point of time on a shape; the zero value is its beginning.
type Moment struct {
	// At is the time, part a fraction of a nanosecond behind it.
	At    sim.Time
	part  float64
	start sim.Time // of the period
	piece int
}

// NewCurve is a shape with its integral, nil for a rate that does not change: then factor is by how much it
// differs.
func NewCurve(s *Shape) (shape *Curve, factor float64) {
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
	return build(s), 1
}

// Area is what a period is worth, the integral of the factor over it, in nanoseconds at factor 1.
func (s *Shape) Area() float64 { return build(s).area }

func build(s *Shape) *Curve {
	r := &Curve{period: s.Period}
	for i, p := range s.Points {
		piece := piece{at: p.At, from: p.Factor, to: p.Factor, before: r.area, length: math.Inf(1)}
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
func (p *piece) rest(x float64) float64 {
	if p.from == 0 && p.to == 0 {
		return 0
	}
	return max(0, float64((p.length-x)*(p.factor(x)+p.to))/2)
}

func (p *piece) factor(x float64) float64 {
	return max(0, p.from+float64(p.slope*x))
}

// reach is how far behind x the piece has gathered an area, at most that of the rest.
func (p *piece) reach(x, area float64) float64 {
	f := p.factor(x)
	root := math.Sqrt(max(0, float64(f*f)+float64(2*float64(p.slope*area))))
	if f+root == 0 {
		return 0
	}
	return min(2*area/(f+root), p.length-x)
}

// Pass moves m on by an area, in nanoseconds at factor 1. It is false if the shape never has as much any
// more, or not within the range of sim.Time.
func (r *Curve) Pass(m *Moment, area float64) bool {
	p := &r.pieces[m.piece]
	x := float64(m.At.Sub(m.start)-p.at) + m.part
	rest := p.rest(x)
	if area < rest {
		return m.move(p.reach(x, area))
	}
	return r.passPiece(m, area-rest)
}

// passPiece moves m on to the end of its piece, and by an area from there.
func (r *Curve) passPiece(m *Moment, area float64) bool {
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
	m.At, m.part = m.start.Add(p.at), 0
	return m.move(p.reach(0, target-p.before))
}

// skip moves the period of m on by n of them.
func (m *Moment) skip(period sim.Duration, n float64) bool {
	if float64(n*float64(period)) > float64(sim.Never-m.start)/2 {
		return false
	}
	m.start += sim.Time(n) * sim.Time(period)
	return true
}

// move moves m on by d nanoseconds.
func (m *Moment) move(d float64) bool {
	d += m.part
	if d > float64(sim.Never-m.At)/2 {
		return false
	}
	whole := math.Floor(d)
	m.At += sim.Time(whole)
	m.part = d - whole
	return true
}
