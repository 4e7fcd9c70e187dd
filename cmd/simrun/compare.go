package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"simrun/internal/ensemble"
	"simrun/report"
	"simrun/scenarios"
)

// compareFlags are the flags of simrun compare.
type compareFlags struct {
	loadFlags                          // variants, set and noExpect
	versions, brokerVersions, policies listValue
	seeds                              seedsValue
	reference                          string
	metrics                            listValue
	failOn                             failValue
	until                              preciseValue
	maxSeeds                           int
	out                                string
	jobs                               int
	plots                              plotsValue
	html, json, force, verbose         bool
	format                             string
}

// listValue is a flag with a list of words, with commas between them.
type listValue []string

func (v *listValue) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		switch {
		case word == "":
			return fmt.Errorf("%q has an empty place between its commas", text)
		case slices.Contains(*v, word):
			return fmt.Errorf("%q is there twice", word)
		}
		*v = append(*v, word)
	}
	return nil
}

func (v *listValue) String() string { return "" }
func (v *listValue) Type() string   { return "LIST" }

// Formats of simrun compare.
const (
	formatText     = "text"
	formatMarkdown = "md"
	formatCSV      = "csv"
	formatJSON     = "json"
)

const compareLong = `Runs variants of a scenario on the same seeds, each message with the same luck
in all, and says which is better, and how sure that is. Or it takes results that
are there, paired by seed. Expectations are counted, and fail nothing here.`

func (a *app) compareCommand() *cobra.Command {
	f := &compareFlags{plots: plotsValue{[]string{"svg", "png"}}}
	cmd := &cobra.Command{
		Use:   "compare SCENARIO | [LABEL=]RESULTDIR...",
		Short: "variants on the same seeds: which is better, and how sure",
		Example: `  simrun compare quickstart --variant few:producer.*.threads=2 --seeds 1..8
  simrun compare quickstart --versions 4.9.8,5.3.3 --seeds 1..4
  simrun compare results/*/compare-*          the same again, from its directory`,
		Long: compareLong,
		RunE: func(cmd *cobra.Command, args []string) error { return a.compare(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	variantFlag(cmd, &f.loadFlags)
	flags.Var(&f.versions, "versions", "a variant for each release of the Java client")
	flags.Var(&f.brokerVersions, "broker-versions", "a variant for each release of the cluster")
	flags.Var(&f.policies, "policies", "a variant for each way to choose queues")
	flags.Var(&f.set, "set", "change a key in all, as broker.a.slaves=2")
	flags.StringVar(&f.reference, "reference", "", "the `NAME` others are held against (the first)")
	flags.Var(&f.seeds, "seeds", "the seeds of every variant (default 1..20)")
	flags.Var(&f.metrics, "metrics", "rows with a verdict, as METRIC@PHASE or @FAULT")
	flags.Var(&f.failOn, "fail-on", "regression[:METRIC[@PLACE]]: 1 if one is worse")
	flags.Var(&f.until, "until-precise", "METRIC[@PLACE]=5%: add seeds until it is")
	flags.IntVar(&f.maxSeeds, "max-seeds", defaultMaxSeeds, "the `N` where --until-precise gives up")
	flags.StringVarP(&f.out, "out", "o", "", "the `DIR` for results, or $SIMRUN_RESULTS")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "make `N` runs at once (one for each CPU)")
	flags.Var(&f.plots, "plots", "figures: svg, png or none")
	flags.BoolVar(&f.html, "html", true, "report.html")
	flags.Var(&choice{&f.format, []string{formatText, formatMarkdown, formatCSV, formatJSON}}, "format",
		"the `FORMAT` on stdout: text, md, csv or json")
	flags.BoolVar(&f.json, "json", false, "the same as --format json")
	flags.BoolVar(&f.noExpect, "no-expect", false, "leave expectations out")
	flags.BoolVar(&f.force, "force", false, "replace results that differ")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say what is going on, and how fast")
	return cmd
}

// compare is simrun compare.
func (a *app) compare(cmd *cobra.Command, f *compareFlags, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	if f.jobs == 0 {
		f.jobs = a.env.CPUs
	}
	f.out = a.outOr(f.out)
	if len(args) == 1 && report.IsComparison(args[0]) {
		if err := f.onlyShows(cmd); err != nil {
			return err
		}
		return a.showComparison(f, args[0])
	}
	if isResultArg(args[0]) {
		if err := f.onlyResults(cmd); err != nil {
			return err
		}
		return a.compareResults(cmd.Context(), f, args)
	}
	return a.compareScenario(cmd.Context(), f, args[0])
}

// outOr is where results go.
func (a *app) outOr(out string) string {
	if out == "" {
		out = a.env.Getenv("SIMRUN_RESULTS")
	}
	if out == "" {
		out = "results"
	}
	return out
}

// check finds mistakes on the command line.
func (f *compareFlags) check(cmd *cobra.Command, args []string) error {
	results := 0
	for _, arg := range args {
		if isResultArg(arg) {
			results++
		}
	}
	changed := cmd.Flags().Changed
	if f.json && f.format == "" {
		f.format = formatJSON
	}
	switch {
	case len(args) == 0:
		return usagef("compare needs a scenario with variants, or directories of results")
	case results == 0 && len(args) > 1:
		return usagef("compare takes one scenario, of which it runs variants; run %s and %s by themselves, and "+
			"compare their results", args[0], args[1])
	case results > 0 && results < len(args):
		return usagef("compare takes a scenario or directories of results, not both")
	case f.json && f.format != formatJSON:
		return usagef("--json and --format %s exclude each other", f.format)
	case changed("jobs") && f.jobs < 1:
		return usagef("--jobs: %d is not 1 or more", f.jobs)
	case changed("max-seeds") && !f.until.set:
		return usagef("--max-seeds is about --until-precise, which is not given")
	case changed("max-seeds") && changed("seeds"):
		return usagef("--seeds and --max-seeds exclude each other: both say where --until-precise gives up")
	case f.maxSeeds < 1 || f.maxSeeds > maxSeeds:
		return usagef("--max-seeds: %d is not from 1 to %d", f.maxSeeds, maxSeeds)
	}
	return nil
}

// onlyResults refuses flags that say what is run, of results that are there.
func (f *compareFlags) onlyResults(cmd *cobra.Command) error {
	return refused(cmd, "results that are there", "variant", "versions", "broker-versions", "policies", "set",
		"until-precise", "no-expect")
}

// onlyShows refuses flags that say what is compared, of a comparison that is there.
func (f *compareFlags) onlyShows(cmd *cobra.Command) error {
	return refused(cmd, "a comparison that is there", "variant", "versions", "broker-versions", "policies",
		"set",
		"until-precise", "no-expect", "seeds", "reference", "metrics", "out", "plots", "html", "force")
}

func refused(cmd *cobra.Command, what string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return usagef("--%s changes nothing of %s; name the scenario with it", name, what)
		}
	}
	return nil
}

// isResultArg says whether an argument is a directory of results, or LABEL=DIR.
func isResultArg(arg string) bool {
	if isResults(arg) {
		return true
	}
	label, dir, ok := strings.Cut(arg, "=")
	if !ok || !isLabel(label) || strings.HasSuffix(arg, ".toml") {
		return false
	}
	info, err := os.Stat(dir)
	return err != nil || info.IsDir() // a directory that is missing is told later
}

// rowsOf are the rows that are named before the runs, in places of the reference: --metrics, or the usual
// ones, and that of --fail-on, which is tested like the others.
func (f *compareFlags) rowsOf(places ensemble.Places) ([]ensemble.Row, error) {
	rows := places.DefaultRows()
	var errs []error
	if len(f.metrics) > 0 {
		var err error
		if rows, err = places.Rows(f.metrics...); err != nil {
			errs = append(errs, usagef("--metrics: %v", err))
		}
	}
	more, err := f.failOn.rowsOf(places)
	if err != nil {
		errs = append(errs, usagef("--fail-on: %v", err))
	}
	for _, r := range more {
		if !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows, errors.Join(errs...)
}

// referenceOf is the index of the variant that --reference names, the first by default.
func (f *compareFlags) referenceOf(names []string) (int, error) {
	if f.reference == "" {
		return 0, nil
	}
	if i := slices.Index(names, f.reference); i >= 0 {
		return i, nil
	}
	hint := "there are " + strings.Join(names, ", ")
	if near := nearest(f.reference, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return 0, usagef("--reference: no variant is called %q; %s", f.reference, hint)
}

// placesOf are what rows can be of.
func placesOf(sc *scenarios.Scenario) ensemble.Places {
	var faults []string
	for i := range sc.Config.Faults {
		faults = append(faults, sc.Config.Faults[i].Name)
	}
	return ensemble.NewPlaces(sc.Phases, faults)
}
