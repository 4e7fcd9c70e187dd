package report

import (
	_ "embed" // for metricsPreamble
	"fmt"
	"strings"

	"simrun/internal/result"
)

// metricsPreamble is the part of docs/metrics.md that explains what all metrics have in common.
//
//go:embed metrics_preamble.md
var metricsPreamble string

// MetricsMarkdown is docs/metrics.md: every metric of the registry with what it means.
func MetricsMarkdown() string {
	var b strings.Builder
	b.WriteString(metricsPreamble)
	scopes := []struct {
		scope       result.Scope
		title, keys string
	}{
		{
			result.ScopeMessages, "Messages",
			"Measured over a phase (`during`) or a window (`from`, `to`), of all messages or of one " +
				"`producer` group or `topic`.",
		},
		{
			result.ScopeBroker, "Attempts to a broker",
			"Measured over a phase or window; `broker` names it. One message can make several attempts.",
		},
		{
			result.ScopeCluster, "The cluster",
			"Measured over a phase or window, of all brokers together.",
		},
		{
			result.ScopeBalance, "Balance",
			"Measured over a phase or window, of one `topic`, or of the one with the highest value.",
		},
		{
			result.ScopeFault, "Faults",
			"`fault` names the fault; `broker` narrows it to one of its targets.",
		},
		{result.ScopeRecovery, "After a fault", "`fault` names the fault."},
	}
	for _, s := range scopes {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.title, s.keys)
		for _, m := range result.Metrics() {
			if m.Scope == s.scope {
				metricEntry(&b, m)
			}
		}
	}
	return b.String()
}

// metricEntry writes one metric.
func metricEntry(b *strings.Builder, m result.Metric) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n", m.Name, m.Help)
	fmt.Fprintf(b, "- unit: %s\n", unitWords(m.Unit))
	if m.Better != result.Neutral {
		fmt.Fprintf(b, "- better: %s\n", betterWords(m.Better))
	}
	fmt.Fprintf(b, "- formula: %s\n- undecided: %s\n", m.Formula, m.Undecided)
}

func unitWords(u result.Unit) string {
	switch u {
	case result.UnitNS:
		return "duration (stored in ns), such as `\"120ms\"`"
	case result.UnitRatio:
		return "ratio from 0 to 1, such as `0.999` or `\"99.9%\"`"
	case result.UnitCount:
		return "count"
	}
	return "quotient"
}

func betterWords(d result.Direction) string {
	if d == result.LowerIsBetter {
		return "lower"
	}
	return "higher"
}
