package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/report"
	"simrun/scenarios"
)

// explainFlags are the flags of simrun explain.
type explainFlags struct {
	message   messageValue
	why       string
	at        atValue
	diff      setValue
	versions  versionsValue
	producer  instanceValue
	verbose   bool
	json      bool
	loadFlags // seed and set
}

const explainLong = `Makes a run again, which changes nothing of it, and tells one of three things:
-m, --why: the life of a message, attempt by attempt: why each queue was chosen,
what happened on the wire, what the fault table learned, what became of it.
Messages are numbered per group, from 0, as they are scheduled. --why looks
after the warm-up: the first that failed (an exception), was retried, lost (once
it was acknowledged), duplicated, missed (one-way: nothing is left of it) or
resent (by its caller), or the slowest.
--at: what a producer instance knows at a time: its fault table, and what put
each entry there, its routes, its connections.
--diff, --versions: the first moment at which two runs with one seed part, and
the message of that moment in both.`

func (a *app) explainCommand() *cobra.Command {
	f := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain SCENARIO | RESULTDIR",
		Short: "tell why: of a message, of a producer at one time, of two runs",
		Example: `  simrun explain quickstart --why slowest     what took so long
  simrun explain results/latest --why failed  of the run whose results these are
  simrun explain quickstart -m 4711 -v        with places in RocketMQ's source
  simrun explain quickstart --at 25s          the fault table then
  simrun explain quickstart --diff producer.shop.retry_times_when_send_failed=0`,
		Long: explainLong,
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	var whys []string
	for _, w := range experiment.Whys() {
		whys = append(whys, string(w))
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarP(&f.message, "message", "m", "the message with number `N` of its group, or GROUP/N")
	flags.Var(&choice{&f.why, whys}, "why", "or one that was `WHAT`: "+strings.Join(whys, ", "))
	flags.Var(&f.at, "at", "or what a producer instance knows at a time, as 25s")
	flags.Var(&f.diff, "diff", "or where the run parts from one with another key")
	flags.Var(&f.versions, "versions", "or where two releases of the clients part")
	flags.Var(&f.producer, "producer", "the `GROUP`, if several; with --at also GROUP#INSTANCE")
	flags.VarP(&f.seed, "seed", "s", "the seed, instead of the scenario's or the results' own")
	flags.Var(&f.set, "set", setUsage)
	variantFlag(cmd, &f.loadFlags)
	flags.BoolVar(&f.json, "json", false, "JSON on stdout")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "where in RocketMQ's source each rule is")
	return cmd
}

// explain is simrun explain.
func (a *app) explain(cmd *cobra.Command, f *explainFlags, args []string) error {
	if len(args) != 1 {
		return usagef("explain needs one scenario or directory of results")
	}
	if err := f.one(cmd); err != nil {
		return err
	}
	if f.differs() {
		return a.explainDiff(cmd.Context(), f, args[0])
	}
	sc, manifest, err := f.load(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if f.at.set {
		return a.explainAt(cmd.Context(), f, sc)
	}
	pick := experiment.Pick{Message: f.message.n, Why: experiment.Why(f.why)}
	if pick.Producer, err = f.group(sc); err != nil {
		return err
	}
	story, err := a.tell(cmd.Context(), sc, pick)
	if err != nil {
		return err
	}
	if story != nil && manifest != nil && manifest.Complete && manifest.Digest != story.Digest {
		a.codes = append(a.codes, exitIrreproduced)
		a.console.errorf("%s was made with digest %s, the run made again has %s: "+
			"this is another run (simrun %s then)", args[0], manifest.Digest, story.Digest,
			manifest.Simrun.Version)
	}
	if story == nil {
		return nil
	}
	return a.shown(f, story, func(w io.Writer, opt report.TextOptions) error {
		return report.Explain(w, story, opt, f.verbose)
	})
}

// differs says whether two runs are to be compared.
func (f *explainFlags) differs() bool { return len(f.diff) > 0 || f.versions.a != "" }

// one checks that the flags ask for one thing.
func (f *explainFlags) one(cmd *cobra.Command) error {
	var asked []string
	if f.differs() {
		asked = append(asked, "--diff")
	}
	for _, name := range []string{"message", "why", "at"} {
		if cmd.Flags().Changed(name) {
			asked = append(asked, "--"+name)
		}
	}
	switch {
	case len(asked) == 0:
		return usagef("explain needs --message N, --why, --at or --diff, one of them; see simrun explain --help")
	case f.differs() && f.producer.group != "":
		return usagef("--diff compares all groups: leave --producer out")
	case len(asked) > 1:
		return usagef("%s exclude each other: one thing at a time", strings.Join(asked, " and "))
	case f.producer.numbered && !f.at.set:
		return usagef("--producer %s: an instance goes with --at; a message is of a whole group, %s",
			f.producer.String(), f.producer.group)
	case f.message.group != "" && f.producer.group != "":
		return usagef("--message %s/%d names the group already: leave --producer out", f.message.group,
			f.message.n)
	}
	return nil
}

// load reads the scenario, or that of a directory of results with their manifest; nil if the run
// differs from theirs on purpose.
func (f *explainFlags) load(ctx context.Context, ref string) (*scenarios.Scenario, *result.Manifest, error) {
	if !isResults(ref) {
		s, err := load(ctx, ref, &f.loadFlags)
		if err != nil {
			return nil, nil, err
		}
		return s.Scenario, nil, nil
	}
	if report.IsSeeds(ref) {
		return nil, nil, usagef("%s is of several seeds; explain takes the results of one, "+
			"s<seed>-… beside it", ref)
	}
	if report.IsComparison(ref) {
		return nil, nil, usagef("%s is a comparison, which keeps no run; explain one of a variant: "+
			"simrun explain %s --seed N with the same flags", ref,
			filepath.Join(ref, report.VariantsDir, "NAME", report.ScenarioFile))
	}
	m, err := manifestOf(ref)
	if err != nil {
		return nil, nil, err
	}
	f.noExpect = m.NoExpect
	same := !f.seed.set && len(f.set) == 0 && len(f.variants) == 0
	if !f.seed.set {
		f.seed = seedValue{set: true, seed: m.Seed}
	}
	s, err := load(ctx, filepath.Join(ref, report.ScenarioFile), &f.loadFlags)
	if err != nil {
		return nil, nil, err
	}
	sc := *s.Scenario
	sc.Name = m.Scenario.Name
	if same {
		sc.Variant = m.Variant
	}
	if !same {
		return &sc, nil, nil
	}
	return &sc, &m, nil
}

// isResults says whether a reference is a directory; the name of a shipped scenario never is.
func isResults(ref string) bool {
	if _, err := scenarios.Source(ref); err == nil {
		return false
	}
	info, err := os.Stat(ref)
	return err == nil && info.IsDir()
}

// group is the index of the group: the one named, the only one, or -1 for any where any will do.
func (f *explainFlags) group(sc *scenarios.Scenario) (int, error) {
	name, flag := f.producer.group, "--producer"
	if f.message.group != "" {
		name, flag = f.message.group, "--message"
	}
	groups := sc.Config.Producers
	var names []string
	for i := range groups {
		if groups[i].Name == name {
			return i, nil
		}
		names = append(names, groups[i].Name)
	}
	switch {
	case name != "":
		return 0, usagef("%s: the scenario has no producer group %q; it has %s", flag, name,
			strings.Join(names, ", "))
	case len(groups) == 1:
		return 0, nil
	case f.why != "":
		return -1, nil
	case f.at.set:
		return 0, usagef("the scenario has several producer groups, each with tables of its own; "+
			"say --producer %s", strings.Join(names, " or "))
	}
	return 0, usagef("the scenario has several producer groups, each with a message %d; "+
		"say --producer %s", f.message.n, strings.Join(names, " or "))
}

// tell makes the run again, twice to find a message, and shows how far it is.
func (a *app) tell(
	ctx context.Context, sc *scenarios.Scenario, pick experiment.Pick,
) (*result.Story, error) {
	passes := time.Duration(1)
	if pick.Why != "" {
		passes = 2
	}
	if !a.quiet {
		a.console.begin(passes * sc.Config.Duration)
	}
	var done, last time.Duration
	opt := experiment.Options{Progress: func(p experiment.Progress) {
		if p.At < last {
			done += sc.Config.Duration
		}
		last = p.At
		a.console.advance(done+p.At, fmt.Sprintf("%s of %s", whole(p.At), whole(p.Duration)))
	}}
	story, err := experiment.Explain(ctx, sc, pick, opt)
	a.console.clear()
	var none *experiment.NoMessageError
	switch {
	case errors.As(err, &none):
		return nil, usagef("%v", none)
	case a.wasInterrupted(err):
		return nil, nil
	}
	return story, err
}

// shown writes what was found to stdout: as JSON, or as text.
func (a *app) shown(
	f *explainFlags, found any, text func(io.Writer, report.TextOptions) error,
) error {
	if f.json {
		data, err := result.JSON(found)
		if err != nil {
			return err
		}
		a.stdout.print(string(data))
		return nil
	}
	var b strings.Builder
	if err := text(&b, report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)}); err != nil {
		panic(err) // a buffer takes everything
	}
	a.stdout.print(b.String())
	return nil
}
