package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile has a file written through a buffer. What has its name is never replaced by something of another
// kind: a new file, and a regular one, is written under another name and renamed at the end, so that a reader
// sees the file that was there or the new one, and if write fails nothing has changed. A link stays, and the
// file that it leads to is written. Into anything else, as a device or a named pipe, it writes.
func WriteFile(path string, write func(io.Writer) error) error {
	to, mode, err := regularTarget(path)
	if err != nil {
		return err
	}
	if to == "" {
		return writeInto(path, write)
	}
	t, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*")
	if err != nil {
		var of *fs.PathError
		if errors.As(err, &of) {
			err = &fs.PathError{Op: "create", Path: path, Err: of.Err} // the name that the caller knows
		}
		return err
	}
	err = Buffered(t, write)
	err = errors.Join(err, t.Chmod(mode), t.Close())
	if err == nil {
		err = os.Rename(t.Name(), to)
	}
	if err != nil {
		discard(t.Name())
	}
	return err
}

// regularTarget is the name, behind all links, that a file of that name has or would have, and its mode; no
// name if there is something that is no regular file.
func regularTarget(path string) (to string, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	if err == nil {
		if !info.Mode().IsRegular() {
			return "", 0, nil
		}
		to, err = filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) { // as /dev/stdout does if its file was removed
			return "", 0, nil
		}
		return to, info.Mode().Perm(), err
	}
	const mostLinks = 40
	to = path
	for range mostLinks {
		target, linkErr := os.Readlink(to)
		if linkErr != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(to), target)
		}
		to = target
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return to, 0o644, err
}

// writeInto writes into what is there.
func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(Buffered(f, write), f.Close())
}

// behindLink is the directory that dir leads to if it is a link, else dir: where results are kept behind a
// link they are written there, and the link stays.
func behindLink(dir string) string {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return dir
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}

// irregular says whether there is something of that name that a rename must not replace.
func irregular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}
