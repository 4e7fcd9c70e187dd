package model

import (
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestAsyncStories runs the scripts of testdata/async: what becomes of asynchronous and one-way sends, and
// of sends to queues of the caller's choice. They have the commands of TestWire; a cluster takes
// in=(4.9.3..5.2.0,5.3.3) for the releases of the client, with avoidance off as there.
func TestAsyncStories(t *testing.T) {
	datadriven.Walk(t, "testdata/async", func(t *testing.T, path string) {
		t.Parallel()
		s := &wireStory{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return s.command(t, d)
		})
	})
}
