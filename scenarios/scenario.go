package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"simrun/internal/result"
	"simrun/model/config"
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

	Config config.Config
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

	// Variants are the [variant.NAME] tables of the file, in its order.
	Variants []VariantInfo
	// Variant is the name of the variant that this is, VariantStory what it is about, if it says so. A scenario
	// as it stands has none; among variants it is [BaseName].
	Variant, VariantStory string
	// Notes say which tables the variant adds or leaves out, and which inherited settings have no meaning in it
	// and were dropped.
	Notes []string
	// Differs are the settings that the variant has otherwise than the scenario as it stands, in the order of
	// the scenario. Defaults that follow from others are not among them.
	Differs []result.VariantSetting
	// VariantWarnings are about the variant as one of several: it changes nothing, say.
	VariantWarnings []Problem

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
	// Variant is the variant that Load reads, of the file or of Variants; "" and "base" are the scenario as it
	// stands.
	Variant string
	// Variants are the --variant flags: NAME:KEY=VALUE changes a variant or makes one, NAME picks one of the
	// file.
	Variants []string
	// Versions make a variant "java-V" of each release V of the Java client, BrokerVersions one "broker-V" of
	// each release of all brokers and name servers, Policies one of each rule that picks queues. Of several of
	// these, each value is combined with each.
	Versions, BrokerVersions, Policies []string
	// Over are KEY=VALUE flags that are laid over the scenario, or over each variant, as a variant is over a
	// scenario: "unset" takes a key away, and what was there before and has no meaning with them is dropped,
	// with a note. OverFrom, if not nil, names Over[i] in reports; a name that it lacks is "--over[1]".
	Over, OverFrom []string
	// NoExpect leaves the expectations out, and what is wrong with them if it is not their form.
	NoExpect bool
	// Base, if not nil, is what the other options make without Over: it saves reading it again for each Over of
	// many. It is of no use with Variants.
	Base *Scenario
	// Seed replaces the scenario's seed.
	Seed *uint64
	// ReadFile reads the file of the scenario; [ReadScenario] if nil.
	ReadFile func(name string) ([]byte, error)
	// ReadBeside reads a file beside it; ReadFile if nil. If both are nil, [ReadRegular] is.
	ReadBeside func(name string) ([]byte, error)
}

// maxFile bounds the text of a scenario. An effective scenario may carry a long record.
const maxFile = 16 << 20

// Load reads a scenario, or the variant of it that the options name. A ref with a slash or ending in .toml is
// a file, anything else the name of a shipped scenario. The error is *NotFound, *Invalid, *Misuse, or that of
// the file system.
func Load(ref string, opt Options) (*Scenario, error) {
	in, err := find(ref, opt)
	if err != nil {
		return nil, err
	}
	if opt.Variant != "" && opt.Variant != BaseName {
		list, err := in.variants(opt.Variant, false)
		if err != nil {
			return nil, err
		}
		return list[len(list)-1], nil
	}
	l, err := in.open()
	if err != nil {
		return nil, err
	}
	s := l.scenario()
	s.Warnings = l.sorted()
	if countErrors(s.Warnings) > 0 {
		return nil, &Invalid{Name: in.file, Problems: s.Warnings}
	}
	return s, nil
}

// input is the text of a scenario and where it is from.
type input struct {
	opt Options
	// name is that of the scenario, path that of its file (empty if it is shipped), file what problems call it.
	name, path, file string
	text             string
	readBeside       func(name string) ([]byte, error)
	besideName       func(name string) string
}

// find reads the text of a scenario.
func find(ref string, opt Options) (*input, error) {
	readBeside := opt.ReadFile
	if opt.ReadFile == nil {
		opt.ReadFile, readBeside = ReadScenario, ReadRegular
	}
	if opt.ReadBeside != nil {
		readBeside = opt.ReadBeside
	}
	if !isFile(ref) {
		text, err := Source(ref)
		if err != nil {
			return nil, err
		}
		return &input{
			opt: opt, name: ref, file: ref + ".toml", text: string(text),
			readBeside: func(name string) ([]byte, error) { return shipped.ReadFile(name) },
			besideName: func(name string) string { return name },
		}, nil
	}
	text, err := opt.ReadFile(ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NotFound{Ref: ref, File: true, Nearest: nearestShipped(baseName(ref))}
	case err != nil:
		return nil, fmt.Errorf("scenario: %w", err)
	}
	name := strings.TrimSuffix(baseName(ref), ".toml")
	if why := unfitName(name); why != "" {
		return nil, &Misuse{fmt.Sprintf("%q: a scenario is called as its file, and %s: rename it", ref, why)}
	}
	return &input{
		opt: opt, name: name, path: ref, file: ref,
		text:       strings.TrimPrefix(string(text), "\ufeff"),
		besideName: func(name string) string { return filepath.Join(filepath.Dir(ref), name) },
		readBeside: func(name string) ([]byte, error) {
			if !filepath.IsLocal(name) {
				return nil, fmt.Errorf("%q does not name a file beside the scenario", name)
			}
			return readBeside(filepath.Join(filepath.Dir(ref), name))
		},
	}, nil
}

// unfitName says why results cannot be stored in a directory of the name of a scenario, nor texts name it; ""
// if they can.
func unfitName(name string) string {
	switch {
	case strings.Trim(name, ".") == "":
		return fmt.Sprintf("%q names no directory for its results", name)
	case strings.EqualFold(name, "latest"):
		return "results/latest is the last results of any"
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Sprintf("%q has characters that cannot be printed", name)
	}
	return ""
}

// open parses the text. The error is *Invalid, of a text of which nothing else can be said.
func (in *input) open() (*loader, error) {
	l := &loader{
		opt: in.opt, in: in, src: newSource(in.file, in.text), bad: make(map[string]bool),
		readBeside: in.readBeside, besideName: in.besideName,
	}
	var problem *Problem
	fail := func(message string) {
		p := l.src.problem(span{0, 0}, "", message)
		problem = &p
	}
	switch {
	case len(in.text) > maxFile:
		fail(fmt.Sprintf("the file has more than %d MiB", maxFile>>20))
	case strings.HasPrefix(in.text, "\xff\xfe"), strings.HasPrefix(in.text, "\xfe\xff"):
		// The decoder would skip these two bytes, and all places would be wrong.
		fail("the file is UTF-16; TOML is UTF-8")
	default:
		l.root, problem = parse(l.src)
	}
	if problem != nil {
		return nil, &Invalid{Name: in.file, Problems: []Problem{*problem}}
	}
	l.effective = strings.Contains(in.text, "\n"+effectiveMark) || strings.HasPrefix(in.text, effectiveMark)
	return l, nil
}

// isFile says whether a ref is a path rather than a shipped name.
func isFile(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".toml")
}

// baseName is the last part of a path, whichever slash it has.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

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
	l.addTables()
	l.readSets(l.opt.Set)
	l.layOver()
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
	s := a.s
	s.Name, s.Path, s.Story, s.Beside = l.in.name, l.in.path, story(l.in.text), l.beside
	s.Variants = variantsOf(l.root)
	return s
}

// sorted are the problems by place.
func (l *loader) sorted() []Problem {
	problems := make([]Problem, len(l.problems))
	for i, p := range l.problems {
		problems[i] = *p
	}
	return sortProblems(problems)
}
