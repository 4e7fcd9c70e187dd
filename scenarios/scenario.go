package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"simrun/internal/result"
	"simrun/model"
	"simrun/sim"
)

// Scenario is a scenario that was read and found valid.
type Scenario struct {
	// Name is the file's name without .toml, or the shipped name.
	Name string
	// Path is the file as it was given; empty for a shipped scenario.
	Path string
	// Story is the first comment line of the file: what the scenario is about.
	Story string

	Config model.Config
	// Phases are in order of time: warm-up, before, then fault.NAME and recovery.NAME as they come;
	// "all" is last. Phases of faults that overlap do so too; an instant that several have is
	// owned by the fault that began last, and its messages count there only.
	Phases []result.Phase
	// Setup is the world in brief.
	Setup result.Setup
	// Expectations in the order of the file.
	Expectations []Expectation
	// Warnings are problems that do not keep the scenario from being run.
	Warnings []Problem
	// Beside are the files that Effective names and does not contain.
	Beside []Beside

	tables []*table
}

// Expectation is one [expect.NAME] table.
type Expectation struct {
	Name   string
	Metric result.Metric
	// Fault is an index into Config.Faults, -1 for a metric that is not about a fault.
	Fault int
	// Broker, Producer and Topic are indices into the Config; -1: all.
	Broker, Producer, Topic int
	// Phase is the name of the phase; empty if From and To bound a window of their own, or if the
	// metric is about a fault.
	Phase    string
	From, To sim.Time
	// Min and Max are inclusive limits in the metric's base unit; nil: none. One of them is set.
	Min, Max *float64
	// Skipped is true when its "for" does not hold: it then has no verdict.
	Skipped bool
	// Where is the window and breakdown in words: "during fault.power-cut", "fault power-cut".
	Where string
}

// Options change how a scenario is loaded.
type Options struct {
	// Set are the --set flags, KEY=VALUE; see the package documentation.
	Set []string
	// SetFrom, if not nil, names Set[i] in reports, where another flag than --set gave it: "--diff[1]". An
	// empty name, or none, is that of a --set flag.
	SetFrom []string
	// Seed replaces the scenario's seed.
	Seed *uint64
	// ReadFile reads the file of the scenario; [ReadScenario] if nil.
	ReadFile func(name string) ([]byte, error)
	// ReadBeside reads a file beside it; ReadFile if nil. If both are nil, [ReadRegular] is.
	ReadBeside func(name string) ([]byte, error)
}

// maxFile bounds the text of a scenario. An effective scenario may carry a long record.
const maxFile = 16 << 20

// Load reads a scenario. A ref with a slash or ending in .toml is a file, anything else the name of
// a shipped scenario. The error is *NotFound, *Invalid, or that of the file system.
func Load(ref string, opt Options) (*Scenario, error) {
	readBeside := opt.ReadFile
	if opt.ReadFile == nil {
		opt.ReadFile, readBeside = ReadScenario, ReadRegular
	}
	if opt.ReadBeside != nil {
		readBeside = opt.ReadBeside
	}
	l := &loader{
		opt: opt, bad: make(map[string]bool),
		standards: make(map[string]*node),
	}
	if !isFile(ref) {
		text, err := Source(ref)
		if err != nil {
			return nil, err
		}
		l.readBeside = func(name string) ([]byte, error) { return shipped.ReadFile(name) }
		l.besideName = func(name string) string { return name }
		return l.load(ref, "", ref+".toml", string(text))
	}
	text, err := opt.ReadFile(ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NotFound{Ref: ref, File: true, Nearest: nearestShipped(baseName(ref))}
	case err != nil:
		return nil, fmt.Errorf("scenario: %w", err)
	}
	l.besideName = func(name string) string { return filepath.Join(filepath.Dir(ref), name) }
	l.readBeside = func(name string) ([]byte, error) {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%q does not name a file beside the scenario", name)
		}
		return readBeside(filepath.Join(filepath.Dir(ref), name))
	}
	return l.load(strings.TrimSuffix(baseName(ref), ".toml"), ref, ref, string(text))
}

// isFile says whether a ref is a path rather than a shipped name.
func isFile(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".toml")
}

// baseName is the last part of a path, whichever slash it has.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// load reads a scenario's text.
func (l *loader) load(name, path, file, text string) (*Scenario, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	l.src = newSource(file, text)
	if len(text) > maxFile {
		p := l.src.problem(span{0, 0}, "",
			fmt.Sprintf("the file has more than %d MiB", maxFile>>20))
		return nil, &Invalid{Name: file, Problems: []Problem{p}}
	}
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		// The decoder would skip these two bytes, and all places would be wrong.
		p := l.src.problem(span{0, 0}, "", "the file is UTF-16; TOML is UTF-8")
		return nil, &Invalid{Name: file, Problems: []Problem{p}}
	}
	root, problem := parse(l.src)
	if problem != nil {
		return nil, &Invalid{Name: file, Problems: []Problem{*problem}}
	}
	l.root = root
	l.effective = strings.Contains(text, "\n"+effectiveMark) || strings.HasPrefix(text, effectiveMark)

	s := l.scenario()
	s.Name, s.Path, s.Story, s.Beside = name, path, story(text), l.beside
	problems := make([]Problem, len(l.problems))
	for i, p := range l.problems {
		problems[i] = *p
	}
	problems = sortProblems(problems)
	if countErrors(problems) > 0 {
		return nil, &Invalid{Name: file, Problems: problems}
	}
	s.Warnings = problems
	return s, nil
}

// story is the first comment line of a scenario, if it comes before everything else.
func story(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(line, effectiveMark) {
			return strings.TrimSpace(comment)
		}
		if line != "" {
			break
		}
	}
	return ""
}

// scenario reads all tables and what they mean together.
func (l *loader) scenario() *Scenario {
	l.addDefaults()
	l.readSets(l.opt.Set)
	l.checkTop()

	l.top = &table{kind: &schema[0], vals: map[string]*value{}}
	l.top = l.resolve(&schema[0], "", l.root)
	if l.opt.Seed != nil {
		v := l.top.vals["seed"]
		v.v, v.text = *l.opt.Seed, seedText(*l.opt.Seed)
	}
	tables := []*table{l.top}
	for i := range schema[1:] {
		tk := &schema[i+1]
		if !tk.named {
			if n := l.root.child(tk.name); n.kind == nodeTable {
				tables = append(tables, l.resolve(tk, "", n))
			}
			continue
		}
		for _, n := range l.tablesOf(tk.name) {
			tables = append(tables, l.resolve(tk, n.name, n))
		}
	}
	a := assembly{l: l, s: &Scenario{tables: tables}}
	a.assemble()
	return a.s
}
