package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"

	"simrun/internal/result"
)

// SweepJSON is sweep.json: lists are empty where there is nothing, never null.
func SweepJSON(s *result.Sweep) ([]byte, error) {
	c := *s
	c.Axes, c.Points, c.Metrics = list(c.Axes), list(c.Points), list(c.Metrics)
	c.Sensitivity = list(c.Sensitivity)
	return JSON(&c)
}

// SweepCSV is sweep.csv: a line for each point, seed and metric, in that order, with the values of the axes
// as they stand in the scenario. digests are those of the runs, by point and seed; nil: the column is empty.
// A value that there is not is empty, one that never came is "inf".
func SweepCSV(s *result.Sweep, digests [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := []string{"point", "default"}
	for i := range s.Axes {
		header = append(header, s.Axes[i].Param)
	}
	if err := w.Write(append(header, "seed", "digest", "metric", "unit", "value")); err != nil {
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
			row = append(row, strconv.FormatUint(seed, 10), digest)
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
