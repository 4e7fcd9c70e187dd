package main

import (
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
)

// sweepFlags are the flags of simrun sweep.
type sweepFlags struct {
	loadFlags
	seeds       seedsValue
	params      paramsValue
	design      string
	points      int
	designSeed  uint64
	metrics     listValue
	front       listValue
	require     requireValue
	skipInvalid bool
	dryRun      bool
	resume      string
	out         string
	jobs        int
	format      string
	json        bool
	force       bool
	plots       plotsValue
	html        bool
	verbose     bool
}

// paramsValue is the flag --param, which may be repeated.
type paramsValue struct{ setValue }

func (v *paramsValue) Type() string { return "KEY=VALUES" }

const sweepLong = `Runs a scenario at many points of its settings with the same seeds, and says
what each setting does; the scenario as it stands takes part. Nothing is tested:
to judge a setting, compare it on other seeds. Cells (a point with a seed) are
kept as they finish: the same command goes on after an interrupt or a kill.`

const sweepExamples = `  simrun sweep quickstart --param producer.*.threads=4,8 --seeds 1..2
  simrun sweep quickstart --param producer.*.latency_max~scale=0.5,1,2 --dry-run
  simrun help params                          how values are written`

const paramsHelp = `What simrun sweep --param KEY=VALUES takes. A key is one of --set: through *, and
with steps into its value, as producer.*.latency_max[4].

    KEY=1s,2s,5s        these values
    KEY=1s..5s/500ms    from 1s in steps, up to 5s
    KEY=1..64*2         from 1, each twice the one before, up to 64
    KEY~scale=0.5,1,2   the value times that; of a list, each of its numbers
    KEY~shape=0.5,1,2   bends a list: d becomes max * (d/max)^shape. The largest
                        stays, 1 changes nothing, more makes the others smaller
    KEY=unset,1s        as if the scenario did not say it; 1s
    KEY&KEY=...         several keys, all with the same value

What a point inherits and its other settings leave without meaning (a key that a
release lacks) is left out there, with a note.

Scaled and bent numbers are rounded to what the list is written in (whole
milliseconds). Zeros stay zero, other numbers stay above it, and what rises still
does. Both start from what each table has, be it written or its release's
default, and both together bend first.

Several --param make a grid of all combinations. For many dimensions there are
--design latin-hypercube and halton, with --points N: they fill ranges.

    KEY=1s..5s          anything between, evenly
    KEY=10ms..5s@log    evenly by ratios

Values in a range are as fine as its ends are written, and no finer than a
thousandth of it. Lists work, too: each value is taken equally often.
`

func (a *app) sweepCommand() *cobra.Command {
	f := &sweepFlags{plots: plotsValue{[]string{"svg", "png"}}, format: formatText}
	cmd := &cobra.Command{
		Use:     "sweep SCENARIO --param KEY=VALUES...",
		Short:   "run a scenario at many settings and say what each does",
		Example: sweepExamples,
		Long:    sweepLong,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.sweep(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.params, "param", "a key and its values; may be repeated")
	flags.Var(&f.seeds, "seeds", "seeds of each point, as 1,2,5 (default: 1..10)")
	variantFlag(cmd, &f.loadFlags)
	flags.Var(&f.set, "set", setUsage)
	flags.Var(&choice{&f.design, designs}, "design", "`KIND`: grid, latin-hypercube or halton")
	flags.IntVar(&f.points, "points", 0, "`N` points, of a design that fills ranges")
	flags.Uint64Var(&f.designSeed, "design-seed", 1, "another `SEED` has other points")
	flags.Var(&f.metrics, "metrics", "what is kept of runs, as latency_p99@before")
	flags.Var(&f.front, "front", "metrics of the front, as failed,latency_p99")
	flags.Var(&f.require, "require", "cross out points with a run that misses it")
	flags.BoolVar(&f.skipInvalid, "skip-invalid", false, "leave out points that the scenario refuses")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the points and what they cost, no more")
	flags.StringVar(&f.resume, "resume", "", "go on with the sweep in `DIR`")
	flags.StringVarP(&f.out, "out", "o", "", "the `DIR` for results, or $SIMRUN_RESULTS")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "make `N` runs at once (default: one for each CPU)")
	flags.Var(&choice{&f.format, sweepFormats}, "format", "the `FORMAT` on stdout: text, md, csv or json")
	flags.BoolVar(&f.json, "json", false, "the same as --format json")
	flags.Var(&f.plots, "plots", "figures: svg, png, both, or none")
	flags.BoolVar(&f.html, "html", true, "report.html")
	flags.BoolVar(&f.force, "force", false, "begin anew; what is there is kept as DIR.old")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say what is going on, and how fast")
	return cmd
}

var designs = []string{string(result.DesignGrid), string(result.DesignLatin), string(result.DesignHalton)}

var sweepFormats = []string{formatText, formatMarkdown, formatCSV, formatJSON}

// check is what flags say of each other.
func (f *sweepFlags) check(cmd *cobra.Command, refs []string) error {
	if cmd.Flags().Changed("jobs") && f.jobs < 1 {
		return usagef("--jobs: %d is not 1 or more", f.jobs)
	}
	if f.json && f.format != formatText && f.format != formatJSON {
		return usagef("--json and --format %s exclude each other", f.format)
	}
	filled := f.design == string(result.DesignLatin) || f.design == string(result.DesignHalton)
	switch {
	case f.resume != "" && len(refs) > 0:
		return usagef("--resume goes on with what the directory says; it takes no scenario")
	case f.resume != "":
		return refused(cmd, "a sweep that --resume goes on with", "param", "seeds", "variant", "set", "design",
			"points", "design-seed", "metrics", "front", "require", "skip-invalid", "out")
	case len(refs) == 0:
		return usagef("sweep needs a scenario; simrun list shows those that come with it")
	case len(refs) > 1:
		return usagef("sweep takes one scenario, not %d", len(refs))
	case len(f.params.setValue) == 0:
		return usagef("sweep needs --param KEY=VALUES: what is to be changed")
	case filled && f.points < 1:
		return usagef("--design %s needs --points N, how many points it has", f.design)
	case !filled && cmd.Flags().Changed("points"):
		return usagef("--points is of --design latin-hypercube or halton; a grid has as many as its values make")
	}
	return nil
}

// fill puts in what was not said.
func (f *sweepFlags) fill(a *app) {
	if f.jobs == 0 {
		f.jobs = a.env.CPUs
	}
	if f.out == "" {
		f.out = a.env.Getenv("SIMRUN_RESULTS")
	}
	if f.out == "" {
		f.out = "results"
	}
	if f.json {
		f.format = formatJSON
	}
	if f.design == "" {
		f.design = string(result.DesignGrid)
	}
	if len(f.seeds.seeds) == 0 {
		_ = f.seeds.Set("1..10")
	}
}

// sweep is simrun sweep.
func (a *app) sweep(cmd *cobra.Command, f *sweepFlags, refs []string) error {
	if err := f.check(cmd, refs); err != nil {
		return err
	}
	f.fill(a)
	s := &sweeping{app: a, flags: f}
	if err := s.plan(cmd.Context(), refs); err != nil {
		return err
	}
	if f.dryRun {
		s.dry(cmd.Context())
		return nil
	}
	if err := writable(filepath.Dir(s.dir)); err != nil {
		return err
	}
	return s.make(cmd.Context())
}

// sweeping is one call of simrun sweep.
type sweeping struct {
	*app
	flags *sweepFlags
	// spec is the call in words that outlast it.
	spec   sweepSpec
	source *source // the scenario as it stands
	points *sweep.Plan
	rows   []ensemble.Row
	front  []int // into rows; nil: the default
	needs  []result.Requirement
	dir    string
	// read are files of the scenario by their names, which reading guards.
	reading sync.Mutex
	read    map[string][]byte
}
