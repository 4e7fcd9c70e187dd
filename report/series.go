package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// fixedColumns of timeseries.csv; for each broker follow sends.B, avoided.B and routed.B.
var fixedColumns = []string{
	"from_ns", "to_ns", "answered", "p50_ns", "p95_ns", "p99_ns", "max_ns",
	"ok", "ok_retry", "failed", "lost",
}

// Prefixes of the columns of brokers.
const (
	sendsPrefix   = "sends."
	avoidedPrefix = "avoided."
	routedPrefix  = "routed."
)

// SeriesCSV is timeseries.csv: a line for each window, RFC 4180 with a header and \n at line ends.
// The quantiles of a window without messages are empty. The last window ends where the run ended.
func SeriesCSV(r *result.Run) ([]byte, error) {
	s := r.Series
	header := slices.Clone(fixedColumns)
	for _, prefix := range []string{sendsPrefix, avoidedPrefix, routedPrefix} {
		for _, b := range s.Brokers {
			header = append(header, prefix+b)
		}
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := make([]string, 0, len(header))
	put := func(n int64) { row = append(row, strconv.FormatInt(n, 10)) }
	if err := w.Write(header); err != nil {
		return nil, err
	}
	for _, x := range s.Windows {
		if err := sameLength(s.Brokers, x); err != nil {
			return nil, err
		}
		row = row[:0]
		put(x.FromNS)
		put(max(x.FromNS, min(x.FromNS+s.WindowNS, r.SimulatedNS)))
		put(x.N)
		for _, q := range []int64{x.P50NS, x.P95NS, x.P99NS, x.MaxNS} {
			if x.N == 0 {
				row = append(row, "")
				continue
			}
			put(q)
		}
		for _, n := range []int64{x.OK, x.OKRetry, x.Failed, x.Lost} {
			put(n)
		}
		for _, n := range x.Sends {
			put(n)
		}
		for _, share := range slices.Concat(x.Avoided, x.Routed) {
			row = append(row, strconv.FormatFloat(share, 'g', -1, 64))
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// sameLength says whether a window has a value for each broker.
func sameLength(brokers []string, w result.Window) error {
	n := len(brokers)
	if len(w.Sends) != n || len(w.Avoided) != n || len(w.Routed) != n {
		return fmt.Errorf("report: window at %d ns has values of %d, %d and %d brokers, not of %d",
			w.FromNS, len(w.Sends), len(w.Avoided), len(w.Routed), n)
	}
	return nil
}

// ParseSeries reads what SeriesCSV wrote. The width of a window is that of the widest one: it is
// shorter than it was if the run ended within its first window.
func ParseSeries(rd io.Reader) (result.Series, error) {
	var s result.Series
	c := csv.NewReader(rd)
	header, err := c.Read()
	if err != nil {
		return s, fmt.Errorf("header: %w", err)
	}
	if s.Brokers, err = brokersOf(header); err != nil {
		return s, err
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		w, width, err := parseWindow(row, len(s.Brokers))
		if err != nil {
			line, _ := c.FieldPos(0)
			return s, fmt.Errorf("line %d: %w", line, err)
		}
		s.WindowNS = max(s.WindowNS, width)
		s.Windows = append(s.Windows, w)
	}
}

// brokersOf reads the names of brokers from the header.
func brokersOf(header []string) ([]string, error) {
	fixed := len(fixedColumns)
	if len(header) < fixed || !slices.Equal(header[:fixed], fixedColumns) {
		return nil, fmt.Errorf("the header does not begin with %s", strings.Join(fixedColumns, ","))
	}
	rest := header[fixed:]
	n := len(rest) / 3
	brokers := make([]string, n)
	for i := range rest {
		prefixes := []string{sendsPrefix, avoidedPrefix, routedPrefix}
		if len(rest) != 3*n {
			return nil, fmt.Errorf("%d columns of brokers are not three for each", len(rest))
		}
		name, ok := strings.CutPrefix(rest[i], prefixes[i/n])
		if i < n {
			brokers[i] = name
		}
		if !ok || name != brokers[i%n] {
			return nil, fmt.Errorf("unexpected column %q", rest[i])
		}
	}
	return brokers, nil
}

// parseWindow reads one line; the reader has checked that it is as long as the header.
func parseWindow(row []string, brokers int) (w result.Window, width int64, err error) {
	var to int64
	ints := []*int64{
		&w.FromNS, &to, &w.N, &w.P50NS, &w.P95NS, &w.P99NS, &w.MaxNS,
		&w.OK, &w.OKRetry, &w.Failed, &w.Lost,
	}
	const firstQuantile, lastQuantile = 3, 6
	for i, p := range ints {
		if row[i] == "" && i >= firstQuantile && i <= lastQuantile {
			continue
		}
		if *p, err = strconv.ParseInt(row[i], 10, 64); err != nil {
			return w, 0, err
		}
	}
	w.Sends = make([]int64, brokers)
	w.Avoided, w.Routed = make([]float64, brokers), make([]float64, brokers)
	at := len(ints)
	for b := range brokers {
		if w.Sends[b], err = strconv.ParseInt(row[at+b], 10, 64); err != nil {
			return w, 0, err
		}
		if w.Avoided[b], err = strconv.ParseFloat(row[at+brokers+b], 64); err != nil {
			return w, 0, err
		}
		if w.Routed[b], err = strconv.ParseFloat(row[at+2*brokers+b], 64); err != nil {
			return w, 0, err
		}
	}
	return w, to - w.FromNS, nil
}
