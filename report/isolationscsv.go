package report

import (
	"io"

	"simrun/internal/result"
)

var isolationFields = []field[result.Isolation]{
	textField("producer", func(x *result.Isolation) *string { return &x.Producer }),
	wholeField("instance", func(x *result.Isolation) *int { return &x.Instance }),
	textField("broker", func(x *result.Isolation) *string { return &x.Broker }),
	wholeField("from_ns", func(x *result.Isolation) *int64 { return &x.FromNS }),
	wholeField("until_ns", func(x *result.Isolation) *int64 { return &x.UntilNS }),
	wholeField("latency_ns", func(x *result.Isolation) *int64 { return &x.LatencyNS }),
	wholeField("level_ns", func(x *result.Isolation) *int64 { return &x.LevelNS }),
	wholeField("not_available_ns", func(x *result.Isolation) *int64 { return &x.NotAvailableNS }),
	flagField("isolated", func(x *result.Isolation) *bool { return &x.Isolated }),
	flagField("unreachable", func(x *result.Isolation) *bool { return &x.Unreachable }),
	flagField("explained", func(x *result.Isolation) *bool { return &x.Explained }),
}

// isolationsFile is missing from the results of a run in which no table refused a broker.
var isolationsFile = artefact{
	path: IsolationsFile,
	render: func(in *input) ([]byte, error) {
		if len(in.run.Isolations) == 0 {
			return nil, nil
		}
		return IsolationsCSV(in.run.Isolations)
	},
	read: func(r *result.Run, rd io.Reader) (err error) {
		r.Isolations, err = ParseIsolations(rd)
		return err
	},
}

// IsolationsCSV is isolations.csv: a line for each stretch in which a fault table refused a broker.
func IsolationsCSV(list []result.Isolation) ([]byte, error) { return recordsCSV(isolationFields, list) }

// ParseIsolations reads what IsolationsCSV wrote.
func ParseIsolations(rd io.Reader) ([]result.Isolation, error) {
	return parseRecords(isolationFields, rd)
}
