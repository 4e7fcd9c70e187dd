package report

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/internal/result"
)

// A comparison is read back from its JSON as it was, values that never came and all.
func TestComparisonJSON(t *testing.T) {
	c := comparison(10, "base", "ours", "hasty")
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var got result.Comparison
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	stored := cmpopts.IgnoreFields(result.SeedSet{}, "Curves", "Spectra")
	if diff := cmp.Diff(c, &got, sameValue, stored, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}
