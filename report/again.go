package report

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"simrun/internal/result"
)

// Rerender draws again what is drawn from the results in dir, which [Load] read: the text, the figures in
// f.Plots and so on. What the results themselves are stored in is left as it is. Files that are there and the
// same are not written; the names of the others are returned, with slashes. A page whose stories are gone is
// left alone ([LostStories]). Errors of the file system are *IOError.
func Rerender(dir string, r *result.Run, f Files) (written []string, err error) {
	files, err := renderArtefacts(r, &f, (*artefact).derived)
	if err != nil {
		return nil, err
	}
	for _, drawn := range files {
		if drawn.path == HTMLFile && LostStories(dir) {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(drawn.path))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, drawn.data) {
			continue
		}
		if err := writeAtomic(path, drawn.data); err != nil {
			return written, &IOError{err}
		}
		written = append(written, drawn.path)
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

// Compare holds the files in dir against those of the same run made again, byte for byte, and returns which
// are others, and how many were compared. Of the manifest, all but the host section is compared. Errors of
// the file system are *IOError.
func Compare(dir string, r *result.Run, f Files) (differ []Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := render(r, &f)
	if err != nil {
		return nil, 0, err
	}
	return differencesIn(dir, files)
}

// differencesIn compares what is in dir with files, of which the first is the manifest, without its host.
func differencesIn(dir string, files []file) (differ []Difference, compared int, err error) {
	for i, want := range files {
		have, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(want.path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			differ = append(differ, Difference{Path: want.path, Missing: true})
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
		if !bytes.Equal(have, want.data) {
			differ = append(differ, Difference{Path: want.path})
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
	return JSON(m)
}

// Wanted fills in which files dir was asked to have: the formats of its figures, and whether it has the
// page, which stories are only told for.
func (f *Files) Wanted(dir string) {
	f.HTML, f.Plots = Has(dir, HTMLFile) || Has(dir, StoriesFile), nil
	for _, format := range []string{"svg", "png"} {
		found, err := filepath.Glob(filepath.Join(quoteGlob(dir), PlotsDir, "*."+format))
		if err == nil && len(found) > 0 {
			f.Plots = append(f.Plots, format)
		}
	}
}

// Has says whether a directory of results has a file.
func Has(dir, path string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil
}
