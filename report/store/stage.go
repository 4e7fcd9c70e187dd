package store

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Stage is a new directory beside that of some results, in which their files are written before it is
// renamed: "<dir>.partial.*". Files that are too long for memory are written into it while they are
// made; [Save] adds the others. What a crash leaves of it is swept up later.
type Stage struct {
	dir     string
	streams []*stream
}

// OpenStage makes a stage for results that are to be in dir. Either give it to Save, or discard it.
func OpenStage(dir string) (*Stage, error) {
	dir = behindLink(filepath.Clean(dir))
	sweep(dir)
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, &IOError{err}
	}
	staged, err := os.MkdirTemp(parent, filepath.Base(dir)+PartialSuffix+".*")
	if err != nil {
		return nil, &IOError{err}
	}
	s := &Stage{dir: staged}
	if err := os.Chmod(staged, 0o755); err != nil { // MkdirTemp made it private
		s.Discard()
		return nil, &IOError{err}
	}
	return s, nil
}

// stream is a file of a stage that is written bit by bit.
type stream struct {
	path string // with slashes
	file *os.File
	*bufio.Writer
}

// streamBuffer is what is held of a stream before it is written.
const streamBuffer = 64 << 10

// Create begins a file, named with slashes. What is written to it is buffered up to the end; an error, which
// the disk being full is, comes back then at the latest.
func (s *Stage) Create(path string) (io.Writer, error) {
	to := filepath.Join(s.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return nil, &IOError{err}
	}
	f, err := os.Create(to)
	if err != nil {
		return nil, &IOError{err}
	}
	out := &stream{path: path, file: f, Writer: bufio.NewWriterSize(f, streamBuffer)}
	s.streams = append(s.streams, out)
	return out, nil
}

// Copy copies a file, if it exists, into the stage. Errors are *IOError.
func (s *Stage) Copy(name, from string) error {
	f, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &IOError{err}
	}
	defer f.Close() //nolint:errcheck // it was only read
	w, err := s.Create(name)
	if err != nil {
		return err
	}
	if _, err = io.Copy(w, f); err != nil {
		return &IOError{err}
	}
	return nil
}

// Discard removes the stage with all that is in it.
func (s *Stage) Discard() {
	_ = s.close()
	discard(s.dir)
}

// close writes what is left of the streams.
func (s *Stage) close() error {
	var errs []error
	for _, out := range s.streams {
		if out.file != nil {
			errs = append(errs, out.Flush(), out.file.Close())
			out.file = nil
		}
	}
	return errors.Join(errs...)
}

// write puts files into the stage.
func (s *Stage) write(files []File) error {
	for _, f := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Buffered has something written to w through a buffer.
func Buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, streamBuffer)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
