// Command simrun simulates how a RocketMQ producer avoids faulty brokers. See simrun --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// A reader that goes away (simrun list | head -1) is an error of the write, not a death.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		// A simulation allocates next to nothing; drawing its figures does, and decides the peak.
		debug.SetGCPercent(50)
	}
	os.Exit(run(interruptible(), systemEnv()))
}

// interruptible is done at the first interrupt. By then the default is back: a second one ends the
// process at once.
func interruptible() context.Context {
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(signals, func() {
		stop()
		cancel()
	})
	return ctx
}
