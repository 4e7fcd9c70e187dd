// Package conformance replays decisions recorded from RocketMQ's own classes and compares them
// with package strategy's, one by one.
//
// A directory of recordings has two parts: selector/ holds choices of queues and states of the
// fault table, send-loop/ whole synchronous sends. Every file is a sequence of JSON objects, one
// case a line, plain (.jsonl) or compressed (.jsonl.gz). The formats are those of selectorCase and
// sendCase.
//
// Each comparison is a decision. A case ends at its first disagreement, for what follows would be
// judged from another state; the decisions left in it count as not reproduced.
package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"simrun/strategy"
)

// Report is what came of a replay.
type Report struct {
	Decisions  int // recorded
	Reproduced int
	Files      int
	Releases   []string // sorted
	// Problems are the disagreements, and the lines that could not be replayed.
	Problems []Problem
}

// Problem is one place where the replay and the recording part.
type Problem struct {
	File string
	Line int // from 1
	Text string
}

// String is the place and the text.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// OK says whether something was replayed and everything agreed.
func (r Report) OK() bool {
	return len(r.Problems) == 0 && r.Decisions > 0 && r.Reproduced == r.Decisions
}

// String is the line that ends a replay.
func (r Report) String() string {
	return fmt.Sprintf("conformance: %d of %d decisions, %d releases, %d files",
		r.Reproduced, r.Decisions, len(r.Releases), r.Files)
}

// errNoFile: a directory without recordings proves nothing.
var errNoFile = errors.New("no *.jsonl or *.jsonl.gz in selector/ or send-loop/")

// errNoDirectory says why a directory cannot be looked into, without the "." it is in an fs.FS.
func errNoDirectory(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the directory does not exist")
	}
	return fmt.Errorf("the directory cannot be read: %w", err)
}

// Run replays every recording of a directory. An error means that there is no directory or no file
// in it; disagreements, and files that cannot be read to their end, are in the report.
func Run(dir fs.FS) (Report, error) {
	var rep Report
	if _, err := fs.Stat(dir, "."); err != nil {
		return rep, errNoDirectory(err)
	}
	for _, part := range []struct {
		name   string
		replay func(line []byte) (verdict, error)
	}{
		{"selector", replaySelector},
		{"send-loop", replaySends},
	} {
		files, err := recordings(dir, part.name)
		if err != nil {
			return rep, err
		}
		for _, file := range files {
			rep.file(dir, file, part.replay)
		}
	}
	if rep.Files == 0 {
		return rep, errNoFile
	}
	slices.Sort(rep.Releases)
	return rep, nil
}

// recordings lists the files of one part, sorted; a part that does not exist has none.
func recordings(dir fs.FS, part string) ([]string, error) {
	plain, err := fs.Glob(dir, part+"/*.jsonl")
	if err != nil {
		return nil, err
	}
	packed, err := fs.Glob(dir, part+"/*.jsonl.gz")
	if err != nil {
		return nil, err
	}
	files := append(plain, packed...)
	slices.Sort(files)
	return files, nil
}

// verdict is what came of one case.
type verdict struct {
	version    string // "" if there is no such release
	decisions  int
	reproduced int
	problem    string // "" if all agreed
}

// file replays one file line by line. One that cannot be read to its end is a problem of its own;
// the cases before that place count.
func (r *Report) file(dir fs.FS, name string, replay func([]byte) (verdict, error)) {
	r.Files++
	cases, last, err := r.cases(dir, name, replay)
	switch {
	case err != nil:
		text := fmt.Sprintf("the file cannot be read from here on: %v", err)
		r.Problems = append(r.Problems, Problem{name, last, text})
	case cases == 0:
		r.Problems = append(r.Problems, Problem{name, 1, "the file holds no case"})
	}
}

// cases replays the cases of a file: how many there are, and the line at which reading ended.
func (r *Report) cases(
	dir fs.FS, name string, replay func([]byte) (verdict, error),
) (cases, last int, err error) {
	f, err := dir.Open(name)
	if err != nil {
		return 0, 1, err
	}
	defer func() { _ = f.Close() }() // read only
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return 0, 1, err
		}
		in = z
	}
	lines := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return cases, number, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			cases++
			r.line(name, number, line, replay)
		}
		if err == io.EOF {
			return cases, number, nil
		}
	}
}

// line replays one case.
func (r *Report) line(name string, number int, line []byte, replay func([]byte) (verdict, error)) {
	v, err := replay(line)
	r.Decisions += v.decisions
	r.Reproduced += v.reproduced
	if v.version != "" && !slices.Contains(r.Releases, v.version) {
		r.Releases = append(r.Releases, v.version)
	}
	if err != nil {
		r.Problems = append(r.Problems, Problem{name, number, err.Error()})
	}
	if v.problem != "" {
		r.Problems = append(r.Problems, Problem{name, number, v.problem})
	}
}

// decode reads one JSON value and nothing after it. A field that v has no place for is an error
// that names it: what a recording says must not go unheard. All that v has a place for is filled in
// nevertheless.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one JSON value")
	}
	return nil
}

// base is the clock's time when a case begins, so that a start time of 0 ("never isolated") is not
// mistaken for the case's first millisecond.
const base strategy.Millis = 1_700_000_000_000

// names numbers the brokers of a case.
type names struct {
	list  []string
	index map[string]strategy.Broker
}

// add numbers a name, once.
func (n *names) add(name string) {
	if _, ok := n.index[name]; ok {
		return
	}
	if n.index == nil {
		n.index = map[string]strategy.Broker{}
	}
	n.index[name] = strategy.Broker(len(n.list))
	n.list = append(n.list, name)
}

// of is a name's number; the name was added before.
func (n *names) of(name string) strategy.Broker { return n.index[name] }

// ofMaybe is a name's number, NoBroker for null.
func (n *names) ofMaybe(name *string) strategy.Broker {
	if name == nil {
		return strategy.NoBroker
	}
	return n.index[*name]
}

// name is a number's name.
func (n *names) name(b strategy.Broker) string {
	if b == strategy.NoBroker {
		return "none"
	}
	return n.list[b]
}

// queue is a queue in the words of a recording.
func (n *names) queue(q strategy.Queue) queue {
	return queue{Broker: n.name(q.Broker), Queue: q.ID}
}

// queue is a recorded queue.
type queue struct {
	Broker string `json:"broker"`
	Queue  int32  `json:"queue"`
}

// String is broker/queue.
func (q queue) String() string { return fmt.Sprintf("%s/%d", q.Broker, q.Queue) }

// routeBroker is a recorded entry of a raw route.
type routeBroker struct {
	Broker      string `json:"broker"`
	WriteQueues int32  `json:"write_queues"`
	Writable    bool   `json:"writable"`
}

// route makes a Route of a recorded one.
func (n *names) route(brokers []routeBroker) *strategy.Route {
	raw := make([]strategy.RouteBroker, 0, len(brokers))
	for _, b := range brokers {
		raw = append(raw, strategy.RouteBroker{
			Broker: n.of(b.Broker), WriteQueueNums: b.WriteQueues, Writable: b.Writable,
		})
	}
	return strategy.NewRoute(raw)
}

// draws are the random values that a choice used, as Java's Random gave them.
type draws struct {
	SendWhichQueueStart *int32 `json:"send_which_queue_start"`
	WhichItemWorstStart *int32 `json:"which_item_worst_start"`
	SendWhichQueueReset *int32 `json:"send_which_queue_reset"`
}

// script is a Source that hands out recorded draws and notes what was asked for in vain.
type script struct {
	starts []int32
	resets []int32
	wrong  string
}

// load takes the draws of the next choice. Shuffles were not recorded: they decide between ties,
// of which the recordings have none.
func (s *script) load(d draws) {
	*s = script{starts: s.starts[:0], resets: s.resets[:0]}
	if d.SendWhichQueueStart != nil {
		s.starts = append(s.starts, *d.SendWhichQueueStart)
	}
	if d.WhichItemWorstStart != nil {
		s.starts = append(s.starts, *d.WhichItemWorstStart)
	}
	if d.SendWhichQueueReset != nil {
		s.resets = append(s.resets, *d.SendWhichQueueReset)
	}
}

// Int32 is the next recorded start of an index.
func (s *script) Int32() int32 {
	if len(s.starts) == 0 {
		s.wrong = "a start of an index was drawn that Java did not draw"
		return 0
	}
	v := s.starts[0]
	s.starts = s.starts[1:]
	return v
}

// Int31n is the next recorded reset of an index, or a step of a shuffle.
func (s *script) Int31n(n int32) int32 {
	if n != 1<<31-1 {
		return 0
	}
	if len(s.resets) == 0 {
		s.wrong = "a reset of an index was drawn that Java did not draw"
		return 0
	}
	v := s.resets[0]
	s.resets = s.resets[1:]
	return v
}

// problem says whether the choice drew other values than Java's.
func (s *script) problem() string {
	if s.wrong == "" && len(s.starts)+len(s.resets) > 0 {
		return "a random value that Java drew was not drawn"
	}
	return s.wrong
}
