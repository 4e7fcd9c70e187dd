package main

import (
	"os"
	"strings"
	"testing"

	"simrun/internal/result"
)

// Goal: mistakes on the command line are told before anything is run, and nothing is written.
func TestCompareMistakes(t *testing.T) {
	newCall(t)
	for _, tt := range []struct {
		args, want string
		code       exitCode
	}{
		{"", "compare needs a scenario with variants, or directories of results", exitUsage},
		{"./quick.toml", "./quick.toml has no variants to compare: write", exitUsage},
		{"./quick.toml ./hang.toml", "compare takes one scenario", exitUsage},
		{"./quick.toml .", "a scenario or directories of results, not both", exitUsage},
		{"nosuch", "no shipped scenario", exitUsage},
		{"a=nowhere b=.", "nowhere: there is no such directory of results", exitUsage},
		{"a=. b=.", ". is a directory, but not one of results", exitUsage},
		{".", "compare needs results of two or more variants", exitUsage},
		{"./variants.toml --reference our", "no variant is called \"our\"; did you mean \"ours\"?", exitUsage},
		{"./variants.toml --metrics latencyp99,failed@crash", "did you mean \"latency_p99\"", exitUsage},
		{"./variants.toml --metrics latencyp99,failed@crash", "write failed@fault.crash", exitUsage},
		{"./variants.toml --metrics failed,failed", "\"failed\" is there twice", exitUsage},
		{"./variants.toml --fail-on worse", "\"worse\" is not regression", exitUsage},
		{"./variants.toml --fail-on regression:", "names no metric", exitUsage},
		{"./variants.toml --fail-on regression:fialed", "did you mean \"failed\"", exitUsage},
		{"./variants.toml --fail-on regression:failed,", "has an empty place between its commas", exitUsage},
		{"./variants.toml --fail-on regression:failed,messages", "messages is neither better if", exitUsage},
		{"./variants.toml --fail-on regression:failed,fialed", "no metric \"fialed\"", exitUsage},
		{
			"./variants.toml --until-precise failed=5% --until-precise latency_p99=5%",
			"one row decides when there are seeds enough, failed or latency_p99", exitUsage,
		},
		{"./quick.toml --versions 4.9.8", "one variant of ./quick.toml, java-4.9.8, and nothing", exitUsage},
		{"./variants.toml --variant base", "there is nothing to hold against it; name a variant", exitUsage},
		{"./variants.toml --until-precise success_rate", "is not METRIC=5%", exitUsage},
		{"./variants.toml --until-precise success_rate=0%", "\"0%\" is no half-width", exitUsage},
		{"./variants.toml --until-precise success_rate=5% --seeds 1..5", "too few for an interval", exitUsage},
		{"./variants.toml --max-seeds 5", "--max-seeds is about --until-precise", exitUsage},
		{"./variants.toml --json --format md", "exclude each other", exitUsage},
		{"./variants.toml --jobs 0", "0 is not 1 or more", exitUsage},
		{"./variants.toml --versions 5.3.3,5.3.3", "\"5.3.3\" is there twice", exitUsage},
		{"./variants.toml --versions 5.3.3,9.9", "unknown release \"9.9\"", exitInvalid},
		{"./variants.toml --variant ours:x=1", "unknown key \"x\"", exitInvalid},
		{"./broken.toml --versions 4.9.8,5.3.3", "5 errors in ./broken.toml; nothing was simulated", exitInvalid},
	} {
		c := newCallHere(append([]string{"compare"}, strings.Fields(tt.args)...)...)
		if code := c.run(t); code != tt.code || !strings.Contains(c.stderr.String(), tt.want) {
			t.Errorf("%s: code %d, want %d and %q\n%s", tt.args, code, tt.code, tt.want, c.stderr.String())
		}
		if c.stdout.Len() > 0 {
			t.Errorf("%s: prints %s", tt.args, c.stdout.String())
		}
	}
	if _, err := os.Stat("results"); err == nil {
		t.Error("something was written")
	}
}

// "--fail-on regression[:metric]": a verdict "worse" of a row that was named counts, in any variant, and so
// does what should never happen on more seeds; a verdict "better" does not, nor a row that nobody named.
func TestFailOnRegression(t *testing.T) {
	p := 0.01
	row := func(metric string, named bool, o result.Outcome) result.PairedRow {
		return result.PairedRow{
			Metric: metric, Phase: result.PhaseAll, Named: named,
			Against: []result.Paired{{}, {Outcome: o, Adjusted: &p}},
		}
	}
	lost := func(o result.Outcome) []result.PairedEvents {
		return []result.PairedEvents{{
			Name: "acked_lost", ByVariant: []result.SeedEvents{{Seeds: 1}, {Seeds: 9}},
			Against: []result.PairedSeeds{{}, {Outcome: o, Adjusted: p, More: 3, Fewer: 1}},
		}}
	}
	for name, tt := range map[string]struct {
		of     []string
		rows   []result.PairedRow
		events []result.PairedEvents
		want   exitCode
	}{
		"better":  {nil, []result.PairedRow{row("failed", true, result.OutcomeBetter)}, nil, exitOK},
		"worse":   {nil, []result.PairedRow{row("failed", true, result.OutcomeWorse)}, nil, exitFailed},
		"unnamed": {nil, []result.PairedRow{row("failed", false, result.OutcomeWorse)}, nil, exitOK},
		"another": {[]string{"failed"}, []result.PairedRow{
			row("failed", true, result.OutcomeNone), row("latency_p99", true, result.OutcomeWorse),
		}, nil, exitOK},
		"few": {nil, []result.PairedRow{row("failed", true, result.OutcomeFew)}, nil, exitUndecided},
		"worse, few": {nil, []result.PairedRow{
			row("a", true, result.OutcomeFew), row("b", true, result.OutcomeWorse),
		}, nil, exitFailed},
		"none at all": {nil, []result.PairedRow{
			row("time_to_avoid", true, result.OutcomeNoPairs), row("failed", true, result.OutcomeNone),
		}, nil, exitOK},
		"nothing of it": {[]string{"failed"}, []result.PairedRow{
			row("failed", true, result.OutcomeNoPairs),
		}, nil, exitUndecided},
		"lost, few":   {nil, nil, lost(result.OutcomeFew), exitUndecided},
		"lost":        {nil, nil, lost(result.OutcomeWorse), exitFailed},
		"lost, asked": {[]string{"acked_lost"}, nil, lost(result.OutcomeWorse), exitFailed},
		"lost, other": {[]string{"failed"}, nil, lost(result.OutcomeWorse), exitOK},
	} {
		c := &result.Comparison{
			Variants: []result.ComparedVariant{{Name: "base"}, {Name: "ours"}}, Rows: tt.rows, Events: tt.events,
		}
		v := failValue{set: true, addresses: tt.of}
		found := v.judge(c)
		if code := found.code(); code != tt.want || (len(found.worse) > 0) != (code == exitFailed) {
			t.Errorf("%s: %d, want %d; %+v", name, code, tt.want, found)
		}
	}
}
