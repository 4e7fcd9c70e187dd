//go:build unix

package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadRegular: what is no regular file, or too long, is refused at once, and the rest read.
func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("time\n1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name  string
		limit int64
		want  string // of the error
	}{
		{path, 8, ""},
		{path, 7, "has more than 7 bytes"},
		{fifo, 8, "is not a regular file"},
		{dir, 8, "is not a regular file"},
		{os.DevNull, 8, "is not a regular file"},
		{filepath.Join(dir, "none"), 8, "no such file"},
	} {
		data, err := readRegular(c.name, c.limit)
		switch {
		case c.want == "" && (err != nil || string(data) != "time\n1s\n"):
			t.Errorf("%s: %q, %v", c.name, data, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s, at most %d bytes: error %v, want %q", c.name, c.limit, err, c.want)
		}
	}
}

// TestReadScenarioWithoutEnd: a device without an end is no scenario, and that is told.
func TestReadScenarioWithoutEnd(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	_, err := Load("/dev/zero", Options{})
	if err == nil || !strings.Contains(err.Error(), "the file has more than 16 MiB") {
		t.Errorf("error %v", err)
	}
}
