package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"simrun/internal/result"
)

// File is a file of a directory of results; the path is relative, with slashes.
type File struct {
	Path string
	Data []byte
}

// Results are what a directory is to hold.
type Results struct {
	// Files are all that are made in memory. The manifest comes first and is written last.
	Files []File
	// Digest says whether what is there already is the same.
	Digest string
	// Complete results supersede what an interruption left; others go to PartialPath(dir).
	Complete bool
	// Stage, if not nil, has files that were written bit by bit. It was opened for the directory, and is gone
	// afterwards.
	Stage *Stage
}

// Save writes results into dir, all files or none.
//
// The files are written beside dir, to "<dir>.partial.*", and renamed at the end; so two
// processes may save the same results at once, and a crash leaves dir as it was. If dir has the same
// digest it is kept (Unchanged, Updated); if it has another one the error is a
// *ConflictError, unless force is set. Results that are not complete go to PartialPath(dir)
// instead, where they replace earlier ones; complete ones remove them. Other errors are *IOError.
func Save(dir string, r Results, force bool) (Status, error) {
	dir = behindLink(filepath.Clean(dir))
	staged, err := r.staged(dir)
	if err != nil {
		return 0, err
	}
	defer staged.Discard()
	if !r.Complete {
		if err := replace(staged.dir, PartialPath(dir)); err != nil {
			return 0, &IOError{err}
		}
		return Partial, nil
	}
	status, err := settle(staged, dir, r.Files, r.Digest, force)
	if err == nil {
		discard(PartialPath(dir)) // superseded
	}
	return status, err
}

// SaveNew writes files into dir, all or none. There must be nothing of that name. Errors are *IOError.
func SaveNew(dir string, files []File) error {
	r := Results{Files: files}
	staged, err := r.staged(dir)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := os.Rename(staged.dir, filepath.Clean(dir)); err != nil {
		return &IOError{err}
	}
	return nil
}

// staged is a stage for dir with all files. Errors are *IOError.
func (r *Results) staged(dir string) (*Stage, error) {
	s := r.Stage
	if s == nil {
		var err error
		if s, err = OpenStage(dir); err != nil {
			return nil, err
		}
	}
	err := s.close()
	if err == nil {
		err = s.write(r.Files)
	}
	if err != nil {
		s.Discard()
		return nil, &IOError{err}
	}
	return s, nil
}

// Rewrite writes the files that are not in dir, or not the same there, and returns their names. Errors are
// *IOError.
func Rewrite(dir string, files []File) (written []string, err error) {
	for _, drawn := range files {
		path := filepath.Join(dir, filepath.FromSlash(drawn.Path))
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written, &IOError{err}
		}
		if err == nil && bytes.Equal(have, drawn.Data) {
			continue
		}
		if err := writeAtomic(path, drawn.Data); err != nil {
			return written, &IOError{err}
		}
		written = append(written, drawn.Path)
	}
	return written, nil
}

// Difference is a file of a directory of results that is not what the run makes.
type Difference struct {
	// Path is below the directory, with slashes.
	Path string
	// Missing: it is not there at all.
	Missing bool
}

// String is the difference in words.
func (d Difference) String() string {
	if d.Missing {
		return d.Path + " (missing)"
	}
	return d.Path
}

// Differences compares what is in dir with files, of which the first is the manifest, without its host.
func Differences(dir string, files []File) (differ []Difference, compared int, err error) {
	for i, want := range files {
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(want.Path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			differ = append(differ, Difference{Path: want.Path, Missing: true})
			continue
		case err != nil:
			return nil, 0, &IOError{err}
		}
		compared++
		if i == 0 {
			if have, err = withoutHost(dir); err != nil {
				return nil, 0, err
			}
		}
		if !bytes.Equal(have, want.Data) {
			differ = append(differ, Difference{Path: want.Path})
		}
	}
	return differ, compared, nil
}

// withoutHost is the manifest in dir as JSON, with nothing that differs from machine to machine.
func withoutHost(dir string) ([]byte, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	m.Host = result.Host{}
	return result.JSON(m)
}
