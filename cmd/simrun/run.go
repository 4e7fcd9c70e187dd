package main

import (
	"context"
	"errors"
	"fmt"
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

// runFlags are the flags of simrun run.
type runFlags struct {
	seed  seedValue
	seeds seedsValue
	set   setValue
	// setFrom names those of set that other flags gave.
	setFrom  []string
	out      string
	jobs     int
	json     bool
	force    bool
	noExpect bool
	plots    plotsValue
	html     bool
	trace    bool
	verbose  bool
}

// setValue is the flag --set, which may be repeated.
type setValue []string

func (v *setValue) Set(text string) error {
	*v = append(*v, text)
	return nil
}

func (v *setValue) String() string { return "" }
func (v *setValue) Type() string   { return "KEY=VALUE" }

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
func (v *plotsValue) Type() string   { return "LIST" }

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{plots: plotsValue{[]string{"svg", "png"}}}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "simulate scenarios, judge their expectations, keep the results",
		Example: `  simrun run quickstart                       one that comes with the program
  simrun run ./my.toml                        your own: with a slash or .toml
  simrun run quickstart --seeds 1..5          five seeds: values and spread
  simrun run quickstart --set producer.*.threads=4 --set duration=50s
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
	flags.StringVarP(&f.out, "out", "o", "", "the `DIR` for results (default: results, or $SIMRUN_RESULTS)")
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "make `N` runs at once (default: one for each CPU)")
	flags.BoolVar(&f.json, "json", false, "JSON on stdout, one document for each run")
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

const setUsage = "change a key, as broker.a.slaves=2; may be repeated"

// scenarioCompletions are the shipped scenarios with their stories, for a shell.
func scenarioCompletions() []string {
	var out []string
	for _, s := range scenarios.List() {
		out = append(out, cobra.CompletionWithDesc(s.Name, s.Story))
	}
	return out
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
	if f.jobs == 0 {
		f.jobs = a.env.CPUs
	}
	if f.out == "" {
		f.out = a.env.Getenv("SIMRUN_RESULTS")
	}
	if f.out == "" {
		f.out = "results"
	}
	loaded := a.loadAll(cmd.Context(), refs, f)
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

// source is a scenario to be run.
type source struct {
	*scenarios.Scenario
	ref  string
	text []byte // as its author wrote it
}

// loadAll loads all scenarios, or reports what is wrong with all of them and returns nil.
func (a *app) loadAll(ctx context.Context, refs []string, f *runFlags) []*source {
	var out []*source
	failed := false
	for _, ref := range refs {
		s, err := load(ctx, ref, f)
		if errors.Is(err, errInterrupted) {
			a.fail(err)
			return nil
		}
		if err != nil {
			a.fail(err)
			failed = true
			continue
		}
		out = append(out, s)
	}
	if failed {
		return nil
	}
	return out
}

// errInterrupted is an interrupt while nothing is simulated yet.
var errInterrupted = errors.New("interrupted; nothing was simulated")

// load loads a scenario. An interrupt does not wait for it: nothing is half done yet.
func load(ctx context.Context, ref string, f *runFlags) (*source, error) {
	type loaded struct {
		s   *source
		err error
	}
	done := make(chan loaded, 1)
	go func() {
		s, err := loadWhole(ref, f)
		done <- loaded{s, err}
	}()
	select {
	case l := <-done:
		if ctx.Err() == nil {
			return l.s, l.err
		}
	case <-ctx.Done():
	}
	return nil, errInterrupted
}

func loadWhole(ref string, f *runFlags) (*source, error) {
	s := &source{ref: ref}
	opt := scenarios.Options{Set: f.set, SetFrom: f.setFrom, ReadBeside: scenarios.ReadRegular}
	opt.ReadFile = func(name string) ([]byte, error) {
		data, err := scenarios.ReadScenario(name)
		if s.text == nil {
			s.text = data
		}
		return data, err
	}
	if f.seed.set {
		opt.Seed = &f.seed.seed
	}
	sc, err := scenarios.Load(ref, opt)
	if err != nil {
		return nil, err
	}
	if sc.Path == "" {
		if s.text, err = scenarios.Source(sc.Name); err != nil {
			return nil, err
		}
	}
	if f.noExpect {
		plain := *sc
		plain.Expectations = nil
		sc = &plain
	}
	s.Scenario = sc
	return s, nil
}

// writable finds out before the work whether its results can be kept.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &report.IOError{Err: err}
	}
	probe, err := os.CreateTemp(dir, ".simrun-*")
	if err != nil {
		return &report.IOError{Err: err}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// runs are all runs of one call, scenario by scenario and seed by seed.
type runs struct {
	*app
	flags *runFlags
	jobs  []experiment.Job
	of    []*source // by job
	clock progress
	saved []saved // by job
	// traces are by job, nil if what happens in it is not written down.
	traces []*tracer
	// seeds are by job, what a set of several seeds takes of each.
	seeds []*report.Seed
	// Of the scenario whose results come in: its runs so far.
	group []*result.Run
	// done counts results that came in, of any scenario; last is where the last one is kept.
	done int
	last string
	// ctx is that of the call.
	ctx context.Context
	// worst is the run with the most failed messages after the warm-up, if any failed. missed counts the
	// one-way messages of which nothing is left.
	worst  worstRun
	missed int64
}

// worstRun is where to look first.
type worstRun struct {
	scenario, dir string
	seed          uint64
	failed        int64
}

// saved is what became of the files of a run.
type saved struct {
	dir  string
	what string // to say to the user
	err  error
	// files are what went there besides the run.
	files report.Files
}

func (r *runs) add(s *source) {
	list := []experiment.Job{{Scenario: s.Scenario}}
	if len(r.flags.seeds.seeds) > 0 {
		list = experiment.Seeds(s.Scenario, r.flags.seeds.seeds)
		if r.flags.noExpect {
			for i := range list {
				list[i].Scenario.Expectations = nil
			}
		}
	}
	for _, job := range list {
		i := len(r.jobs)
		job.Keep = func(run *result.Run) {
			r.takeSeed(i, run)
			r.saved[i] = r.save(i, run)
		}
		r.traces = append(r.traces, nil)
		if r.flags.trace {
			cfg := &job.Scenario.Config
			dir := report.Path(r.flags.out, job.Scenario.Name, "", cfg.Seed, job.Scenario.Key())
			r.traces[i] = &tracer{dir: dir, cfg: cfg}
			job.Options.Witness = r.traces[i].open
		}
		r.jobs, r.of, r.saved = append(r.jobs, job), append(r.of, s), append(r.saved, saved{})
		r.seeds = append(r.seeds, nil)
	}
}

// make simulates, and keeps and shows each result as soon as its turn comes.
func (r *runs) make(ctx context.Context) error {
	r.ctx = ctx
	if r.flags.verbose {
		r.say("running %s, %d at once\n", plural(len(r.jobs), "run"), min(r.flags.jobs, len(r.jobs)))
	}
	r.clock.start(r)
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		r.console.interrupted("stopping; what was simulated so far is kept (once more to quit at once)")
		close(said)
	})
	err := r.env.RunAll(ctx, r.jobs, r.flags.jobs, func(job int, run *result.Run) error {
		if ctx.Err() != nil {
			<-said // first things first
		}
		return r.take(job, run)
	})
	if !unwatch() {
		<-said
	}
	r.console.clear()
	for _, t := range r.traces {
		t.discard()
	}
	if err != nil || r.done < len(r.jobs) {
		r.finishGroup(r.done - 1)
	}
	if err != nil {
		return err
	}
	if left := len(r.jobs) - r.done; left > 0 {
		r.codes = append(r.codes, exitInterrupted)
		r.say("not begun: %d of %d runs\n", left, len(r.jobs))
	}
	r.next()
	return nil
}

// say writes what is worth knowing and no result to stderr, unless the user wants it quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		a.console.printf(format, args...)
	}
}

// take shows one result. A result that could not be kept is shown all the same, and the other runs go
// on.
func (r *runs) take(job int, run *result.Run) error {
	r.done++
	if r.flags.verbose {
		r.say("%s\n", r.clock.speed(job, run))
	}
	r.told(r.saved[job])
	code := verdictCode(run.Verdict)
	if !run.Complete {
		code = exitInterrupted
	}
	r.codes = append(r.codes, code)
	r.missed += missedMessages(run)
	if n := failedMessages(run); n > r.worst.failed && r.saved[job].err == nil {
		r.worst = worstRun{run.Scenario, r.saved[job].dir, run.Seed, n}
	}
	if r.flags.json {
		data, err := report.SummaryJSON(run)
		if err != nil {
			return err
		}
		r.console.data(func() { r.stdout.print(string(data)) })
	}
	r.group = append(r.group, run)
	if job == len(r.jobs)-1 || r.of[job+1] != r.of[job] {
		r.finishGroup(job)
	}
	return r.tellStories(job, run)
}

// save writes the results of a run to their directory. Workers call it.
func (r *runs) save(job int, run *result.Run) saved {
	dir := report.Path(r.flags.out, run.Scenario, "", run.Seed, run.Key)
	files := report.Files{
		ScenarioTOML: r.jobs[job].Scenario.Effective(),
		Manifest:     r.manifest(job, dir),
		Beside:       besideFiles(r.jobs[job].Scenario),
		Plots:        r.flags.plots.formats,
		HTML:         r.flags.html,
	}
	var err error
	if files.Stage, err = r.traces[job].finish(run); err != nil {
		return saved{dir: dir, err: err}
	}
	status, err := report.Save(dir, run, files, r.flags.force)
	if r.several() { // kept, and not needed to show the run
		run.Series, run.Spectra, run.Sample = result.Series{}, nil, result.SendSample{}
		run.Isolations, run.Queues, run.Instances = nil, nil, nil
	}
	if status == report.StatusPartial {
		return saved{dir: report.PartialPath(dir), what: "kept"}
	}
	files.Stage = nil
	return saved{dir: dir, what: status.String(), err: err, files: files}
}

// told says what became of the files of a run, in its turn.
func (r *runs) told(s saved) {
	if s.err != nil {
		code := codeOf(s.err)
		r.codes = append(r.codes, code)
		r.console.errorf("%v", s.err)
		r.console.print(conflictHelp(s.err))
		return
	}
	if s.what != "kept" {
		report.LinkLatest(r.flags.out, s.dir)
	}
	r.last = s.dir
	r.say("%s %s\n", s.what, s.dir)
}

// conflictHelp says what to do about results that could not be kept, if something is in their way.
func conflictHelp(err error) string {
	var conflict *report.ConflictError
	switch {
	case !errors.As(err, &conflict):
		return ""
	case conflict.Foreign:
		return "simrun: move or remove it, or write the results elsewhere with -o DIR\n"
	case conflict.Err != nil:
		return "simrun: --force replaces the directory\n"
	}
	return "simrun: --force replaces it; but one simrun, scenario and seed should give one digest\n"
}

func (r *runs) manifest(job int, dir string) result.Manifest {
	s := r.of[job]
	return result.Manifest{
		Simrun:    build(),
		Scenario:  result.Source{SourceSHA256: sha256Hex(s.text), Shipped: s.Path == ""},
		Overrides: r.flags.set,
		NoExpect:  r.flags.noExpect,
		Host: result.Host{
			ScenarioPath: s.ref, ResultsPath: dir,
			StartedAt: r.clock.began[job].UTC().Format(time.RFC3339),
			WallNS:    int64(r.clock.wall(job)),
			CPUs:      r.env.CPUs, Jobs: r.flags.jobs,
		},
	}
}

// finishGroup shows the runs of one scenario, of which job was the last: one of them as a summary, several as
// a table, which is kept, too.
func (r *runs) finishGroup(job int) {
	list := r.group
	r.group = nil
	if len(list) == 0 {
		return
	}
	opt := report.TextOptions{Width: r.env.width(), Color: r.env.colour(r.color)}
	var b strings.Builder
	if r.done > len(list) {
		b.WriteByte('\n') // between two scenarios
	}
	var err error
	var set *result.SeedSet
	if r.several() {
		set = r.seedSet(job, len(list))
		err = report.SeedsText(&b, set, opt)
	} else {
		err = report.Summary(&b, list[0], opt)
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	if set != nil {
		r.saveSet(job, set)
	}
	if !r.flags.json {
		r.console.data(func() { r.stdout.print(b.String()) })
	}
}

// next ends the call with what one might do now.
func (r *runs) next() {
	if r.last == "" {
		return
	}
	again := "simrun run"
	for i, s := range r.of {
		if i == 0 || r.of[i-1] != s {
			again += " " + shellQuote(s.ref)
		}
	}
	for _, set := range r.flags.set {
		again += " --set " + shellQuote(set)
	}
	seeds := ""
	if r.flags.seed.set {
		seeds = fmt.Sprintf(" --seed %d", r.flags.seed.seed)
	} else if r.flags.seeds.text != "" {
		seeds = " --seeds " + r.flags.seeds.text
	}
	switch {
	case worst(r.codes...) == exitInterrupted:
		r.say("next: %s%s   # to run it to its end\n", again, seeds)
	case r.missed > r.worst.failed && len(r.jobs) == 1 && r.saved[0].err == nil:
		r.say("next: simrun explain %s --why missed   # the first one that nobody was told of\n",
			shellQuote(latest(r.flags.out, r.last)))
	case r.worst.failed > 0 && len(r.jobs) == 1:
		r.say("next: simrun explain %s --why failed   # the first of them, step by step\n",
			shellQuote(latest(r.flags.out, r.last)))
	case len(r.flags.seeds.seeds) <= 1:
		r.say("next: %s --seeds 1..10   # one seed is an anecdote\n", again)
	case len(r.flags.plots.formats) == 0:
		r.say("next: %s%s   # with figures\n", again, seeds)
	case r.worst.failed > 0:
		w := r.worst
		of := fmt.Sprintf("seed %d", w.seed)
		if r.of[0] != r.of[len(r.of)-1] {
			of = w.scenario + ", " + of
		}
		figure := filepath.Join(w.dir, report.PlotsDir, "timeline."+r.flags.plots.formats[0])
		r.say("next: look at %s   # %s has the most failed messages, %d\n", figure, of, w.failed)
	}
}

// failedMessages counts the messages after the warm-up whose callers got exceptions.
func failedMessages(run *result.Run) int64 { return afterWarmup(run).Failed }

// missedMessages counts the one-way messages after the warm-up of which nothing is left.
func missedMessages(run *result.Run) int64 { return afterWarmup(run).HandedMissed }

// afterWarmup is the row of all messages after the warm-up.
func afterWarmup(run *result.Run) result.Stats {
	for _, s := range run.Stats {
		if s.Phase == result.PhaseAll && s.Dim == result.DimAll {
			return s
		}
	}
	return result.Stats{}
}

// latest is the short name of a directory of results, if it has that.
func latest(out, dir string) string {
	link := filepath.Join(out, "latest")
	a, errA := os.Stat(link)
	b, errB := os.Stat(dir)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return link
	}
	return dir
}
