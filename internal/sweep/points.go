package sweep

import (
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
	"simrun/scenarios"
)

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
	for _, values := range choices(b.params, p.Design, b.opt.Points, b.opt.Seed) {
		set, from := b.sets(values)
		sc, err := b.opt.Load(set, from)
		if err != nil {
			refused = append(refused, refusal{values, err})
			continue
		}
		for i, v := range values {
			fine[i][v] = true
		}
		key := keyOf(sc)
		if _, have := b.keys[key]; have {
			p.Alike++
			continue
		}
		b.keys[key] = len(p.Points)
		if key == base {
			p.Default = len(p.Points)
		}
		b.add(values, set, key, sc)
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

// keyOf is the key of a scenario, whatever its seed.
func keyOf(sc *scenarios.Scenario) string { return sc.WithSeed(0).Key() }

// add adds a point, its values as the scenario has them.
func (b *builder) add(values []choice, set []string, key string, sc *scenarios.Scenario) {
	point := result.SweepPoint{Key: key, Set: set}
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

// standing is the value that a scenario has: of several keys, that of the first.
func (f *param) standing(sc *scenarios.Scenario) string {
	t := f.targets[0]
	if t.op != "" {
		return "1"
	}
	return orNothing(sc.Settings(t.address)[0].Text)
}

// sets are the --set flags for the values of a point, and the flags that they come from. What changes a value
// as a whole comes before what sets a part of it.
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
	for i, f := range b.params {
		for _, t := range f.targets {
			x, _ := plainNumber(values[i].text)
			for _, s := range b.plan.Base.Settings(t.address) {
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
		text, _ := c.change.apply(c.setting.Text)
		set, from = append(set, c.setting.Path+"="+text), append(from, c.name)
	}
	for i, f := range b.params {
		for _, t := range f.targets {
			if t.op == "" {
				set, from = append(set, t.address+"="+values[i].text), append(from, f.name)
			}
		}
	}
	return set, from
}

// refusal is a point that the scenario refuses.
type refusal struct {
	values []choice
	err    error
}

// refuse reports points that the scenario refuses: a value that no point has is a mistake of its flag, the
// others are of several flags together. Only those of the second kind can be skipped.
func (b *builder) refuse(refused []refusal, fine []map[choice]bool) {
	told := map[string]bool{}
	for _, r := range refused {
		alone := false
		for i, f := range b.params {
			if fine[i][r.values[i]] {
				continue
			}
			if v := f.name + "=" + r.values[i].text; !told[v] {
				told[v] = true
				alone = b.value(f, r.values[i]) || alone
			} else {
				alone = true
			}
		}
		switch {
		case alone:
		case b.opt.SkipInvalid:
			b.plan.Skipped++
		default:
			b.point(r)
		}
	}
}

// value reports a value that no point has, if the scenario refuses it by itself.
func (b *builder) value(f *param, v choice) bool {
	alone := builder{opt: b.opt, plan: b.plan, params: []*param{f}}
	_, err := b.opt.Load(alone.sets([]choice{v}))
	first, last := 0, len(f.text)
	if f.span != nil {
		first, last = f.span.from, f.span.to
	}
	if v.level >= 0 {
		first, last = f.levels[v.level].from, f.levels[v.level].to
	}
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
	if problemsOf(r.err) == nil {
		b.problems = append(b.problems, scenarios.Problem{
			File: "the point " + strings.Join(said, ", "), Message: fmt.Sprint(r.err),
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
