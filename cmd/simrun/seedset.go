package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
)

// several says whether each scenario is run with several seeds.
func (r *runs) several() bool { return len(r.flags.seeds.seeds) > 1 }

// takeSeed takes of a run what the set of its seeds needs. Workers call it.
func (r *runs) takeSeed(job int, run *result.Run) {
	if r.several() {
		r.seeds[job] = ensemble.Of(run)
	}
}

// seedSet is what the last n jobs up to one say together: runs of one scenario.
func (r *runs) seedSet(job, n int) *result.SeedSet {
	return ensemble.NewSet(r.seeds[job+1-n:job+1], len(r.flags.seeds.seeds))
}

// saveSet writes what several seeds say together, beside the results of each. Of a set that lacks seeds
// nothing is kept: it would not be what its name says.
func (r *runs) saveSet(job int, set *result.SeedSet) {
	if !set.Complete {
		return
	}
	dir := report.SeedsPath(r.flags.out, set.Variant, set)
	files := report.Files{
		ScenarioTOML: r.of[job].Effective(),
		Beside:       besideFiles(r.of[job].Scenario),
		Manifest:     r.manifest(job, dir),
		Plots:        r.flags.plots.formats,
		HTML:         r.flags.html,
	}
	status, err := report.SaveSeeds(dir, set, files, r.flags.force)
	if err != nil {
		r.told(saved{err: err})
		return
	}
	r.say("%s %s\n", status, dir) // results/latest remains the last run, for explain
}

// reportSeeds shows a set of seeds again and draws its text and figures anew. What cannot be read is
// reported, and no error.
func (a *app) reportSeeds(ctx context.Context, f *reportFlags, dir string, another bool) error {
	set, err := report.LoadSeeds(dir)
	if err == nil {
		err = a.rerenderSeeds(ctx, f, dir, set)
	}
	if err != nil {
		a.fail(err)
		return nil
	}
	if f.json {
		data, err := report.SeedsJSON(set)
		if err != nil {
			return err
		}
		a.document(data, f.lines)
		return nil
	}
	var b strings.Builder
	if another {
		b.WriteByte('\n')
	}
	opt := report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)}
	if err := report.SeedsText(&b, set, opt); err != nil {
		return err
	}
	a.stdout.print(b.String())
	return nil
}

// rerenderSeeds draws a set again, where it is or elsewhere.
func (a *app) rerenderSeeds(ctx context.Context, f *reportFlags, dir string, set *result.SeedSet) error {
	files := report.Files{Plots: f.plots.formats, HTML: f.html}
	var err error
	if files.Manifest, err = manifestOf(dir); err != nil {
		return err
	}
	if files.ScenarioTOML, err = os.ReadFile(filepath.Join(dir, report.ScenarioFile)); err != nil {
		return &store.IOError{Err: err}
	}
	if f.out == "" {
		written, err := report.RerenderSeeds(dir, set, files)
		return a.rerendered(dir, written, err)
	}
	sc, err := storedScenario(ctx, dir, &files.Manifest)
	if err != nil {
		return err
	}
	files.Beside = besideFiles(sc)
	to := report.SeedsPath(f.out, files.Manifest.Variant, set)
	files.Manifest.Host.ResultsPath = to
	status, err := report.SaveSeeds(to, set, files, false)
	if err != nil {
		return err
	}
	a.say("%s %s\n", status, to)
	return nil
}

// seedDirs are the directories of the runs of a set, which lie beside it.
func seedDirs(dir string) ([]string, error) {
	set, err := report.LoadSeeds(dir)
	if err != nil {
		return nil, err
	}
	at, err := filepath.EvalSymlinks(dir) // results/latest
	if err != nil {
		return nil, &store.IOError{Err: err}
	}
	var dirs []string
	for _, r := range set.Runs {
		run := filepath.Join(filepath.Dir(at), report.SeedDir(r.Seed, r.Key))
		if _, err := os.Stat(run); errors.Is(err, fs.ErrNotExist) {
			if err := partOfComparison(dir); err != nil {
				return nil, err
			}
			return nil, usagef("%s: the results of its seed %d are not beside it", dir, r.Seed)
		}
		dirs = append(dirs, run)
	}
	return dirs, nil
}

// setOfRuns is the directory of a set of seeds with those of its runs.
type setOfRuns struct {
	dir  string
	runs []string
}

// withoutSets puts the directories of the runs in the place of those of sets, each once, and returns the sets
// beside them. What cannot be read is reported and left out.
func (a *app) withoutSets(dirs []string) (out []string, sets []setOfRuns) {
	for _, dir := range dirs {
		of := []string{dir}
		if report.IsSeeds(dir) {
			var err error
			if of, err = seedDirs(dir); err != nil {
				a.fail(err)
				continue
			}
			sets = append(sets, setOfRuns{dir, of})
		}
		for _, d := range of {
			if !slices.Contains(out, filepath.Clean(d)) {
				out = append(out, filepath.Clean(d))
			}
		}
	}
	return out, sets
}

// inSet says whether a directory is that of a run of one of the sets.
func inSet(sets []setOfRuns, dir string) bool {
	return slices.ContainsFunc(sets, func(s setOfRuns) bool {
		return slices.ContainsFunc(s.runs, func(run string) bool { return filepath.Clean(run) == dir })
	})
}

// verifySet holds the files of a set of seeds against what its runs say, which were made again. Where one was
// not there is nothing to hold them against, and the reason is told already.
func (a *app) verifySet(ctx context.Context, s setOfRuns, runs []*verification) error {
	var members []*ensemble.Member
	for _, dir := range s.runs {
		i := slices.IndexFunc(runs, func(v *verification) bool { return v.dir == filepath.Clean(dir) })
		if i < 0 || runs[i].member == nil {
			return nil
		}
		members = append(members, runs[i].member)
	}
	m, err := manifestOf(s.dir)
	if err != nil {
		return err
	}
	set := ensemble.NewSet(members, len(members))
	v := &verification{dir: s.dir, manifest: m, digest: set.Digest}
	if m.Digest == set.Digest {
		files := report.Files{Manifest: m}
		files.Wanted(s.dir)
		sc, err := storedScenario(ctx, s.dir, &m)
		if err != nil {
			return err
		}
		files.Beside = besideFiles(sc)
		if files.ScenarioTOML, err = os.ReadFile(filepath.Join(s.dir, report.ScenarioFile)); err != nil {
			return &store.IOError{Err: err}
		}
		if v.differ, v.compared, err = report.CompareSeeds(s.dir, set, files); err != nil {
			return err
		}
	}
	a.verified(v)
	return nil
}
