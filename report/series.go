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

// column of timeseries.csv about the whole window.
type seriesColumn struct {
	name string
	of   func(*result.Window) *int64
	// quantile: empty if no message was answered.
	quantile bool
}

var seriesColumns = []seriesColumn{
	{"answered", func(w *result.Window) *int64 { return &w.N }, false},
	{"p50_ns", func(w *result.Window) *int64 { return &w.P50NS }, true},
	{"p95_ns", func(w *result.Window) *int64 { return &w.P95NS }, true},
	{"p99_ns", func(w *result.Window) *int64 { return &w.P99NS }, true},
	{"max_ns", func(w *result.Window) *int64 { return &w.MaxNS }, true},
	{"ok", func(w *result.Window) *int64 { return &w.OK }, false},
	{"ok_retry", func(w *result.Window) *int64 { return &w.OKRetry }, false},
	{"weaker", func(w *result.Window) *int64 { return &w.Weaker }, false},
	{"handed", func(w *result.Window) *int64 { return &w.Handed }, false},
	{"failed", func(w *result.Window) *int64 { return &w.Failed }, false},
	{"lost", func(w *result.Window) *int64 { return &w.Lost }, false},
	{"at_risk", func(w *result.Window) *int64 { return &w.AtRisk }, false},
	{"at_risk_bytes", func(w *result.Window) *int64 { return &w.AtRiskBytes }, false},
	{"unreadable", func(w *result.Window) *int64 { return &w.Unreadable }, false},
	{"scheduled", func(w *result.Window) *int64 { return &w.Scheduled }, false},
	{"fallbacks", func(w *result.Window) *int64 { return &w.Fallbacks }, false},
}

// brokerColumn is a column for each broker, named "prefix.broker". Either count or share is set.
type brokerColumn struct {
	prefix string
	count  func(w *result.Window, b int) *int64
	share  func(w *result.Window, b int) *float64
}

var brokerColumns = []brokerColumn{
	{prefix: "sends", count: func(w *result.Window, b int) *int64 { return &w.Sends[b] }},
	{prefix: "avoided", share: func(w *result.Window, b int) *float64 { return &w.Avoided[b] }},
	{prefix: "routed", share: func(w *result.Window, b int) *float64 { return &w.Routed[b] }},
	{prefix: "unsynced_bytes", count: func(w *result.Window, b int) *int64 {
		return &w.Brokers[b].UnsyncedBytes
	}},
	{prefix: "single_bytes", count: func(w *result.Window, b int) *int64 {
		return &w.Brokers[b].SingleBytes
	}},
	{prefix: "unreadable", count: func(w *result.Window, b int) *int64 {
		return &w.Brokers[b].Unreadable
	}},
	{prefix: "utilisation", share: func(w *result.Window, b int) *float64 {
		return &w.Brokers[b].Utilisation
	}},
	{prefix: "queue", share: func(w *result.Window, b int) *float64 { return &w.Brokers[b].Queue }},
	{prefix: "busy", count: func(w *result.Window, b int) *int64 { return &w.Brokers[b].Busy }},
	{prefix: "in_flight", share: func(w *result.Window, b int) *float64 { return &w.Brokers[b].InFlight }},
}

// seriesHeader is the first line of timeseries.csv.
func seriesHeader(brokers []string) []string {
	header := []string{"from_ns", "to_ns"}
	for _, c := range seriesColumns {
		header = append(header, c.name)
	}
	for _, c := range brokerColumns {
		for _, b := range brokers {
			header = append(header, c.prefix+"."+b)
		}
	}
	return header
}

// SeriesCSV is timeseries.csv: a line for each window, RFC 4180 with a header and \n at line ends.
// The quantiles of a window without messages are empty. The last window ends where the run ended.
func SeriesCSV(r *result.Run) ([]byte, error) {
	s := r.Series
	header := seriesHeader(s.Brokers)
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := make([]string, 0, len(header))
	if err := w.Write(header); err != nil {
		return nil, err
	}
	for i := range s.Windows {
		x := &s.Windows[i]
		if err := sameLength(s.Brokers, x); err != nil {
			return nil, err
		}
		to := max(x.FromNS, min(x.FromNS+s.WindowNS, r.SimulatedNS))
		row = append(row[:0], strconv.FormatInt(x.FromNS, 10), strconv.FormatInt(to, 10))
		if err := w.Write(seriesRow(row, x, len(s.Brokers))); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// seriesRow adds the values of a window to a row.
func seriesRow(row []string, x *result.Window, brokers int) []string {
	for _, c := range seriesColumns {
		text := ""
		if !c.quantile || x.N > 0 {
			text = strconv.FormatInt(*c.of(x), 10)
		}
		row = append(row, text)
	}
	for _, c := range brokerColumns {
		for b := range brokers {
			if c.count != nil {
				row = append(row, strconv.FormatInt(*c.count(x, b), 10))
			} else {
				row = append(row, strconv.FormatFloat(*c.share(x, b), 'g', -1, 64))
			}
		}
	}
	return row
}

// sameLength says whether a window has a value for each broker.
func sameLength(brokers []string, w *result.Window) error {
	n := len(brokers)
	if len(w.Sends) != n || len(w.Avoided) != n || len(w.Routed) != n || len(w.Brokers) != n {
		return fmt.Errorf("report: window at %d ns has values of %d, %d, %d and %d brokers, not of %d",
			w.FromNS, len(w.Sends), len(w.Avoided), len(w.Routed), len(w.Brokers), n)
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
	fixed := seriesHeader(nil)
	if len(header) < len(fixed) || !slices.Equal(header[:len(fixed)], fixed) {
		return nil, fmt.Errorf("the header does not begin with %s", strings.Join(fixed, ","))
	}
	rest := header[len(fixed):]
	if len(rest)%len(brokerColumns) != 0 {
		return nil, fmt.Errorf("%d columns of brokers are not %d for each", len(rest), len(brokerColumns))
	}
	brokers := make([]string, len(rest)/len(brokerColumns))
	for b := range brokers {
		name, ok := strings.CutPrefix(rest[b], brokerColumns[0].prefix+".")
		if !ok {
			return nil, fmt.Errorf("unexpected column %q", rest[b])
		}
		brokers[b] = name
	}
	for i, name := range seriesHeader(brokers)[len(fixed):] {
		if rest[i] != name {
			return nil, fmt.Errorf("unexpected column %q", rest[i])
		}
	}
	return brokers, nil
}

// parseWindow reads one line; the reader has checked that it is as long as the header.
func parseWindow(row []string, brokers int) (w result.Window, width int64, err error) {
	w.Sends, w.Brokers = make([]int64, brokers), make([]result.BrokerWindow, brokers)
	w.Avoided, w.Routed = make([]float64, brokers), make([]float64, brokers)
	next := func() string {
		text := row[0]
		row = row[1:]
		return text
	}
	whole := func(text string, into *int64) {
		if err == nil {
			*into, err = strconv.ParseInt(text, 10, 64)
		}
	}
	var to int64
	whole(next(), &w.FromNS)
	whole(next(), &to)
	for _, c := range seriesColumns {
		if text := next(); text != "" || !c.quantile {
			whole(text, c.of(&w))
		}
	}
	for _, c := range brokerColumns {
		for b := range brokers {
			if c.count != nil {
				whole(next(), c.count(&w, b))
			} else if text := next(); err == nil {
				*c.share(&w, b), err = strconv.ParseFloat(text, 64)
			}
		}
	}
	return w, to - w.FromNS, err
}
