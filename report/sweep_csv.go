package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// SweepJSON is sweep.json: lists are empty where there is nothing, never null.
func SweepJSON(s *result.Sweep) ([]byte, error) {
	c := *s
	c.Axes, c.Points, c.Metrics = list(c.Axes), list(c.Points), list(c.Metrics)
	c.Sensitivity = list(c.Sensitivity)
	return result.JSON(&c)
}

// SweepCSV is sweep.csv: a line for each point, seed and metric, in that order, with the values of the axes
// as they stand in the scenario. digests are those of the runs, by point and seed; nil: the column is empty.
// A value that there is not is empty, one that never came is "inf"; cells that were not run have no lines.
func SweepCSV(s *result.Sweep, digests [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"point", "default"}
	for i := range s.Axes {
		header = append(header, s.Axes[i].Param)
	}
	if err := w.Write(append(header, "seed", "digest", "missed", "metric", "unit", "value")); err != nil {
		return nil, err
	}
	for p := range s.Points {
		for i, seed := range s.Seeds {
			row := []string{strconv.Itoa(p), strconv.FormatBool(p == s.Default)}
			for _, text := range s.Points[p].Values {
				row = append(row, levelWords(text))
			}
			digest := ""
			if digests != nil {
				digest = digests[p][i]
			}
			if digests != nil && digest == "" {
				continue // it was not run
			}
			row = append(row, strconv.FormatUint(seed, 10), digest, missedBy(s, p, i))
			for m := range s.Metrics {
				x := &s.Metrics[m]
				if err := w.Write(append(row[:len(row):len(row)], x.Addressed(), string(x.Unit),
					csvValue(float64(x.Cells[p].Values[i])))); err != nil {
					return nil, err
				}
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// missedBy are the requirements that a run misses, as addresses with their bounds.
func missedBy(s *result.Sweep, point, seed int) string {
	var list []string
	for i := range s.Requirements {
		r := &s.Requirements[i]
		m := &s.Metrics[r.Metric]
		if r.Keeps(float64(m.Cells[point].Values[seed])) {
			continue
		}
		sense := "<="
		if r.AtLeast {
			sense = ">="
		}
		list = append(list, m.Addressed()+sense+csvValue(r.Bound))
	}
	return strings.Join(list, "; ")
}

// csvValue is a number with all its digits.
func csvValue(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
