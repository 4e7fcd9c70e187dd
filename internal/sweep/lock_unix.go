//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sweep

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a file for this process, until it ends or closes it.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return &os.PathError{Op: "lock", Path: f.Name(), Err: ErrBusy}
		case err != nil:
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
		return nil
	}
}
