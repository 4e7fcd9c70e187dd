package experiment

import (
	"cmp"
	"slices"
	"strings"

	"simrun/model/config"
	"simrun/scenarios"
)

// notModelled lists, for the reader of a run, what the model leaves out that could matter to it.
func notModelled(*config.Config) []string {
	return []string{
		"bandwidth between producers and brokers",
		"transactions, delayed messages, request and reply",
		"gRPC clients and proxies",
		"DLedger, controller mode, slaves that act as master",
		"consumers",
	}
}

// warnings are sentences about what to doubt in a run. They name keys, not files, and come in the
// order of the keys: results don't depend on where a scenario was read from, nor on the order of its lines.
func warnings(sc *scenarios.Scenario) []string {
	list := slices.Clone(sc.Warnings)
	slices.SortStableFunc(list, func(a, b scenarios.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	var out []string
	for _, p := range list {
		text := p.Message
		if p.Hint != "" && !strings.Contains(p.Hint, "\n") {
			text += "; " + p.Hint
		}
		out = append(out, text)
	}
	return out
}
