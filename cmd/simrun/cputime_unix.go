//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used of all CPUs, false if the system does not say.
func cpuTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
