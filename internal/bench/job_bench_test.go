package main

import "testing"

// BenchmarkJob is the job on either side, a message at a time.
func BenchmarkJob(b *testing.B) {
	for _, side := range []struct {
		name string
		job  Job
	}{{"boxed", RunBoxedJob}, {"simrun", runSimrunJob}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			if _, err := side.job(b.N, true); err != nil {
				b.Fatal(err)
			}
		})
	}
}
