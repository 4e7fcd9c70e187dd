package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// stickyWriter remembers the first error and drops everything after it.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// print writes a text. An error is remembered.
func (s *stickyWriter) print(text string) { _, _ = s.Write([]byte(text)) }

// document writes a JSON document to stdout: as it is, or on a line of its own as one of several (NDJSON).
func (a *app) document(data []byte, lines bool) {
	if lines {
		var b bytes.Buffer
		if err := json.Compact(&b, data); err != nil {
			panic(err) // it was made here
		}
		data = append(b.Bytes(), '\n')
	}
	a.stdout.print(string(data))
}

// deafWriter writes and tells nobody of errors; whoever owns the stickyWriter does.
type deafWriter struct{ *stickyWriter }

func (d deafWriter) Write(p []byte) (int, error) {
	d.print(string(p))
	return len(p), nil
}

// console is stderr: messages, and on a terminal a progress bar below them. It may be used by several
// goroutines.
type console struct {
	mu      sync.Mutex
	w       io.Writer
	tty     bool
	columns int
	bar     *progressbar.ProgressBar

	barWidth int
}

func newConsole(e env) *console {
	c := &console{w: e.Stderr, tty: e.StderrTTY && e.Getenv("TERM") != "dumb", columns: e.Columns}
	if c.columns == 0 {
		c.columns = 80
	}
	return c
}

// errorf writes one line about what went wrong.
func (c *console) errorf(format string, args ...any) {
	c.printf("simrun: "+format+"\n", args...)
}

// interrupted tells that an interrupt has arrived. A terminal has echoed ^C just before.
func (c *console) interrupted(text string) {
	above := ""
	if c.tty {
		above = "\n"
	}
	c.printf("%sinterrupted: %s\n", above, text)
}

// printf writes a message, above the bar if there is one.
func (c *console) printf(format string, args ...any) {
	c.print(fmt.Sprintf(format, args...))
}

// print writes a text of one or more lines. Where stderr can't be written, there is nobody to tell.
func (c *console) print(text string) {
	c.data(func() { _, _ = io.WriteString(c.w, text) })
}

// Widths of the bar, and what stands around it: percent, brackets and two times.
const (
	barMargin  = 28
	barLeast   = 8
	barWidest  = 40
	barColumns = barMargin + barLeast // a terminal narrower than this gets no bar
	wordsLeast = 12                   // less room than this for words is none
)

// begin shows a bar that is full at total. Off a terminal, and on a tiny one, it does nothing.
func (c *console) begin(total time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tty || c.columns < barColumns {
		return
	}
	c.barWidth = min(max(c.columns/3, barLeast), barWidest)
	c.bar = progressbar.NewOptions64(int64(total),
		progressbar.OptionSetWriter(c.w),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetWidth(c.barWidth),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true),
	)
	_ = c.bar.RenderBlank()
}

// advance moves the bar to a simulated time, with words on where that is, as far as there is room.
func (c *console) advance(at time.Duration, words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		return
	}
	c.bar.Describe(cut(words, c.columns-c.barWidth-barMargin))
	_ = c.bar.Set64(int64(at))
}

// cut shortens words to a number of columns; too few are none.
func cut(words string, columns int) string {
	runes := []rune(words)
	switch {
	case columns < wordsLeast:
		return ""
	case len(runes) > columns:
		return string(runes[:columns-1]) + "…"
	}
	return words
}

// data writes something while the bar is out of the way.
func (c *console) data(write func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	write()
}

// clear takes the bar away.
func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// say writes what is worth knowing and no result to stderr, unless the user wants it quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		a.console.printf(format, args...)
	}
}
