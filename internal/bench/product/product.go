// Package product builds the command for benchmarks of whole processes, as a user has it.
package product

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds simrun into a temporary directory, which is the caller's to remove. It must be called in the
// root of the module. If it fails, nothing is left.
func Build() (dir, bin string, err error) {
	if dir, err = os.MkdirTemp("", "simrun-bench-"); err != nil {
		return "", "", err
	}
	bin = filepath.Join(dir, "simrun")
	build := exec.Command("go", "build", "-o", bin, "./cmd/simrun")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		_ = os.RemoveAll(dir)
		return "", "", err
	}
	return dir, bin, nil
}
