package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
