// Command simrun simulates how a RocketMQ producer avoids faulty brokers. See simrun --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that goes away (simrun list | head -1) is an error of the write, not a death.
	signal.Ignore(syscall.SIGPIPE)
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
