package model

import (
	"testing"
	"unsafe"
)

// A message record is one cache line: walking over those that an fsync covers is a hot path.
func TestMessageIsACacheLine(t *testing.T) {
	if n := unsafe.Sizeof(message{}); n != 64 {
		t.Errorf("a message record has %d bytes", n)
	}
}
