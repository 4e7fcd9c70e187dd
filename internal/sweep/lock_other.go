//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sweep

import "os"

// lock does nothing where files cannot be locked by a process: two at once are the user's to avoid.
func lock(*os.File) error { return nil }
