package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Empirical returns a sampler of recorded values, each equally likely. It returns
// just the values it was given, never one between them: a gap in the record is often
// real, such as a cache that was hit or missed. It is an error if there are no values
// or a negative one.
func Empirical[T Quantity](values []T) (Sampler, error) {
	e := &empirical{}
	for i, v := range values {
		q := quantityOf(v)
		if q.value < 0 {
			return nil, fmt.Errorf("empirical: value %d is %v, must not be negative", i+1, q)
		}
		e.isTime = q.isTime
		e.steps = append(e.steps, empiricalStep{q.value, 1})
	}
	return e.build()
}

// ReadEmpirical reads recorded values, one on each line: a number, or a duration such
// as 1.2ms; all of them of the one kind or of the other. A value may be followed by a
// comma and the number of times it was recorded, at least 1. What follows a # is a
// comment. An error names its line.
func ReadEmpirical(r io.Reader) (Sampler, error) {
	e := &empirical{}
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		q, count, err := parseRecord(text)
		if err == nil && len(e.steps) > 0 && q.isTime != e.isTime {
			err = errors.New("durations and plain numbers are mixed")
		}
		if err != nil {
			return nil, fmt.Errorf("empirical: line %d: %w", n, err)
		}
		e.isTime = q.isTime
		e.steps = append(e.steps, empiricalStep{q.value, count})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("empirical: line %d: %w", n, err)
	}
	return e.build()
}

// parseRecord parses "value" or "value,count".
func parseRecord(text string) (quantity, int64, error) {
	first, second, counted := strings.Cut(text, ",")
	q, err := parseQuantity(strings.TrimSpace(first))
	if err != nil {
		return q, 0, err
	}
	if q.value < 0 {
		return q, 0, fmt.Errorf("%v is negative", q)
	}
	if !counted {
		return q, 1, nil
	}
	second = strings.TrimSpace(second)
	count, err := strconv.ParseInt(second, 10, 64)
	if err != nil || count < 1 {
		return q, 0, fmt.Errorf("%q is not a count of at least 1", second)
	}
	return q, count, nil
}

func parseQuantity(text string) (quantity, error) {
	if d, err := time.ParseDuration(text); err == nil && text != "0" {
		return quantityOf(d), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.Abs(x) >= math.MaxInt64 {
		return quantity{}, fmt.Errorf("%q is neither a number nor a duration", text)
	}
	if x < 0 {
		return quantity{value: -round(-x)}, nil
	}
	return quantity{value: round(x)}, nil
}

// empirical is a distribution with steps.
type empirical struct {
	steps  []empiricalStep // by value
	total  float64         // of all counts
	guide  []int32         // by nth part of the probability: the first step that may be it
	mean   float64
	isTime bool
}

type empiricalStep struct {
	value int64
	upTo  int64 // the counts up to this value; while reading, the count of it
}

// maxCount is the largest sum of counts that a float64 draw tells apart.
const maxCount = 1 << 52

// build sorts and accumulates the steps.
func (e *empirical) build() (Sampler, error) {
	if len(e.steps) == 0 {
		return nil, errors.New("empirical: no values")
	}
	slices.SortFunc(e.steps, func(a, b empiricalStep) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	sum, n := int64(0), 0
	for _, s := range e.steps {
		if s.upTo > maxCount-sum {
			return nil, fmt.Errorf("empirical: the counts sum to more than %d", int64(maxCount))
		}
		sum += s.upTo
		e.mean += float64(float64(s.value) * float64(s.upTo))
		if n > 0 && e.steps[n-1].value == s.value {
			n--
		}
		e.steps[n] = empiricalStep{s.value, sum}
		n++
	}
	e.steps = slices.Clip(e.steps[:n])
	e.total = float64(sum)
	e.mean /= e.total
	e.buildGuide()
	return e, nil
}

// buildGuide makes the table that spares Sample a search: on average there is one step
// in each nth part of the probability.
//
// Source: Chen, Asau: On generating random variates from an empirical distribution
// (1974).
func (e *empirical) buildGuide() {
	n := len(e.steps)
	e.guide = make([]int32, n)
	step := 0
	for i := range e.guide {
		from := float64(i) / float64(n) * e.total
		for step < n-1 && float64(e.steps[step].upTo) < math.Floor(from) {
			step++
		}
		e.guide[i] = int32(step)
	}
}

func (e *empirical) Sample(d *Draw) int64 { return e.quantile(d.Float64()) }

func (e *empirical) quantile(u float64) int64 {
	k := int64(float64(u * e.total)) // the kth of the recorded values, from 0
	i := e.guide[int(float64(u*float64(len(e.guide))))]
	for e.steps[i].upTo <= k && int(i) < len(e.steps)-1 {
		i++
	}
	return e.steps[i].value
}

func (e *empirical) Mean() float64 { return e.mean }

// String writes a few values out and only counts many.
func (e *empirical) String() string {
	const few = 8
	values, last := []string{}, int64(0)
	for _, s := range e.steps {
		for ; last < s.upTo && len(values) <= few; last++ {
			values = append(values, quantity{s.value, e.isTime}.TOML())
		}
	}
	if len(values) <= few {
		return fmt.Sprintf(`{ dist = "empirical", values = [%s] }`, strings.Join(values, ", "))
	}
	low, high := e.steps[0].value, e.steps[len(e.steps)-1].value
	return fmt.Sprintf(`{ dist = "empirical", count = %d, min = %s, max = %s }`,
		int64(e.total), quantity{low, e.isTime}.TOML(), quantity{high, e.isTime}.TOML())
}
