//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time this process has used, which other programs on the
// machine disturb less than the time on the clock.
func cpuTime() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		panic(err)
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}
