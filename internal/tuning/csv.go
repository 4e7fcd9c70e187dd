package main

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/stat"
)

// fields of tuning-guide.csv.
var fields = []string{
	"situation", "condition", "setting", "keys", "row", "unit", "median", "low", "high",
	"difference", "difference_low", "difference_high", "outcome", "gain", "digest",
}

// csv has every number of the tables, and the digest of the first run of each setting, by which a test sees
// that they are out of date.
func (s *study) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // a buffer takes everything
	for _, t := range s.tables {
		for v, e := range t.entries {
			for _, c := range t.columns {
				r, err := t.row(c.metric)
				if err != nil {
					continue
				}
				_ = w.Write(t.record(v, e, r))
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// record is a line of the CSV.
func (t *table) record(v int, e entry, r *result.PairedRow) []string {
	var low, high string
	if i, ok := stat.MedianInterval(t.values(r, v), 1-ensemble.Alpha); ok {
		low, high = digits(i.Low), digits(i.High)
	}
	line := []string{
		t.situation.id, t.condition.id, e.name, strings.Join(e.set.keys, " "), r.Addressed(), string(r.Unit),
		digits(float64(r.Medians[v])), low, high, "", "", "", "", "", t.of.Variants[v].Set.Runs[0].Digest,
	}
	if d := &r.Against[v]; v != t.of.Reference {
		line[9], line[12] = digits(float64(d.Median)), string(d.Outcome)
		if d.Low != nil && d.High != nil {
			line[10], line[11] = digits(float64(*d.Low)), digits(float64(*d.High))
		}
		if d.Gain != nil {
			line[13] = strconv.FormatFloat(*d.Gain, 'g', 3, 64)
		}
	}
	return line
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
