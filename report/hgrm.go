package report

import (
	"fmt"
	"math"
	"strings"

	"simrun/internal/result"
)

// hgrmTicks is how many steps a percentile takes to halve its distance from 100.
const hgrmTicks = 5

// LatencyHGRM is latency.hgrm: the latencies of all messages after the warm-up as HdrHistogram's tools write
// and read them, in milliseconds. Nothing if no message was answered.
func LatencyHGRM(r *result.Run) []byte {
	var buckets []result.Bucket
	for i := range r.Spectra {
		if s := &r.Spectra[i]; s.Phase == result.PhaseAll && s.Dim == result.DimAll {
			buckets = s.Buckets
		}
	}
	var total int64
	for _, b := range buckets {
		total += b.N
	}
	if total == 0 {
		return nil
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	at, counted := 0, buckets[0].N
	for level := 0.0; ; {
		for float64(counted) < level/100*float64(total) {
			at++
			counted += buckets[at].N
		}
		if counted == total {
			break
		}
		fmt.Fprintf(&out, "%12.3f %2.12f %10d %14.2f\n",
			millisOf(buckets[at].UpToNS), level/100, counted, 1/(1-level/100))
		level += 100 / (hgrmTicks * halvings(level))
	}
	last := buckets[len(buckets)-1].UpToNS
	fmt.Fprintf(&out, "%12.3f %2.12f %10d\n", millisOf(last), 1.0, total)
	mean, deviation := moments(buckets, total)
	fmt.Fprintf(&out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean, deviation)
	fmt.Fprintf(&out, "#[Max     = %12.3f, Total count    = %12d]\n", millisOf(last), total)
	fmt.Fprintf(&out, "#[Buckets = %12d, SubBuckets     = %12d]\n", len(buckets), 1)
	return []byte(out.String())
}

func millisOf(ns int64) float64 { return float64(ns) / 1e6 }

// halvings is 2 to the number of times that the distance of a percentile from 100 was halved, and once more.
func halvings(level float64) float64 {
	n := 2.0
	for n <= 100/(100-level) {
		n *= 2
	}
	return n
}

// moments are mean and standard deviation in milliseconds, each bucket taken at its upper end.
func moments(buckets []result.Bucket, total int64) (mean, deviation float64) {
	for _, b := range buckets {
		mean += millisOf(b.UpToNS) * float64(b.N) / float64(total)
	}
	for _, b := range buckets {
		d := millisOf(b.UpToNS) - mean
		deviation += d * d * float64(b.N) / float64(total)
	}
	return mean, math.Sqrt(deviation)
}
