package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/strategy"
)

// Every release is in exactly one row of each role, rows and the releases in them in version order,
// and no two neighbouring rows say the same.
func TestEveryReleaseHasOneRow(t *testing.T) {
	t.Parallel()
	checkRows(t, "client", clientTable)
	checkRows(t, "broker", brokerTable)
	checkRows(t, "name server", nameServerTable)
}

func checkRows[P comparable](t *testing.T, role string, table profileTable[P]) {
	known := strategy.Releases()
	at := func(release string) int { return slices.Index(known, release) }
	var all []string
	for i, row := range table {
		if !slices.IsSortedFunc(row.releases, func(a, b string) int { return at(a) - at(b) }) {
			t.Errorf("%s: row %v is not in version order", role, row.releases)
		}
		if i > 0 && at(row.releases[0]) < at(table[i-1].releases[0]) {
			t.Errorf("%s: row %v is before its time", role, table[i-1].releases)
		}
		if i > 0 && row.profile == table[i-1].profile {
			t.Errorf("%s: rows %v and %v say the same", role, table[i-1].releases, row.releases)
		}
		all = append(all, row.releases...)
	}
	slices.SortFunc(all, func(a, b string) int { return at(a) - at(b) })
	if diff := cmp.Diff(known, all); diff != "" {
		t.Errorf("%s (-strategy +table):\n%s", role, diff)
	}
}
