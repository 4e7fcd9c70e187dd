//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"simrun/report"
	"simrun/report/store"
)

// Goal: "killed and resumed without losing or repeating a cell": a sweep that was killed with SIGKILL,
// whenever, is gone on with; each line that its journal had is a cell of the next, and in the end every file
// is what it is without a kill. Method: kill -9 as soon as the journal has so many lines, then the same
// command again.
func TestSweepIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process several times")
	}
	args := []string{
		"sweep", "./quick.toml", "--set", "duration=16s", "--param", "producer.*.threads=2,4", "--seeds", "1..2",
		"--plots", "none", "--html=false", "-j", "1", "--metrics", "failed,latency_p99", "-q",
	}
	straight := simrun(t, args...)
	if err := straight.Run(); err != nil {
		t.Fatal(err)
	}
	dir := onlyResults(t, straight.Dir)
	whole := files(t, filepath.Join(straight.Dir, dir))
	for _, lines := range []int{1, 4} {
		killed := simrun(t, args...)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		journal := filepath.Join(killed.Dir, store.PartialPath(dir), report.CellsFile)
		var left []byte
		for range 6000 {
			left, _ = os.ReadFile(journal)
			if bytes.Count(left, []byte("\n")) >= lines {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = killed.Process.Signal(syscall.SIGKILL)
		_ = killed.Wait()
		left, err := os.ReadFile(journal)
		if err != nil {
			t.Fatalf("killed after %d lines: %v", lines, err)
		}
		cells := bytes.Count(left, []byte("\n")) - 1
		again := simrun(t, args[:len(args)-1]...)
		again.Dir = killed.Dir
		var stderr bytes.Buffer
		again.Stderr = &stderr
		if err := again.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		if want := plural(cells, "cell") + " finished before"; cells > 0 &&
			!bytes.Contains(stderr.Bytes(), []byte(want)) {
			t.Errorf("%d lines were there, and it says\n%s", cells, stderr.String())
		}
		got := files(t, filepath.Join(killed.Dir, dir))
		got[store.ManifestFile] = whole[store.ManifestFile] // the wall time
		for name, text := range whole {
			if got[name] != text {
				t.Errorf("killed after %d lines, %s is another", lines, name)
			}
		}
		if len(got) != len(whole) {
			t.Errorf("%d files, without a kill %d", len(got), len(whole))
		}
	}
}
