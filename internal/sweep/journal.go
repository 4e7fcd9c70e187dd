package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is what a journal needs of a file.
type File interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
}

// Journal takes cells as they finish, from several goroutines.
//
// Each line is one write, so that what is lost when the process is killed is what it had not finished. A line
// is on the disk when a second has gone since the last that was, and all are when the journal is closed: what
// a power cut takes is a second's work.
type Journal struct {
	header *Header
	now    func() time.Time

	mu     sync.Mutex
	file   File
	size   int64
	synced time.Time
	err    error
}

// syncEvery is how much work a power cut may take.
const syncEvery = time.Second

// start writes the header of an empty journal, or goes on after what is whole of another.
func start(f File, h *Header, good int64, now func() time.Time) (*Journal, error) {
	j := &Journal{header: h, now: now, file: f, size: good, synced: now()}
	if err := f.Truncate(good); err != nil {
		return nil, err
	}
	if good > 0 {
		return j, nil
	}
	if err := j.write(line(h, 0)); err != nil {
		return nil, err
	}
	return j, f.Sync()
}

// Append adds a cell. After an error nothing is added any more, and it is returned again.
func (j *Journal) Append(c *Cell) error {
	text := line(c, j.header.seal())
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.write(text)
	}
	if at := j.now(); j.err == nil && at.Sub(j.synced) >= syncEvery {
		j.err = j.file.Sync()
		j.synced = at
	}
	return j.err
}

// write writes a line, or takes back what was written of it.
func (j *Journal) write(text []byte) error {
	n, err := j.file.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(n)
	return nil
}

// Err is the first error of Append.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// OnDisk is a journal in a file that no other process has.
type OnDisk struct {
	*Journal
	file *os.File
	// Cells were there when it was opened.
	Cells []Cell
	// Torn is the number of the last line if it was torn, else 0.
	Torn int
}

// ErrBusy is a journal that another process is writing.
var ErrBusy = errors.New("another simrun is writing it")

// Open opens a journal to go on with it, or begins one. The error is *Damage, ErrBusy or of the file system.
func Open(path string, h *Header, now func() time.Time) (_ *OnDisk, err error) {
	f, err := locked(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	o := &OnDisk{file: f}
	cells, good, err := Read(path, data, h)
	if err != nil {
		return nil, err
	}
	o.Cells = cells
	if good < len(data) {
		o.Torn = bytes.Count(data[:good], []byte("\n")) + 1
	}
	if o.Journal, err = start(f, h, int64(good), now); err != nil {
		return nil, err
	}
	return o, syncDir(filepath.Dir(path))
}

// locked opens a file that stays the one of that name, and locks it.
func locked(path string) (*os.File, error) {
	const tries = 20
	for range tries {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return f, nil
		}
		_ = f.Close() // it was renamed between opening and locking
	}
	return nil, fmt.Errorf("%s: %w", path, ErrBusy)
}

// syncDir has the name of a new file on the disk, where that can be had.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) {
		_ = err // some file systems cannot
	}
	return d.Close()
}

// Sync has everything on the disk.
func (o *OnDisk) Sync() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return errors.Join(o.err, o.file.Sync())
}

// Close closes the file; another process may have it then. It is called once.
func (o *OnDisk) Close() error { return errors.Join(o.Sync(), o.file.Close()) }
