package report

import (
	"strings"
	"testing"

	"simrun/internal/result"
)

// Goal: a fault that puts far more at risk than is usual shows, even if nothing is lost.
// Method: peaks by phase around the limits; both the rows of the summary and the panel follow.
func TestFarMoreAtRiskIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		before, fault, recovery int64
		want                    bool
	}{
		"as usual":            {before: 400, fault: 900, recovery: 1200},
		"few":                 {before: 2, fault: 100, recovery: 90},
		"during the fault":    {before: 400, fault: 1201, recovery: 400, want: true},
		"after it":            {before: 400, fault: 500, recovery: 20455, want: true},
		"more than few":       {fault: 101, want: true},
		"only the run at all": {},
	} {
		t.Run(name, func(t *testing.T) {
			r := oneFault()
			r.Phases = append([]result.Phase{{Name: result.PhaseBefore, ToNS: 10 * second}}, r.Phases...)
			r.Exposures = []result.Exposure{
				{Phase: result.PhaseBefore, AtRisk: c.before},
				{Phase: "fault.stall", AtRisk: c.fault},
				{Phase: "recovery.stall", AtRisk: c.recovery},
				{Phase: result.PhaseAll, AtRisk: 1e6},
			}
			row := strings.Contains(summaryOf(t, r, TextOptions{}), "\nmost at risk ")
			panels := strings.Contains(Timeline(r).Desc, "messages not safe")
			if row != c.want || panels != c.want {
				t.Errorf("row %v, panel %v, want %v", row, panels, c.want)
			}
		})
	}
}
