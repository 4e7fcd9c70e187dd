package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/internal/trace"
	"simrun/model/config"
	"simrun/report"
	"simrun/report/store"
)

// tracer writes what happens in a run into a stage, from which its results are saved.
type tracer struct {
	dir   string
	cfg   *config.Config
	stage *store.Stage
	sinks trace.Sinks
}

// newSink are the ways to write each file.
var newSink = map[string]func(*config.Config, io.Writer, trace.Window) trace.Sink{
	report.SendsFile:      trace.Sends,
	report.FaultTableFile: trace.FaultTable,
	report.TraceFile:      trace.Chrome,
}

// open begins the files; the run calls it.
func (t *tracer) open() (experiment.Witness, error) {
	var err error
	if t.stage, err = store.OpenStage(t.dir); err != nil {
		return nil, err
	}
	for _, name := range report.Streams() {
		w, err := t.stage.Create(name)
		if err != nil {
			return nil, err
		}
		t.sinks = append(t.sinks, newSink[name](t.cfg, w, trace.Window{}))
	}
	return t.sinks, nil
}

// finish ends the files. The stage is for report.Save.
func (t *tracer) finish(run *result.Run) (*store.Stage, error) {
	if t == nil {
		return nil, nil
	}
	if err := t.sinks.Finish(run); err != nil {
		return t.stage, &store.IOError{Err: err}
	}
	return t.stage, nil
}

// discard removes what was not saved.
func (t *tracer) discard() {
	if t != nil && t.stage != nil {
		t.stage.Discard()
	}
}

// checker holds what would be written into a file against what is in it.
type checker struct {
	path   string
	file   *os.File
	in     *bufio.Reader
	have   []byte
	differ bool
}

func newChecker(dir, name string) (*checker, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return &checker{path: name, file: f, in: bufio.NewReaderSize(f, 64<<10)}, nil
}

// Write compares, and never fails.
func (c *checker) Write(p []byte) (int, error) {
	if !c.differ {
		c.have = slices.Grow(c.have[:0], len(p))[:len(p)]
		_, err := io.ReadFull(c.in, c.have)
		c.differ = err != nil || !bytes.Equal(c.have, p)
	}
	return len(p), nil
}

// close says whether the file was the same, up to its end.
func (c *checker) close() (same bool) {
	_, err := c.in.ReadByte()
	_ = c.file.Close() // it was only read
	return !c.differ && errors.Is(err, io.EOF)
}
