package scenarios

import (
	"math"
	"strconv"
	"strings"
	"time"

	"simrun/internal/result"
)

// Quantity is a value on a scale: a number, a duration, a rate, a share, a size or a bandwidth.
type Quantity struct {
	// Value is in the base unit: nanoseconds, per second, bytes, a number from 0 to 1.
	Value float64
	kind  quantityKind
}

type quantityKind uint8

const (
	quantityWhole quantityKind = iota
	quantityNumber
	quantityDuration
	quantityRate
	quantityPercent
	quantitySize
	quantityBandwidth
)

// ParseQuantity reads a value as it is written in a scenario or behind --set KEY=, quoted or not; false if it
// is on no scale.
func ParseQuantity(text string) (Quantity, bool) {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if i, err := strconv.ParseInt(text, 10, 53); err == nil {
		return Quantity{float64(i), quantityWhole}, true
	}
	if isNumber(text) {
		x, err := strconv.ParseFloat(text, 64)
		return Quantity{x, quantityNumber}, err == nil
	}
	if d, err := parseDuration(text); err == nil {
		return Quantity{float64(d), quantityDuration}, true
	}
	if x, err := parseRate(text); err == nil {
		return Quantity{x, quantityRate}, true
	}
	if x, err := parseRatio(text); err == nil {
		return Quantity{x, quantityPercent}, true
	}
	if n, err := parseBytes(text); err == nil {
		return Quantity{float64(n), quantitySize}, true
	}
	if x, err := parseBandwidth(text); err == nil {
		return Quantity{x, quantityBandwidth}, true
	}
	return Quantity{}, false
}

// Unit is the base unit.
func (q Quantity) Unit() result.Unit {
	switch q.kind {
	case quantityDuration:
		return result.UnitNS
	case quantityWhole, quantitySize:
		return result.UnitCount
	case quantityPercent:
		return result.UnitRatio
	case quantityNumber, quantityRate, quantityBandwidth:
	}
	return result.UnitPer
}

// Like says whether two quantities are of one kind, so that there is something between them. A whole number
// is a number, too.
func (q Quantity) Like(p Quantity) bool {
	number := func(q Quantity) bool { return q.kind == quantityWhole || q.kind == quantityNumber }
	return q.kind == p.kind || number(q) && number(p)
}

// Grain is what the value is a whole number of: 1 for whole numbers and sizes, a millisecond, microsecond or
// nanosecond for durations, in nanoseconds; 0 for what has no grain.
func (q Quantity) Grain() float64 {
	switch q.kind {
	case quantityWhole, quantitySize:
		return 1
	case quantityDuration:
		for _, d := range []time.Duration{time.Millisecond, time.Microsecond} {
			if math.Mod(q.Value, float64(d)) == 0 {
				return float64(d)
			}
		}
		return 1
	case quantityNumber, quantityRate, quantityPercent, quantityBandwidth:
	}
	return 0
}

// With is a quantity of the same kind with another value: a whole number of grains, if there is one above 0,
// and no more than twelve digits.
func (q Quantity) With(value, grain float64) Quantity {
	if grain > 0 {
		value = math.Round(value/grain) * grain
	}
	value, _ = strconv.ParseFloat(strconv.FormatFloat(value, 'g', 12, 64), 64)
	if q.kind == quantityWhole && value != math.Trunc(value) {
		q.kind = quantityNumber
	}
	q.Value = value
	return q
}

// Text is the quantity as a scenario has it, in TOML.
func (q Quantity) Text() string {
	switch q.kind {
	case quantityWhole:
		return strconv.FormatFloat(q.Value, 'f', -1, 64)
	case quantityDuration:
		return quote(formatDuration(time.Duration(q.Value)))
	case quantityRate:
		return quote(formatRate(q.Value))
	case quantityPercent, quantityNumber:
		return formatFloat(q.Value)
	case quantitySize:
		return quote(formatSize(int64(q.Value)))
	case quantityBandwidth:
		return quote(formatBandwidth(q.Value))
	}
	return ""
}
