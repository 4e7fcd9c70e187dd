package sim_test

import (
	"testing"

	"simrun/sim"
)

// Goal: asking for memory ahead of time changes nothing, wherever it points.
func TestPrefetch(t *testing.T) {
	list := []int{1, 2, 3}
	sim.Prefetch(&list[2])
	sim.Prefetch[int](nil)
	if list[0] != 1 || list[1] != 2 || list[2] != 3 {
		t.Errorf("%v", list)
	}
}
