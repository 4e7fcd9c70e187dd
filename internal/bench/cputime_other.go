//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime returns the time on the clock, where processor time is not to be had.
func cpuTime() time.Duration { return time.Since(start) }
