package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// renameTries is how often a rename is tried against other processes that save the same run.
const renameTries = 20

// settle moves the staged results to dir, or finds that the same ones are there. Another process
// may do the same at any moment: whoever renames first wins, and the other looks at what is
// there.
func settle(staged *Stage, dir string, files []File, digest string, force bool) (Status, error) {
	var err error
	for try := range renameTries {
		if err = os.Rename(staged.dir, dir); err == nil {
			return Written, nil
		}
		if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
			continue // gone again, or the rename has another reason to fail
		}
		if list, err := os.ReadDir(dir); err == nil && len(list) == 0 && os.Remove(dir) == nil {
			continue // an empty directory is free, but os.Rename wants it out of the way
		}
		conflict := inspect(dir, digest)
		if conflict == nil {
			status, refreshErr := staged.refresh(dir, files)
			if errors.Is(refreshErr, fs.ErrNotExist) { // another process has put its own there
				err = refreshErr
				continue
			}
			return status, refreshErr
		}
		if conflict.Foreign && try+1 < renameTries {
			continue // it may just have been renamed away
		}
		if conflict.Foreign || !force {
			return 0, conflict
		}
		if err = replace(staged.dir, dir); err == nil {
			return Written, nil
		}
	}
	return 0, &IOError{err}
}

// inspect compares what is in dir with a digest; nil means it is the same result.
func inspect(dir, digest string) *ConflictError {
	c := &ConflictError{Dir: dir, Want: digest}
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err != nil {
		c.Foreign = true
		return c
	}
	m, err := LoadManifest(dir)
	var files *IOError
	switch {
	case errors.As(err, &files):
		c.Err = files.Err
	case m.Digest == "":
		c.Err = fmt.Errorf("%s: no digest", filepath.Join(dir, ManifestFile))
	case m.Digest == digest:
		return nil
	}
	c.Have = m.Digest
	return c
}

// refresh gives dir, which has the same result, the files that it lacks or has otherwise. The manifest
// alone is no reason: its host section differs each time. It comes first in the list and is written last.
func (s *Stage) refresh(dir string, files []File) (Status, error) {
	status := Unchanged
	for _, out := range s.streams {
		moved, err := s.moveStream(dir, out.path)
		if err != nil {
			return 0, &IOError{err}
		}
		if moved {
			status = Updated
		}
	}
	for i := len(files) - 1; i >= 0; i-- {
		f := files[i]
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		have, err := os.ReadFile(path)
		if err == nil && (bytes.Equal(have, f.Data) || i == 0 && status == Unchanged) {
			continue
		}
		if err := writeAtomic(path, f.Data); err != nil {
			return 0, &IOError{err}
		}
		status = Updated
	}
	return status, nil
}

// moveStream moves a stream of the stage to dir, unless the same one is there.
func (s *Stage) moveStream(dir, path string) (moved bool, err error) {
	from, to := filepath.Join(s.dir, filepath.FromSlash(path)), filepath.Join(dir, filepath.FromSlash(path))
	same, err := sameFiles(from, to)
	if err != nil || same {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return false, err
	}
	if irregular(to) { // a link stays
		return true, copyFile(from, to)
	}
	return true, os.Rename(from, to)
}

// copyFile writes what one file has to another.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// sameFiles says whether two files hold the same bytes; the second may not exist.
func sameFiles(a, b string) (bool, error) {
	x, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer x.Close() //nolint:errcheck // it was only read
	y, err := os.Open(b)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer y.Close() //nolint:errcheck // it was only read
	return sameBytes(x, y)
}

// sameBytes says whether two readers give the same bytes.
func sameBytes(x, y io.Reader) (bool, error) {
	p, q := make([]byte, streamBuffer), make([]byte, streamBuffer)
	for {
		n, errX := io.ReadFull(x, p)
		m, errY := io.ReadFull(y, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		for _, err := range []error{errX, errY} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return false, err
			}
		}
		if errX != nil || errY != nil {
			return errX != nil && errY != nil, nil
		}
	}
}

// writeAtomic writes a file so that a reader sees the old one or the new one.
func writeAtomic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replace renames staged to dir. What was there is renamed away first, so that dir is never half of
// the one and half of the other; between the two renames there is no dir.
func replace(staged, dir string) error {
	old := staged + ".old"
	var err error
	for range renameTries {
		if err = os.Rename(staged, dir); err == nil {
			return nil
		}
		if gone := os.Rename(dir, old); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			return gone
		}
		if err = os.Rename(staged, dir); err == nil {
			discard(old)
			return nil
		}
		if os.Rename(old, dir) != nil { // put it back, unless another process was faster
			discard(old)
		}
	}
	return err
}

// discard removes what nobody needs any more. Another process may still be writing a file there, which fails
// a removal once or twice. If it fails for good the leftover does no harm: its name says that it is partial,
// and a later run sweeps it up.
func discard(path string) {
	for range renameTries {
		if os.RemoveAll(path) == nil {
			return
		}
	}
}

// stale is how long nothing was written to a stage that has no writer any more. One that is written to while
// a run is simulated gets the next bytes of its streams within seconds.
const stale = time.Hour

// sweep removes what a crash left behind when these results were last written.
func sweep(dir string) {
	left, err := filepath.Glob(quoteGlob(dir) + PartialSuffix + ".*")
	if err != nil {
		return
	}
	for _, path := range left {
		if last := lastWritten(path); !last.IsZero() && time.Since(last) > stale {
			discard(path)
		}
	}
}

// lastWritten is when a directory, or a file in it, was written to; zero if that is not known.
func lastWritten(dir string) time.Time {
	var last time.Time
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	if err != nil {
		return time.Time{}
	}
	return last
}

// quoteGlob makes a path match only itself.
func quoteGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}
