package report

import (
	"path/filepath"

	"simrun/internal/result"
)

// file is a file to be written; the path is relative, with slashes.
type file struct {
	path string
	data []byte
}

// Save writes the results of a run into dir, all files or none.
//
// The files are written beside dir, to "<dir>.partial.*", and renamed at the end; so two
// processes may save the same run at once, and a crash leaves dir as it was. If dir has the same
// digest it is kept (StatusUnchanged, StatusUpdated); if it has another one the error is a
// *ConflictError, unless force is set. A run that is not complete goes to PartialPath(dir)
// instead, where it replaces an earlier one; a complete one removes it. Errors of the file system
// are *IOError. The stage in f, if there is one, is gone afterwards.
func Save(dir string, r *result.Run, f Files, force bool) (Status, error) {
	dir = behindLink(filepath.Clean(dir))
	staged := f.Stage
	if staged != nil {
		defer staged.Discard()
	}
	files, err := render(withStories(dir, r), &f)
	if err != nil {
		return 0, err
	}
	if staged == nil {
		if staged, err = OpenStage(dir); err != nil {
			return 0, err
		}
		defer staged.Discard()
	}
	if err := staged.close(); err != nil {
		return 0, &IOError{err}
	}
	if err := staged.write(files); err != nil {
		return 0, &IOError{err}
	}
	if !r.Complete {
		if err := replace(staged.dir, PartialPath(dir)); err != nil {
			return 0, &IOError{err}
		}
		return StatusPartial, nil
	}
	status, err := settle(staged, dir, files, r.Digest, force)
	if err == nil {
		discard(PartialPath(dir)) // superseded
	}
	return status, err
}
