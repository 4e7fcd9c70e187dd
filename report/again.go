package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simrun/internal/result"
	"simrun/report/store"
)

// Rerender draws again what is drawn from the results in dir, which [Load] read: the text, the figures in
// f.Plots and so on. What the results themselves are stored in is left as it is. Files that are there and the
// same are not written; the names of the others are returned, with slashes. A page whose stories are gone is
// left alone ([LostStories]). Errors of the file system are *store.IOError.
func Rerender(dir string, r *result.Run, f Files) (written []string, err error) {
	files, err := renderArtefacts(r, &f, (*artefact).derived)
	if err != nil {
		return nil, err
	}
	return store.Rewrite(dir, slices.DeleteFunc(files, func(drawn store.File) bool {
		return drawn.Path == HTMLFile && LostStories(dir)
	}))
}

// Compare holds the files in dir against those of the same run made again, byte for byte, and returns which
// are others, and how many were compared. Of the manifest, all but the host section is compared. Errors of
// the file system are *store.IOError.
func Compare(dir string, r *result.Run, f Files) (differ []store.Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := render(r, &f)
	if err != nil {
		return nil, 0, err
	}
	return store.Differences(dir, files)
}

// Wanted fills in which files dir was asked to have: the formats of its figures, and whether it has the
// page, which stories are only told for.
func (f *Files) Wanted(dir string) {
	f.HTML, f.Plots = store.Has(dir, HTMLFile) || store.Has(dir, StoriesFile), nil
	plots, err := os.ReadDir(filepath.Join(dir, PlotsDir))
	if err != nil {
		return
	}
	for _, format := range []string{"svg", "png"} {
		if slices.ContainsFunc(plots, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == "."+format }) {
			f.Plots = append(f.Plots, format)
		}
	}
}
