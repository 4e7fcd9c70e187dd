package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"simrun/scenarios"
)

// runFlags are the flags of simrun run.
type runFlags struct {
	loadFlags
	seeds   seedsValue
	out     string
	jobs    int
	json    bool
	force   bool
	plots   plotsValue
	html    bool
	trace   bool
	verbose bool
}

// setValue is the flag --set, which may be repeated.
type setValue []string

func (v *setValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}

func (v *setValue) String() string { return "" }

func (v *setValue) Type() string { return "KEY=VALUE" }

// plotsValue is the flag --plots: a list of formats, or none.
type plotsValue struct{ formats []string }

func (v *plotsValue) Set(text string) error {
	v.formats = nil
	if text == "none" {
		return nil
	}
	for format := range strings.SplitSeq(text, ",") {
		if format != "svg" && format != "png" {
			return fmt.Errorf("%q is not svg, png, both with a comma, or none", text)
		}
		v.formats = append(v.formats, format)
	}
	return nil
}

func (v *plotsValue) String() string { return strings.Join(v.formats, ",") }

func (v *plotsValue) Type() string { return "LIST" }

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{plots: plotsValue{[]string{"svg", "png"}}}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "simulate scenarios, judge their expectations, keep the results",
		Example: `  simrun run quickstart                       one that comes with the program
  simrun run ./my.toml                        your own: with a slash or .toml
  simrun run quickstart --seeds 1..5          five seeds: values and spread
  simrun run quickstart --set producer.*.threads=4 --set duration=50s
  simrun run quickstart --variant old:producer.*.client=java-4.9.8
  simrun run quickstart --json | jq .verdict  summary.json on stdout`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.VarP(&f.seed, "seed", "s", "the seed, instead of the scenario's own")
	flags.Var(&f.seeds, "seeds", "several seeds, as 1..10 or 1,2,5; no stories are told of them")
	flags.Var(&f.set, "set", setUsage)
	variantFlag(cmd, &f.loadFlags)
	flags.StringVarP(&f.out, "out", "o", "", "the `DIR` for results (default: results, or $SIMRUN_RESULTS)")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "make `N` runs at once (default: one for each CPU)")
	flags.BoolVar(&f.json, "json", false, "JSON on stdout; of several runs NDJSON: a line for each")
	flags.Var(&f.plots, "plots", "figures: svg, png, both, or none")
	flags.BoolVar(&f.html, "html", true, htmlUsage+" (one seed: with stories)")
	flags.BoolVar(&f.trace, "trace", false, traceUsage)
	flags.BoolVar(&f.noExpect, "no-expect", false, "leave expectations out")
	flags.BoolVar(&f.force, "force", false, "replace results that differ though the inputs are the same")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say what is going on, and how fast")
	return cmd
}

const traceUsage = "keep every attempt, too: sends.csv, faulttable.csv, trace.json"

const htmlUsage = "report.html, one page that has everything"

const variantUsage = "one of its variants: `NAME` or NAME:KEY=VALUE"

// variantFlag adds --variant to a command; a shell completes the variants of the scenarios on the line.
func variantFlag(cmd *cobra.Command, f *loadFlags) {
	cmd.Flags().Var(&f.variants, "variant", variantUsage)
	complete := func(_ *cobra.Command, refs []string, _ string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, ref := range refs {
			s, err := scenarios.Load(ref, scenarios.Options{})
			if err != nil {
				continue
			}
			for _, v := range s.Variants {
				out = append(out, cobra.CompletionWithDesc(v.Name, v.Story))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("variant", complete); err != nil {
		panic(err) // the flag is there
	}
}

const setUsage = "change a key, as broker.a.slaves=2; may be repeated"

// scenarioCompletions are the shipped scenarios with their stories, for a shell.
func scenarioCompletions() []string {
	var out []string
	for _, s := range scenarios.List() {
		out = append(out, cobra.CompletionWithDesc(s.Name, s.Story))
	}
	return out
}

// fill puts in what was not said.
func (f *runFlags) fill(a *app) {
	if f.jobs == 0 {
		f.jobs = a.env.CPUs
	}
	if f.out == "" {
		f.out = a.env.Getenv("SIMRUN_RESULTS")
	}
	if f.out == "" {
		f.out = "results"
	}
}

// run is simrun run.
func (a *app) run(cmd *cobra.Command, f *runFlags, refs []string) error {
	switch {
	case len(refs) == 0:
		return usagef("run needs a scenario; simrun list shows those that come with it")
	case f.seed.set && len(f.seeds.seeds) > 0:
		return usagef("--seed and --seeds exclude each other")
	case cmd.Flags().Changed("jobs") && f.jobs < 1:
		return usagef("--jobs: %d is not 1 or more", f.jobs)
	}
	f.fill(a)
	loaded := a.loadAll(cmd.Context(), refs, &f.loadFlags)
	if loaded == nil {
		return nil // reported
	}
	if err := writable(f.out); err != nil {
		return err
	}
	r := &runs{app: a, flags: f}
	for _, s := range loaded {
		r.add(s)
	}
	return r.make(cmd.Context())
}
