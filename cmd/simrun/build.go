package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/cespare/xxhash/v2"

	"simrun/internal/result"
)

// cpus is the number of CPUs this process may use.
func cpus() int { return runtime.GOMAXPROCS(0) }

// build is the binary that runs. Without version control it has no commit.
func build() result.Build {
	b := result.Build{
		Version: "dev", Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			b.Dirty = &dirty
		}
	}
	return b
}

// buildText is the same for people.
func buildText(b result.Build) string {
	text := "simrun " + b.Version
	if b.Commit != "" {
		text += fmt.Sprintf(" (commit %.12s", b.Commit)
		if b.Dirty != nil && *b.Dirty {
			text += ", with changes"
		}
		text += ")"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, b.Go, b.GOOS, b.GOARCH)
}

// binaryText is buildText, told apart from other binaries where no clean commit does that: with a hash of the
// program's file. Cells of two programs must not be merged.
func binaryText() string {
	b := build()
	text := buildText(b)
	if b.Commit == "" || b.Dirty == nil || *b.Dirty {
		text += binaryHash()
	}
	return text
}

// binaryHash is made once; it is nothing if the file cannot be read.
var binaryHash = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	hash := xxhash.New()
	if _, err := io.Copy(hash, f); err != nil {
		return ""
	}
	return fmt.Sprintf(", binary %016x", hash.Sum64())
})
