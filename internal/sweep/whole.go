package sweep

import (
	"math"
	"strings"

	"simrun/scenarios"
)

// change is what is done to the numbers of a value: they are bent, then multiplied. 1 and 1 change nothing.
type change struct{ shape, scale float64 }

// apply changes a value of TOML, a quantity or a list of them; false if it is neither.
//
// A number d of a list whose largest is max becomes scale * max * (d/max)^shape. Zeros remain, what was above
// 0 does, numbers that rise do, and all are rounded to what the value is written in: whole milliseconds,
// whole numbers.
func (c change) apply(text string) (string, bool) {
	inner, isList := strings.CutPrefix(strings.TrimSpace(text), "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if isList != closed {
		return "", false
	}
	list, ok := quantitiesOf(splitValues(inner, 0))
	if !ok {
		return "", false
	}
	most, grain := 0.0, math.Inf(1)
	for _, q := range list {
		most = math.Max(most, q.Value)
		grain = math.Min(grain, q.Grain())
	}
	texts := make([]string, len(list))
	var last scenarios.Quantity
	for i, q := range list {
		now := q.With(c.number(q.Value, most), grain)
		if q.Value > 0 && now.Value < grain {
			now = q.With(grain, grain)
		}
		switch {
		case i > 0 && q.Value == list[i-1].Value:
			now = last
		case i > 0 && q.Value > list[i-1].Value && now.Value <= last.Value && grain > 0:
			now = q.With(last.Value+grain, grain)
		}
		last, texts[i] = now, now.Text()
	}
	if !isList {
		return texts[0], true
	}
	return "[" + strings.Join(texts, ", ") + "]", true
}

// number changes one number of a list.
func (c change) number(d, most float64) float64 {
	if d == 0 {
		return 0
	}
	if c.shape != 1 {
		d = most * math.Pow(d/most, c.shape)
	}
	return c.scale * d
}
