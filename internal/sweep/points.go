package sweep

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"simrun/internal/result"
	"simrun/scenarios"
)

// loaded is a point of the design that was loaded, or refused.
type loaded struct {
	values    []choice
	set, from []string
	sc        *scenarios.Scenario
	key       string
	err       error
}

// points loads every point of the design, and adds the scenario as it stands if it is none of them.
func (b *builder) points() {
	p := b.plan
	b.keys = map[string]int{}
	var refused []refusal
	fine := make([]map[choice]bool, len(b.params)) // values that some point has, by axis
	for i := range fine {
		fine[i] = map[choice]bool{}
	}
	base := keyOf(p.Base)
	all := choices(b.params, p.Design, b.opt.Points, b.opt.Seed)
	const several = 256 // at once: a scenario takes some room
	for done := 0; done < len(all); done += several {
		list := b.load(all[done:min(done+several, len(all))])
		if b.opt.Loaded != nil {
			b.opt.Loaded(done+len(list), len(all))
		}
		for _, x := range list {
			if x.err != nil && problemsOf(x.err) == nil {
				b.err = x.err // it is not the scenario that is wrong
				return
			}
			if x.err != nil {
				refused = append(refused, refusal{x.values, x.err})
				continue
			}
			for i, v := range x.values {
				fine[i][v] = true
			}
			if _, have := b.keys[x.key]; have {
				p.Alike++
				continue
			}
			b.keys[x.key] = len(p.Points)
			if x.key == base {
				p.Default = len(p.Points)
			}
			b.add(x.values, x.set, x.key, x.sc)
		}
	}
	b.refuse(refused, fine)
	if p.Default < 0 {
		p.Default, p.Added = len(p.Points), true
		values := make([]choice, len(b.params))
		for i, f := range b.params {
			values[i] = choice{f.standing(p.Base), -1}
		}
		b.add(values, nil, base, p.Base)
	}
}

// load loads points on all CPUs, in their order.
func (b *builder) load(points [][]choice) []loaded {
	list := make([]loaded, len(points))
	for i, values := range points {
		list[i].values = values
		list[i].set, list[i].from = b.sets(values)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				x := &list[i]
				if x.sc, x.err = b.opt.Load(x.set, x.from); x.err == nil {
					x.key = keyOf(x.sc)
				}
			}
		})
	}
	workers.Wait()
	return list
}

// keyOf is the key of a scenario, whatever its seed.
func keyOf(sc *scenarios.Scenario) string { return sc.WithSeed(0).Key() }

// add adds a point, its values as the scenario has them.
func (b *builder) add(values []choice, set []string, key string, sc *scenarios.Scenario) {
	point := result.SweepPoint{Key: key, Set: set, Notes: b.notes(sc)}
	for i, f := range b.params {
		text := values[i].text
		if f.targets[0].op == "" {
			text = f.standing(sc)
		}
		point.Values = append(point.Values, text)
	}
	b.plan.Points = append(b.plan.Points, point)
	if b.opt.Weigh != nil {
		b.plan.Weights = append(b.plan.Weights, b.opt.Weigh(sc))
	}
	b.chosen = append(b.chosen, values)
}

// notes say what a point leaves out of what it inherits.
func (b *builder) notes(sc *scenarios.Scenario) []string {
	return slices.DeleteFunc(slices.Clone(sc.Notes), func(note string) bool {
		return slices.Contains(b.plan.Base.Notes, note)
	})
}

// standing is the value that a scenario has: of several keys, that of the first.
func (f *param) standing(sc *scenarios.Scenario) string {
	t := f.targets[0]
	if t.op != "" {
		return "1"
	}
	return orNothing(sc.Settings(t.address)[0].Text)
}

// sets are the flags for the values of a point, and the --param flags that they come from. What changes a
// value as a whole comes before what sets a part of it, and starts from what the point has otherwise: the
// arrays of its release.
func (b *builder) sets(values []choice) (set, from []string) {
	type changed struct {
		setting scenarios.Setting
		change  change
		name    string
	}
	var list []*changed
	at := func(s scenarios.Setting, name string) *changed {
		for _, c := range list {
			if c.setting.Path == s.Path {
				return c
			}
		}
		list = append(list, &changed{s, change{1, 1}, name})
		return list[len(list)-1]
	}
	sc := b.before(values)
	for i, f := range b.params {
		for _, t := range f.targets {
			x, _ := plainNumber(values[i].text)
			for _, s := range sc.Settings(t.address) {
				switch t.op {
				case opScale:
					at(s, f.name).change.scale = x
				case opShape:
					at(s, f.name).change.shape = x
				}
			}
		}
	}
	for _, c := range list {
		if text, ok := c.change.apply(c.setting.Text); ok && c.change != (change{1, 1}) {
			set, from = append(set, c.setting.Path+"="+text), append(from, c.name)
		}
	}
	plain, names := b.plain(values, func(*param) bool { return true })
	return append(set, plain...), append(from, names...)
}

// plain are the flags of the parameters that give values, and not numbers to change them by.
func (b *builder) plain(values []choice, wanted func(*param) bool) (set, from []string) {
	for i, f := range b.params {
		for _, t := range f.targets {
			if t.op == "" && wanted(f) {
				set, from = append(set, t.address+"="+values[i].text), append(from, f.name)
			}
		}
	}
	return set, from
}

// before is the scenario that scales and shapes of a point start from: that with all other settings that it
// has, but for those of the very values that they change.
func (b *builder) before(values []choice) *scenarios.Scenario {
	changed := b.paths((*param).changes)
	if len(changed) == 0 {
		return b.plan.Base
	}
	set, from := b.plain(values, func(f *param) bool {
		return !slices.ContainsFunc(b.paths(func(o *param) bool { return o == f }), func(path string) bool {
			return slices.ContainsFunc(changed, func(c string) bool { return within(c, path) || within(path, c) })
		})
	})
	if len(set) == 0 {
		return b.plan.Base
	}
	id := strings.Join(set, "\n")
	if sc := b.befores[id]; sc != nil {
		return sc
	}
	sc, err := b.opt.Load(set, from)
	if err != nil {
		sc = b.plan.Base // the point is refused for the same reason
	}
	const most = 64 // what a grid goes through before it comes back
	if b.befores == nil || len(b.befores) >= most {
		b.befores = map[string]*scenarios.Scenario{}
	}
	b.befores[id] = sc
	return sc
}

// changes says whether the flag changes values by numbers instead of giving them.
func (f *param) changes() bool {
	return slices.ContainsFunc(f.targets, func(t target) bool { return t.op != "" })
}

// paths are those of all settings that some flags are about.
func (b *builder) paths(of func(*param) bool) (list []string) {
	for _, f := range b.params {
		if !of(f) {
			continue
		}
		for _, t := range f.targets {
			for _, s := range b.plan.Base.Settings(t.address) {
				list = append(list, s.Path)
			}
		}
	}
	return list
}

// within says whether a path is another one or leads into its value.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// refusal is a point that the scenario refuses.
type refusal struct {
	values []choice
	err    error
}

// refuse reports points that the scenario refuses: a value that no point has is a mistake of its flag, the
// others are of several flags together. Only those of the second kind can be skipped. Of the values of one
// range the first is reported, and of points a few.
func (b *builder) refuse(refused []refusal, fine []map[choice]bool) {
	type place struct{ param, from, to int }
	told, together := map[place]*toldValues{}, map[string]bool{}
	points := 0
	for _, r := range refused {
		alone := false
		for i, f := range b.params {
			v := r.values[i]
			if fine[i][v] {
				continue
			}
			from, to := f.place(v)
			at := place{i, from, to}
			known, is := told[at], fmt.Sprint(i, "=", v.text)
			if known == nil && !together[is] {
				n := len(b.problems)
				if !b.value(f, v) {
					together[is] = true
					continue
				}
				known = &toldValues{problem: n, seen: map[string]bool{}}
				told[at] = known
			}
			if known != nil {
				known.seen[v.text], alone = true, true
			}
		}
		switch {
		case alone:
		case b.opt.SkipInvalid:
			b.plan.Skipped++
		default:
			const most = 5
			if points++; points <= most {
				b.point(r)
			} else {
				b.refusedPoints++
			}
		}
	}
	for _, t := range told {
		if n := len(t.seen) - 1; n > 0 {
			p := &b.problems[t.problem]
			p.Message += fmt.Sprintf(" (%d more of its values are refused)", n)
		}
	}
	if b.refusedPoints > 0 {
		b.problems = append(b.problems, scenarios.Problem{
			File: "the points", Message: fmt.Sprintf("%d more are refused", b.refusedPoints),
			Hint: "--skip-invalid leaves such points out",
		})
	}
}

// toldValues are values that stand at one place of a flag and are refused: of a range there are many.
type toldValues struct {
	problem int // of the first of them
	seen    map[string]bool
}

// place is where a value stands in its flag.
func (f *param) place(v choice) (from, to int) {
	switch {
	case v.level >= 0:
		return f.levels[v.level].from, f.levels[v.level].to
	case f.span != nil:
		return f.span.from, f.span.to
	}
	return 0, len(f.text)
}

// value reports a value that no point has, if the scenario refuses it by itself.
func (b *builder) value(f *param, v choice) bool {
	alone := builder{opt: b.opt, plan: b.plan, params: []*param{f}}
	_, err := b.opt.Load(alone.sets([]choice{v}))
	first, last := f.place(v)
	problems := problemsOf(err)
	for _, p := range problems {
		b.fail(f, first, last, p.Message, p.Hint)
	}
	return len(problems) > 0
}

// point reports a point whose values don't go together.
func (b *builder) point(r refusal) {
	var said []string
	for i, f := range b.params {
		said = append(said, f.param()+" = "+r.values[i].text)
	}
	for _, p := range problemsOf(r.err) {
		b.problems = append(b.problems, scenarios.Problem{
			File: "the point " + strings.Join(said, ", "), Path: p.Path, Message: p.Message,
			Hint: "--skip-invalid leaves such points out",
		})
	}
}

// axis describes a parameter.
func (b *builder) axis(i int, f *param) result.SweepAxis {
	p := b.plan
	x := result.SweepAxis{Param: f.param(), Log: f.log || f.span != nil && f.span.log}
	if f.span == nil {
		for l := range f.levels {
			at := slices.IndexFunc(b.chosen, func(c []choice) bool { return c[i].level == l })
			if at >= 0 { // else no point has it, or the scenario refuses them
				x.Levels = append(x.Levels, p.Points[at].Values[i])
			}
		}
	}
	x.Base = f.base(p.Base)
	var all []level
	for j := range p.Points {
		all = append(all, level{text: p.Points[j].Values[i]})
	}
	if list, ok := quantitiesOf(all); ok {
		x.Numeric, x.Unit = true, list[0].Unit()
		x.Levels = inOrder(x.Levels) // "unset" may have become any of them
		for _, q := range list {
			if q.Unit() == result.UnitPer { // a whole number among others
				x.Unit = result.UnitPer
			}
			x.Log = x.Log && q.Value > 0
		}
		x.Log = x.Log || f.span == nil && (geometric(x.Levels) || f.targets[0].op == opScale)
	}
	return x
}

// inOrder are levels on a scale from the least to the most.
func inOrder(levels []string) []string {
	value := func(text string) float64 {
		q, _ := scenarios.ParseQuantity(text)
		return q.Value
	}
	slices.SortStableFunc(levels, func(a, b string) int { return cmp.Compare(value(a), value(b)) })
	return slices.Compact(levels)
}

// base is the value of the scenario as it stands, if all keys have one.
func (f *param) base(sc *scenarios.Scenario) string {
	text := ""
	for i, t := range f.targets {
		for j, s := range sc.Settings(t.address) {
			now := orNothing(s.Text)
			if t.op != "" {
				now = "1"
			}
			if i+j > 0 && now != text {
				return ""
			}
			text = now
		}
	}
	return text
}

// geometric says whether levels rise by one factor.
func geometric(levels []string) bool {
	var all []level
	for _, text := range levels {
		all = append(all, level{text: text})
	}
	list, ok := quantitiesOf(all)
	if !ok || len(list) < 3 || list[0].Value <= 0 {
		return false
	}
	factor := list[1].Value / list[0].Value
	for i := 2; i < len(list); i++ {
		if r := list[i].Value / list[i-1].Value / factor; r < 0.99 || r > 1.01 {
			return false
		}
	}
	return true
}
