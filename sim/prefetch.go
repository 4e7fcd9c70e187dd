package sim

import "unsafe"

// Prefetch asks the processor to bring the cache line at p closer. It waits for nothing, reads nothing that
// the program could see and changes no result: of a world that does not fit into the caches, who knows what
// it will need soon can have it come while it does something else. On an architecture without the instruction
// it does nothing. p may be nil.
func Prefetch[T any](p *T) { prefetch(unsafe.Pointer(p)) }
