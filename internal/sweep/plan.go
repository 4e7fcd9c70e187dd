package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
	"simrun/scenarios"
)

// MaxPoints bounds a plan: more are a slip of the keyboard.
const MaxPoints = 20_000

// Options say which points of which scenario are run how.
type Options struct {
	// Load loads the scenario with flags KEY=VALUE laid over it as it stands; from names each in problems.
	// Several goroutines call it. Loaded, if not nil, is told now and then how many points are loaded.
	Load   func(set, from []string) (*scenarios.Scenario, error)
	Loaded func(done, all int)
	// Params are the --param flags.
	Params []string
	// Design is the grid unless told otherwise; Points and Seed are those of a design that fills ranges.
	Design result.Design
	Points int
	Seed   uint64
	// Seeds are what each point is run with, Metrics the addresses of what is kept of a run.
	Seeds   []uint64
	Metrics []string
	// SkipInvalid leaves points out that the scenario refuses.
	SkipInvalid bool
	// Weigh, if not nil, says how much work a run of a scenario is.
	Weigh func(*scenarios.Scenario) float64
}

// Plan is a sweep before it is run.
type Plan struct {
	// Base is the scenario as it stands.
	Base *scenarios.Scenario
	// Key is 16 hex digits of the hash of all that decides what is run and what is kept of it.
	Key     string
	Design  result.Design
	Axes    []result.SweepAxis
	Points  []result.SweepPoint
	Default int
	Seeds   []uint64
	Metrics []string
	// Added: the default point is none of the design's. Alike counts points of the design that are others
	// once more, Skipped those that the scenario refuses.
	Added          bool
	Alike, Skipped int
	// Weights are by point, if somebody weighed them.
	Weights []float64

	load func(set, from []string) (*scenarios.Scenario, error)
}

// Load is the scenario of a point, with its own seed.
func (p *Plan) Load(point int) (*scenarios.Scenario, error) {
	if point == p.Default {
		return p.Base, nil
	}
	return p.load(p.Points[point].Set, nil)
}

// Cells is how many runs it takes.
func (p *Plan) Cells() int { return len(p.Points) * len(p.Seeds) }

// New makes a plan. Every point is loaded once. An error of type *scenarios.Invalid has everything that is
// wrong with the flags, and the points that the scenario refuses.
func New(opt Options) (*Plan, error) {
	base, err := opt.Load(nil, nil)
	if err != nil {
		return nil, err
	}
	if opt.Design == "" {
		opt.Design = result.DesignGrid
	}
	b := &builder{opt: opt, plan: &Plan{
		Base: base, Design: opt.Design, Default: -1, Seeds: opt.Seeds, Metrics: opt.Metrics, load: opt.Load,
	}}
	b.read()
	if b.ok() {
		b.points()
	}
	if b.err != nil {
		return nil, b.err
	}
	if !b.ok() {
		return nil, &scenarios.Invalid{Name: "the sweep of " + base.Name, Problems: b.problems}
	}
	b.finish()
	return b.plan, nil
}

// builder makes a plan.
type builder struct {
	parser
	opt    Options
	plan   *Plan
	params []*param
	keys   map[string]int // points by the key of their scenario
	chosen [][]choice     // by point
	// befores are scenarios that scales and shapes start from, by the flags that make them.
	befores map[string]*scenarios.Scenario
	// err is what kept a point from being loaded, other than that it is wrong.
	err error
	// refusedPoints are those that are not named one by one.
	refusedPoints int
}

func (b *builder) ok() bool { return len(b.problems) == 0 }

// read reads the flags and holds them against the design and the scenario.
func (b *builder) read() {
	size := 1
	owner := map[string]*param{}
	for i, text := range b.opt.Params {
		before := len(b.problems)
		f := b.parse(fmt.Sprintf("--param[%d]", i+1), text)
		b.params = append(b.params, f)
		if len(b.problems) > before {
			continue
		}
		b.addresses(f, owner)
		switch {
		case f.span == nil:
			size = min(size*len(f.levels), MaxPoints+1)
		case b.opt.Design == result.DesignGrid:
			b.fail(f, f.span.from, f.span.to, fmt.Sprintf("%q has no step", text[f.span.from:f.span.to]),
				"write a..b/step or a..b*factor, or fill the ranges with --design halton --points N")
		}
	}
	if b.opt.Design != result.DesignGrid {
		size = b.opt.Points
	}
	if b.ok() && size > MaxPoints {
		f := b.params[len(b.params)-1]
		hint := "take fewer values, or --design halton --points N"
		if b.opt.Design != result.DesignGrid {
			hint = "--points N takes fewer"
		}
		b.fail(f, 0, len(f.text), fmt.Sprintf("the sweep has more than %d points", MaxPoints), hint)
	}
}

// addresses checks that each key exists, that no other flag has it, and that what is done to it can be.
func (b *builder) addresses(f *param, owner map[string]*param) {
	for _, t := range f.targets {
		settings := b.plan.Base.Settings(t.address)
		if len(settings) == 0 {
			b.unknown(f, t)
			continue
		}
		for _, s := range settings {
			what := s.Path + "~" + t.op
			if o := owner[what]; o != nil {
				b.fail(f, t.from, t.to, fmt.Sprintf("%s sets %s, too", o.name, s.Path),
					"one flag with all values, or KEY&KEY=… to set several keys alike")
				break
			}
			owner[what] = f
			if t.op == "" {
				continue
			}
			_, ok := change{1, 1}.apply(s.Text)
			if isList := strings.HasPrefix(s.Text, "["); !ok || t.op == opShape && !isList {
				b.fail(f, t.from, t.to, fmt.Sprintf("%s is %s, of which there is nothing to ~%s", s.Path,
					orNothing(s.Text), t.op), "~scale takes numbers with or without units, ~shape lists of them")
				break
			}
		}
	}
}

func orNothing(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

// unknown has the scenario say what is wrong with an address.
func (b *builder) unknown(f *param, t target) {
	_, err := b.opt.Load([]string{t.address + "=0"}, []string{f.name})
	for _, p := range problemsOf(err) {
		if p.File == f.name {
			p = scenarios.FlagProblem(f.name, f.text, t.from+p.Col-1, t.from+p.Col-1+p.Width, p.Message, p.Hint)
			b.problems = append(b.problems, p)
			return
		}
	}
	b.fail(f, t.from, t.to, fmt.Sprintf("%q is no key of the scenario", t.address), paramForm)
}

// problemsOf are the errors of a scenario that was refused.
func problemsOf(err error) []scenarios.Problem {
	invalid, ok := err.(*scenarios.Invalid) //nolint:errorlint // Load wraps nothing
	if !ok {
		return nil
	}
	var out []scenarios.Problem
	for _, p := range invalid.Problems {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}

// finish fills in what follows from the points.
func (b *builder) finish() {
	p := b.plan
	for i, f := range b.params {
		p.Axes = append(p.Axes, b.axis(i, f))
	}
	for i := range p.Points {
		x := &p.Points[i]
		if i == p.Default {
			x.Set = nil
		}
		for a := range p.Axes {
			x.X = append(x.X, place(&p.Axes[a], x.Values[a]))
		}
	}
	digits := sha256.New()
	encoder := json.NewEncoder(digits)
	if err := encoder.Encode([]any{
		result.Schema, p.Base.Name, p.Design, p.Axes, p.Points, p.Default, p.Seeds, p.Metrics,
	}); err != nil {
		panic(err) // strings and finite numbers
	}
	p.Key = hex.EncodeToString(digits.Sum(nil))[:16]
}

// place is where a value lies on an axis.
func place(axis *result.SweepAxis, text string) float64 {
	if axis.Numeric {
		q, _ := scenarios.ParseQuantity(text)
		return q.Value
	}
	if i := slices.Index(axis.Levels, text); i >= 0 {
		return float64(i)
	}
	return float64(len(axis.Levels))
}
