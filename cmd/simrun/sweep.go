package main

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
	"simrun/scenarios"
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
type paramsValue []string

func (v *paramsValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}

func (v *paramsValue) String() string { return "" }
func (v *paramsValue) Type() string   { return "KEY=VALUES" }

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
    KEY&KEY=...         several keys, all with the same value

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
	flags.Var(&f.set, "set", setUsage)
	flags.Var(&choice{&f.design, designs}, "design", "grid, latin-hypercube or halton")
	flags.IntVar(&f.points, "points", 0, "`N` points, of a design that fills ranges")
	flags.Uint64Var(&f.designSeed, "design-seed", 1, "another `SEED` has other points")
	flags.Var(&f.metrics, "metrics", "what is kept of a run, as failed, latency_p99@before")
	flags.Var(&f.front, "front", "what the front is of (failed,latency_p99,starved_time)")
	flags.BoolVar(&f.skipInvalid, "skip-invalid", false, "leave out points that the scenario refuses")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the points and what they cost, and run nothing")
	flags.StringVar(&f.resume, "resume", "", "go on with the sweep in `DIR`")
	flags.StringVarP(&f.out, "out", "o", "", "the `DIR` for results (default: results)")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "make `N` runs at once (default: one for each CPU)")
	flags.Var(&choice{&f.format, sweepFormats}, "format", "stdout: text, md, csv or json")
	flags.BoolVar(&f.json, "json", false, "the same as --format json")
	flags.Var(&f.plots, "plots", "figures: svg, png, both, or none")
	flags.BoolVar(&f.html, "html", true, htmlUsage)
	flags.BoolVar(&f.force, "force", false, "begin anew; what is there is kept as DIR.old")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "say what is going on, and how fast")
	return cmd
}

var designs = []string{string(result.DesignGrid), string(result.DesignLatin), string(result.DesignHalton)}

var sweepFormats = []string{formatText, formatMarkdown, formatCSV, formatJSON}

// check is what flags say of each other.
func (f *sweepFlags) check(cmd *cobra.Command, refs []string) error {
	filled := f.design == string(result.DesignLatin) || f.design == string(result.DesignHalton)
	switch {
	case f.resume != "" && (len(refs) > 0 || len(f.params) > 0):
		return usagef("--resume goes on with what the directory says; it takes no scenario and no --param")
	case f.resume != "":
	case len(refs) == 0:
		return usagef("sweep needs a scenario; simrun list shows those that come with it")
	case len(refs) > 1:
		return usagef("sweep takes one scenario, not %d", len(refs))
	case len(f.params) == 0:
		return usagef("sweep needs --param KEY=VALUES: what is to be changed")
	case filled && f.points < 1:
		return usagef("--design %s needs --points N, how many points it has", f.design)
	case !filled && cmd.Flags().Changed("points"):
		return usagef("--points is of --design latin-hypercube or halton; a grid has as many as its values make")
	}
	if cmd.Flags().Changed("jobs") && f.jobs < 1 {
		return usagef("--jobs: %d is not 1 or more", f.jobs)
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
		s.dry()
		return nil
	}
	if err := writable(f.out); err != nil {
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
	dir    string
	// reading guards what was read of the scenario's files.
	reading sync.Mutex
}

// sweepSpec is plan.json: what simrun sweep was called with.
type sweepSpec struct {
	Schema      int           `json:"schema"`
	Scenario    string        `json:"scenario"`
	Params      []string      `json:"params"`
	Design      result.Design `json:"design"`
	Points      int           `json:"points,omitempty"`
	DesignSeed  uint64        `json:"design_seed,omitempty"`
	Seeds       []uint64      `json:"seeds"`
	Metrics     []string      `json:"metrics"`
	Front       []string      `json:"front,omitempty"`
	SkipInvalid bool          `json:"skip_invalid,omitempty"`
	Overrides   []string      `json:"overrides,omitempty"`
	// Source is the file as its author wrote it.
	Source result.Source `json:"source"`
}

// plan makes the plan, of the flags or of a directory.
func (s *sweeping) plan(ctx context.Context, refs []string) error {
	f := s.flags
	if f.resume != "" {
		return s.resumed(ctx)
	}
	s.spec = sweepSpec{
		Schema: result.Schema, Params: f.params, Design: result.Design(f.design), Seeds: f.seeds.seeds,
		SkipInvalid: f.skipInvalid, Overrides: f.set, Front: f.front,
	}
	if s.spec.Design != result.DesignGrid {
		s.spec.Points, s.spec.DesignSeed = f.points, f.designSeed
	}
	return s.expand(ctx, refs[0], f.metrics)
}

// expand turns the spec into points and rows.
func (s *sweeping) expand(ctx context.Context, ref string, metrics []string) error {
	base, err := load(ctx, ref, &s.flags.loadFlags)
	if err != nil {
		return err
	}
	s.source = base
	if s.spec.Scenario == "" {
		s.spec.Scenario = base.Name
		s.spec.Source = result.Source{
			Name: base.Name, SourceSHA256: sha256Hex(base.text), Shipped: base.Path == "",
		}
	}
	if err := s.addRows(metrics); err != nil {
		return err
	}
	s.points, err = sweep.New(sweep.Options{
		Load:   s.loader(ctx, ref),
		Params: s.spec.Params, Design: s.spec.Design, Points: s.spec.Points, Seed: s.spec.DesignSeed,
		Seeds: s.spec.Seeds, Metrics: s.spec.Metrics, SkipInvalid: s.spec.SkipInvalid, Weigh: messagesOf,
	})
	if err != nil {
		return err
	}
	s.dir = report.SweepPath(s.flags.out, s.spec.Scenario, s.points.Key[:8])
	return nil
}

// loader loads the scenario as its points have it. The file is read once.
func (s *sweeping) loader(
	ctx context.Context, ref string,
) func(set, from []string) (*scenarios.Scenario, error) {
	read := map[string][]byte{}
	cached := func(reads func(string) ([]byte, error)) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			s.reading.Lock()
			defer s.reading.Unlock()
			if data, ok := read[name]; ok {
				return data, nil
			}
			data, err := reads(name)
			if err == nil {
				read[name] = data
			}
			return data, err
		}
	}
	opt := scenarios.Options{
		ReadFile: cached(scenarios.ReadScenario), ReadBeside: cached(scenarios.ReadRegular),
	}
	return func(set, from []string) (*scenarios.Scenario, error) {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		o := opt
		o.Set = append(append([]string(nil), s.flags.set...), set...)
		o.SetFrom = append(make([]string, len(s.flags.set)), from...)
		sc, err := scenarios.Load(ref, o)
		if err != nil {
			return nil, err
		}
		plain := *sc
		plain.Name, plain.Expectations = s.spec.Scenario, nil // a cell has values, no verdict
		return &plain, nil
	}
}

// messagesOf is about how many messages a run of a scenario schedules, 0 if its load says nothing of it.
func messagesOf(sc *scenarios.Scenario) float64 {
	n := 0.0
	for i := range sc.Config.Producers {
		n += sc.Config.Producers[i].Rate * sc.Config.Duration.Seconds()
	}
	return n
}
