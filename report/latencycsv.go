package report

import (
	"io"

	"simrun/internal/result"
)

// spectrumBucket is a line of latency.csv: a bucket of a spectrum.
type spectrumBucket struct {
	phase, name string
	dim         result.Dimension
	bucket      result.Bucket
}

var latencyFields = []field[spectrumBucket]{
	textField("phase", func(x *spectrumBucket) *string { return &x.phase }),
	textField("dimension", func(x *spectrumBucket) *result.Dimension { return &x.dim }),
	textField("name", func(x *spectrumBucket) *string { return &x.name }),
	wholeField("up_to_ns", func(x *spectrumBucket) *int64 { return &x.bucket.UpToNS }),
	wholeField("messages", func(x *spectrumBucket) *int64 { return &x.bucket.N }),
}

// latencyFile is missing from the results of a run without any answer.
var latencyFile = artefact{
	path: LatencyFile,
	render: func(in *input) ([]byte, error) {
		if len(in.run.Spectra) == 0 {
			return nil, nil
		}
		return LatencyCSV(in.run.Spectra)
	},
	read: func(r *result.Run, rd io.Reader) (err error) {
		r.Spectra, err = ParseLatency(rd)
		return err
	},
}

// LatencyCSV is latency.csv: a line for each bucket of each spectrum.
func LatencyCSV(spectra []result.Spectrum) ([]byte, error) {
	var rows []spectrumBucket
	for _, s := range spectra {
		for _, b := range s.Buckets {
			rows = append(rows, spectrumBucket{s.Phase, s.Name, s.Dim, b})
		}
	}
	return recordsCSV(latencyFields, rows)
}

// ParseLatency reads what LatencyCSV wrote: a spectrum is the lines that follow each other under one name.
func ParseLatency(rd io.Reader) ([]result.Spectrum, error) {
	rows, err := parseRecords(latencyFields, rd)
	if err != nil {
		return nil, err
	}
	var out []result.Spectrum
	for _, x := range rows {
		n := len(out)
		if n == 0 || out[n-1].Phase != x.phase || out[n-1].Dim != x.dim || out[n-1].Name != x.name {
			out = append(out, result.Spectrum{Phase: x.phase, Dim: x.dim, Name: x.name})
			n++
		}
		out[n-1].Buckets = append(out[n-1].Buckets, x.bucket)
	}
	return out, nil
}
