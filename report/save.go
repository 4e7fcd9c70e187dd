package report

import (
	"simrun/internal/result"
	"simrun/report/store"
)

// Save writes the results of a run into dir, all files or none, as [store.Save] does: those of one that is
// not complete go to store.PartialPath(dir). The stage in f, if there is one, is gone afterwards.
func Save(dir string, r *result.Run, f Files, force bool) (store.Status, error) {
	if f.Stage != nil {
		defer f.Stage.Discard()
	}
	files, err := render(withStories(dir, r), &f)
	if err != nil {
		return 0, err
	}
	return store.Save(dir, store.Results{
		Files: files, Digest: r.Digest, Complete: r.Complete, Stage: f.Stage,
	}, force)
}
