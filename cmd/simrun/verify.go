package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/trace"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

const verifyLong = `Makes the runs of stored results again, from their scenario.toml and the seed in
their manifest, and says whether the same comes out: first the digest of all
that was observed, then every file, byte by byte. A file that was edited or is
missing, or a simrun that simulates or draws differently by now, makes the exit
code 5.
Nothing is written. Of a set of seeds the directories of its runs are verified,
and its own files, of a comparison all runs of all its variants are made again,
of a sweep some of its cells (20), and all files of what its cells hold.`

func (a *app) verifyCommand() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "verify RESULTDIR...",
		Short: "make runs again and say whether the same comes out",
		Example: `  simrun verify results/latest                the last run
  simrun verify results/*/s*-*                all there are, on all CPUs`,
		Long: verifyLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("jobs") && jobs < 1 {
				return usagef("--jobs: %d is not 1 or more", jobs)
			}
			if jobs == 0 {
				jobs = a.env.CPUs
			}
			return a.verify(cmd.Context(), args, jobs)
		},
	}
	cmd.Flags().IntVarP(&jobs, "jobs", "j", 0, "make `N` runs at once (default: one for each CPU)")
	return cmd
}

// verification is one directory that is held against its run made again.
type verification struct {
	dir      string
	manifest result.Manifest
	scenario *scenarios.Scenario
	// sinks write down what happens, checkers hold it against the files.
	sinks    trace.Sinks
	checkers []*checker
	// missing are files that are not there though others of their kind are.
	missing []store.Difference
	// inSet: a set of seeds is verified that the run is one of; member is what the set takes of it.
	inSet  bool
	member *ensemble.Member
	// Of the comparison, which a worker makes.
	digest   string
	differ   []store.Difference
	compared int
	err      error
}

// verify is simrun verify. A directory that cannot be verified does not keep it from the others.
func (a *app) verify(ctx context.Context, dirs []string, workers int) error {
	if len(dirs) == 0 {
		return usagef("verify needs a directory of results, such as results/latest")
	}
	var (
		list  []*verification
		jobs  []experiment.Job
		total time.Duration
		// comparisons come after the runs.
		comparisons []string
	)
	dirs, sets := a.withoutSets(a.withoutSweeps(ctx, dirs, workers))
	for _, dir := range dirs {
		if report.IsComparison(dir) {
			comparisons = append(comparisons, dir)
			continue
		}
		v := &verification{dir: dir, inSet: inSet(sets, dir)}
		job, err := v.job(ctx)
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil {
			a.fail(err)
			continue
		}
		total += job.Scenario.Config.Duration
		list, jobs = append(list, v), append(jobs, job)
	}
	if err := a.verifyRuns(ctx, list, jobs, total, workers); err != nil {
		return err
	}
	for _, s := range sets {
		if err := a.verifySet(ctx, s, list); err != nil {
			a.fail(err)
		}
	}
	for _, dir := range comparisons {
		err := a.verifyComparison(ctx, dir, workers)
		if errors.Is(err, errInterrupted) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			a.fail(err)
		}
	}
	return nil
}

// verifyRuns makes runs again.
func (a *app) verifyRuns(
	ctx context.Context, list []*verification, jobs []experiment.Job, total time.Duration, workers int,
) error {
	if len(jobs) == 0 {
		return nil
	}
	done := 0
	a.watch(jobs, total)
	err := a.env.RunAll(ctx, jobs, workers, func(job int, run *result.Run) error {
		if !run.Complete {
			return nil // interrupted
		}
		done++
		a.verified(list[job])
		return nil
	})
	a.console.clear()
	if err == nil && done < len(jobs) {
		a.codes = append(a.codes, exitInterrupted)
		a.console.errorf("interrupted: %d of %d verified", done, len(jobs))
	}
	return err
}

// watch shows how far jobs are that have to simulate a time in all.
func (a *app) watch(jobs []experiment.Job, total time.Duration) {
	p := &progress{console: a.console, now: a.env.Now, total: total}
	n := len(jobs)
	p.at, p.began, p.ended = make([]time.Duration, n), make([]time.Time, n), make([]time.Time, n)
	for i := range jobs {
		which := ""
		if n > 1 {
			which = fmt.Sprintf("%s seed %d ", jobs[i].Scenario.Name, jobs[i].Scenario.Config.Seed)
		}
		jobs[i].Options.Progress = func(x experiment.Progress) { p.report(i, which, x) }
	}
	if !a.quiet {
		a.console.begin(total)
	}
}

// job makes the run again, and compares.
func (v *verification) job(ctx context.Context) (experiment.Job, error) {
	m, err := manifestOf(v.dir)
	if err != nil {
		return experiment.Job{}, err
	}
	v.manifest = m
	if !m.Complete {
		return experiment.Job{}, usagef("%s cannot be verified: its run was interrupted at %s of %s; "+
			"to make all of it: %s", v.dir, whole(time.Duration(m.SimulatedNS)),
			whole(time.Duration(m.DurationNS)), remake(&m))
	}
	sc, err := storedScenario(ctx, v.dir, &m)
	if err != nil {
		return experiment.Job{}, err
	}
	v.scenario = sc
	return experiment.Job{
		Scenario: sc,
		Options:  experiment.Options{Witness: v.open},
		Keep:     func(run *result.Run) { v.err = v.compare(ctx, run) },
	}, nil
}

// open has what happens in the run held against the files in which it was written down, if there are any.
func (v *verification) open() (experiment.Witness, error) {
	for _, name := range report.Streams() {
		if !store.Has(v.dir, name) {
			if slices.ContainsFunc(report.Streams(), func(s string) bool { return store.Has(v.dir, s) }) {
				v.missing = append(v.missing, store.Difference{Path: name, Missing: true})
			}
			continue
		}
		c, err := newChecker(v.dir, name)
		if err != nil {
			return nil, err
		}
		v.checkers = append(v.checkers, c)
		v.sinks = append(v.sinks, newSink[name](&v.scenario.Config, c, trace.Window{}))
	}
	return v.sinks, nil
}

// compare holds the directory against the run made again. A worker calls it.
func (v *verification) compare(ctx context.Context, run *result.Run) (err error) {
	v.digest = run.Digest
	if v.inSet && run.Complete {
		v.member = ensemble.Of(run)
	}
	if err := v.sinks.Finish(run); err != nil {
		return err
	}
	if !run.Complete || run.Digest != v.manifest.Digest {
		return nil
	}
	if report.HasStories(v.dir) {
		run.Stories, err = experiment.Stories(ctx, v.scenario, run.Exemplars, experiment.Options{})
		if err != nil {
			return err
		}
	}
	files := report.Files{
		Manifest: v.manifest, Beside: besideFiles(v.scenario), ScenarioTOML: v.scenario.Effective(),
	}
	files.Wanted(v.dir)
	v.differ, v.compared, err = report.Compare(v.dir, run, files)
	v.differ = append(v.differ, v.missing...)
	for _, c := range v.checkers {
		v.compared++
		if !c.close() {
			v.differ = append(v.differ, store.Difference{Path: c.path})
		}
	}
	return err
}

// verified says what came of one.
func (a *app) verified(v *verification) {
	m := &v.manifest
	switch {
	case v.err != nil:
		a.fail(v.err)
		return
	case v.digest != m.Digest:
		a.codes = append(a.codes, exitIrreproduced)
		a.line("DIFFERS   %s  digest %s, made again %s", v.dir, m.Digest, v.digest)
	case len(v.differ) > 0:
		a.codes = append(a.codes, exitIrreproduced)
		var names []string
		for _, d := range v.differ {
			names = append(names, d.String())
		}
		a.line("DIFFERS   %s  digest %s is the same, files are not: %s", v.dir, m.Digest,
			strings.Join(names, ", "))
	default:
		a.line("same      %s  digest %s, %d files", v.dir, m.Digest, v.compared)
	}
	if other := v.others(); other != "" {
		a.say("simrun: %s: %s\n", v.dir, other)
	}
}

// line writes a line to stdout, above the bar if there is one.
func (a *app) line(format string, args ...any) {
	a.console.data(func() { a.stdout.print(fmt.Sprintf(format, args...) + "\n") })
}

// others is what differs besides the results, and may be the reason if they do: the scenario, the program,
// the machine.
func (v *verification) others() string {
	m := &v.manifest
	var why []string
	if text, err := os.ReadFile(filepath.Join(v.dir, report.ScenarioFile)); err == nil &&
		sha256Hex(text) != m.Scenario.EffectiveSHA256 {
		why = append(why, report.ScenarioFile+" is not the one that was run")
	}
	if m.Schema != result.Schema {
		why = append(why, fmt.Sprintf("its schema is %d, this simrun writes %d", m.Schema, result.Schema))
	}
	if was, is := buildText(m.Simrun), buildText(build()); was != is {
		why = append(why, fmt.Sprintf("it was made by %s, this is %s", was, is))
	}
	return strings.Join(why, "; ")
}
