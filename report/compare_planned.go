package report

import (
	"strconv"
	"strings"

	"simrun/internal/result"
)

// plannedText names the rows without a verdict that more seeds would show, and how many. A handful of seeds
// is not typical of anything.
func plannedText(c *result.Comparison, v int, named []*result.PairedRow) string {
	const handful = 6
	if len(c.Seeds) < handful {
		return ""
	}
	var parts []string
	for _, r := range named {
		if n := r.Against[v].SeedsToShow; n > len(c.Seeds) {
			parts = append(parts, comparedLabel(c, r)+" about "+count(int64(n)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "not shown, but with more seeds four in five times, if these are typical: " +
		strings.Join(parts, " · ")
}

// confidenceText is what intervals have at least: 95 %, or more where seeds were looked at several times.
func confidenceText(c *result.Comparison) string {
	return strconv.FormatFloat(100*(1-c.Alpha), 'g', 4, 64) + " %"
}
