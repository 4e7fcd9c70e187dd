//go:build amd64 || arm64

package sim

import "unsafe"

// prefetch is in assembly, for the compiler has no word for it. The pointer is good for nothing else.
//
//go:noescape
func prefetch(p unsafe.Pointer)
