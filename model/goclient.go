package model

// GoReleases lists the releases of the Go client that a producer can have, in their order; "head" is
// what will follow the last of them.
func GoReleases() []string { return []string{"2.1.0", "2.1.1", "2.1.2", "head"} }
