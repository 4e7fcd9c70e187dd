package main

import (
	"errors"
	"time"

	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
)

// saved is what became of the files of a run.
type saved struct {
	dir  string
	what string // to say to the user
	err  error
	// files are what went there besides the run.
	files report.Files
}

// save writes the results of a run to their directory. Workers call it.
func (r *runs) save(job int, run *result.Run) saved {
	dir := report.Path(r.flags.out, run.Scenario, run.Variant, run.Seed, run.Key)
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
		run.Series, run.Spectra, run.Sample.Sends = result.Series{}, nil, nil
		run.Isolations, run.Queues, run.Instances = nil, nil, nil
	}
	if status == store.Partial {
		return saved{dir: store.PartialPath(dir), what: "kept"}
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
		store.LinkLatest(r.flags.out, s.dir)
	}
	r.last = s.dir
	r.say("%s %s\n", s.what, s.dir)
}

// conflictHelp says what to do about results that could not be kept, if something is in their way.
func conflictHelp(err error) string {
	var conflict *store.ConflictError
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
	var flags []string
	if s.Variant != "" {
		flags = r.flags.flagsOf(s.Variant)
	}
	return result.Manifest{
		VariantFlags: flags,
		Simrun:       build(),
		Scenario:     result.Source{SourceSHA256: sha256Hex(s.text), Shipped: s.Path == ""},
		Variant:      s.Variant,
		Overrides:    r.flags.set,
		NoExpect:     r.flags.noExpect,
		Host: result.Host{
			ScenarioPath: s.ref, ResultsPath: dir,
			StartedAt: r.clock.began[job].UTC().Format(time.RFC3339),
			WallNS:    int64(r.clock.wall(job)),
			CPUs:      r.env.CPUs, Jobs: r.flags.jobs,
		},
	}
}
