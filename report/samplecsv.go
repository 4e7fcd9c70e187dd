package report

import (
	"io"

	"simrun/internal/result"
)

var sampleFields = []field[result.SampledSend]{
	textField("producer", func(x *result.SampledSend) *string { return &x.Producer }),
	wholeField("message", func(x *result.SampledSend) *uint64 { return &x.Message }),
	wholeField("scheduled_ns", func(x *result.SampledSend) *int64 { return &x.ScheduledNS }),
	wholeField("latency_ns", func(x *result.SampledSend) *int64 { return &x.LatencyNS }),
	wholeField("attempts", func(x *result.SampledSend) *int { return &x.Attempts }),
	textField("outcome", func(x *result.SampledSend) *string { return &x.Outcome }),
	flagField("lost", func(x *result.SampledSend) *bool { return &x.Lost }),
	textField("broker", func(x *result.SampledSend) *string { return &x.Broker }),
}

// sampleFile is missing from the results of a run without any answer.
var sampleFile = artefact{
	path: SampleFile,
	render: func(in *input) ([]byte, error) {
		if len(in.run.Sample.Sends) == 0 {
			return nil, nil
		}
		return SampleCSV(in.run.Sample.Sends)
	},
	read: func(r *result.Run, rd io.Reader) (err error) {
		r.Sample.Sends, err = ParseSample(rd)
		return err
	},
}

// SampleCSV is sample.csv: a line for each send that is in the sample.
func SampleCSV(sends []result.SampledSend) ([]byte, error) { return recordsCSV(sampleFields, sends) }

// ParseSample reads what SampleCSV wrote.
func ParseSample(rd io.Reader) ([]result.SampledSend, error) { return parseRecords(sampleFields, rd) }
