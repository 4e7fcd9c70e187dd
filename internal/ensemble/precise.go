package ensemble

import (
	"fmt"
	"math"

	"simrun/internal/result"
	"simrun/internal/stat"
)

// Precise adds seeds until one row is precise enough in all variants, or a budget of seeds ends. It looks
// after 10, 20, 40, 80 … seeds; looks that are fixed before the first share the error allowed, so that
// stopping at one of them does not make intervals too narrow.
//
//	for next := p.Next(); len(next) > 0; next = p.Next() {
//		… // run every variant with the seeds next, and keep the runs before
//		p.Look(inputs, reference)
//	}
//	c := Compare(inputs, Options{Alpha: p.Alpha(), Precision: p.Result(), …})
type Precise struct {
	row    Row
	target float64
	seeds  []uint64
	looks  []stat.Look
	out    result.Precision
}

// NewPrecise wants the interval of a row's difference to be no wider than twice the target, relative to the
// median of the reference: 0.05 is ±5 %. The seeds are the budget, in the order in which they are used.
// It is an error if the target is not above 0, or the budget is too small for an interval.
func NewPrecise(row Row, target float64, seeds []uint64) (*Precise, error) {
	p := &Precise{row: row, target: target, seeds: seeds, looks: stat.Looks(len(seeds), Alpha)}
	if !(target > 0) || math.IsInf(target, 1) {
		return nil, fmt.Errorf("a half-width of %v %% is no target; write one above 0, such as 5%%", 100*target)
	}
	if r, _ := stat.Ranks(len(seeds), 1-p.Alpha()); r == 0 {
		return nil, fmt.Errorf("%s are too few for an interval; at least %d are needed",
			plural(len(seeds), "seed"), fewestSeeds)
	}
	p.out = result.Precision{
		Metric: row.Metric, Phase: row.Phase, Fault: row.Fault, Target: target, Looks: []result.Look{},
	}
	return p, nil
}

// Alpha is the error allowed at each look: a part of [Alpha]. A comparison of the seeds is made with it.
func (p *Precise) Alpha() float64 {
	if len(p.looks) == 0 {
		return Alpha
	}
	return p.looks[0].Alpha
}

// Next are the seeds to run before the next look; none when the row is precise enough, or the budget ended.
func (p *Precise) Next() []uint64 {
	look := len(p.out.Looks)
	if p.out.Reached || look == len(p.looks) {
		return nil
	}
	from := 0
	if look > 0 {
		from = p.looks[look-1].Seeds
	}
	return p.seeds[from:p.looks[look].Seeds]
}

// Look looks at the row in the runs of all seeds so far.
func (p *Precise) Look(inputs []Input, reference int) result.Look {
	look := result.Look{Confidence: 1 - p.Alpha(), Reason: "no seed has all variants"}
	c := Compare(inputs, Options{Reference: reference, Rows: []Row{p.row}, Alpha: p.Alpha()})
	if c != nil {
		look.Seeds = len(c.Seeds)
		look.HalfWidth, look.Reason = halfWidth(&c.Rows[0], reference)
	}
	p.out.Looks = append(p.out.Looks, look)
	p.out.Reached = look.HalfWidth != nil && *look.HalfWidth <= p.target
	return look
}

// halfWidth is the widest of the variants, relative to the median of the reference. Nil, and why: too few
// pairs, an end that never came, or a median to which nothing is relative, unless nothing varies.
func halfWidth(row *result.PairedRow, reference int) (half *float64, reason string) {
	base := math.Abs(float64(row.Medians[reference]))
	widest := 0.0
	for v := range row.Against {
		if v == reference {
			continue
		}
		a := &row.Against[v]
		if a.Low == nil {
			return nil, "too few seeds with a value for an interval"
		}
		width := float64(*a.High - *a.Low)
		switch {
		case *a.High == *a.Low: // both may be infinite
			width = 0
		case math.IsInf(width, 0):
			return nil, "the interval has no end, for in some seeds the time never came"
		case base == 0:
			return nil, "the reference's median is 0, and nothing is relative to that"
		case math.IsInf(base, 0):
			return nil, "the reference's median never came, and nothing is relative to that"
		default:
			width /= base
		}
		widest = max(widest, width/2)
	}
	return &widest, ""
}

// Result says how seeds were added so far.
func (p *Precise) Result() *result.Precision {
	out := p.out
	return &out
}
