package scenarios

import "testing"

// BenchmarkLoad is what every command pays before it does anything.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load("two-masters-down", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
