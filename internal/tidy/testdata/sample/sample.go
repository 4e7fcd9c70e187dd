// Package sample does what the core must not.
package sample

// Sum ranges over a map.
func Sum(m map[string]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}
