//go:build unix

package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Goal: an interrupt while a scenario is loaded ends the process at once, and nothing is written. Method:
// a pipe that nobody writes to, as the scenario.
func TestInterruptWhileLoading(t *testing.T) {
	for _, command := range [][]string{{"run"}, {"validate"}, {"explain", "--why", "failed"}} {
		c := newCall(t, append(command, "./pipe.toml")...)
		if err := syscall.Mkfifo("pipe.toml", 0o600); err != nil {
			t.Skip("named pipes cannot be made here, and the test reads from one: ", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		ended := make(chan int, 1)
		go func() { ended <- run(ctx, c.env) }()
		select {
		case code := <-ended:
			if exitCode(code) != exitInterrupted || !strings.Contains(c.stderr.String(), "interrupted") {
				t.Errorf("%s: exit code %d, stderr %q", command[0], code, c.stderr.String())
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s does not end", command[0])
		}
		if _, err := os.Stat("results"); err == nil {
			t.Errorf("%s wrote results", command[0])
		}
	}
}

// A file of arrivals that is none is a mistake in the scenario.
func TestArrivalsOfAPipe(t *testing.T) {
	c := newCall(t, "validate", "./piped.toml")
	if err := syscall.Mkfifo("arrivals.csv", 0o600); err != nil {
		t.Skip("named pipes cannot be made here, and the test reads from one: ", err)
	}
	const text = "[broker.a]\n[producer.p]\narrivals = \"recorded\"\narrivals_file = \"arrivals.csv\"\n"
	if err := os.WriteFile("piped.toml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := c.run(t); code != exitInvalid || !strings.Contains(c.stderr.String(), "is not a regular file") {
		t.Errorf("exit code %d, stderr %q", code, c.stderr.String())
	}
}
