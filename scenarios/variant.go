package scenarios

import (
	"fmt"
	"slices"
)

// BaseName is what the scenario as it stands is called among its variants.
const BaseName = "base"

// VariantInfo is a [variant.NAME] table in a list.
type VariantInfo struct {
	Name  string `json:"name"`
	Story string `json:"story,omitempty"`
}

// Misuse says that a file has a name that no scenario can have, or that an option asks of a scenario what it
// cannot give, whatever its value: releases of the Java client where no producer has one.
//
//nolint:errname // see Invalid
type Misuse struct{ Message string }

func (e *Misuse) Error() string { return e.Message }

// variant is what is laid over a scenario: a table of the file, flags, or both.
type variant struct {
	name string
	// table is that of the file; nil if flags alone make it.
	table *node
	// flags are --variant flags; the assignment begins behind the name.
	flags []*source
	// made are what other flags make of it.
	made []madeChange
	// over are flags that are laid over the variant, which to them is as inherited as the scenario.
	over []*source
	// changes are what it sets, in the order in which they are applied; adds are the tables that it adds, drops
	// those that it leaves out, each with its place.
	changes     []change
	adds, drops []change
}

// change is one thing that a variant does, with its place.
type change struct {
	path   string
	inside []string
	node   *node
	unset  bool
	// rank orders what two say of one path: first the file, then the flags in their order. star is true for an
	// address of several tables, which gives way to one of a single table.
	rank int
	star bool
}

// origin is what the effective scenario says of values of the variant.
func (v *variant) origin() string { return tableVariant + "." + v.name }

// inherits says whether a value is of what the variant is laid over, or what is laid over the variant is.
func (v *variant) inherits(n *node) bool {
	if len(v.over) == 0 {
		return n.origin == ""
	}
	return !slices.ContainsFunc(v.over, func(src *source) bool { return src.name == n.origin })
}

// LoadVariants reads the variants of a scenario: "base", which is the scenario as it stands, and what the
// options ask for, all of the file by default, in this order. Of releases and policies each one is a variant,
// or each combination; base is left out then, and so are those of the file that no --variant flag names. The
// error is that of [Load]; *Invalid has what is wrong with any of them.
func LoadVariants(ref string, opt Options) ([]*Scenario, error) {
	in, err := find(ref, opt)
	if err != nil {
		return nil, err
	}
	return in.variants("", false)
}

// LoadNamed reads the variants that --variant flags name, in their order, each to be run by itself: "base"
// only if one of them is that, and the scenario as it stands if there is no flag. The error is that of
// [Load].
func LoadNamed(ref string, opt Options) ([]*Scenario, error) {
	if len(opt.Variants)+len(opt.Over) == 0 {
		s, err := Load(ref, opt)
		if err != nil {
			return nil, err
		}
		return []*Scenario{s}, nil
	}
	in, err := find(ref, opt)
	if err != nil {
		return nil, err
	}
	list, err := in.variants("", true)
	for _, s := range list {
		if s.Variant == BaseName {
			s.Variant = "" // alone it is no variant
		}
	}
	return list, err
}

// variants reads the variants that the options ask for, or the scenario as it stands and one of a name, or
// those that flags name.
func (in *input) variants(only string, named bool) ([]*Scenario, error) {
	l, err := in.open()
	if err != nil {
		return nil, err
	}
	if b := in.opt.Base; b != nil && len(in.opt.Variants) == 0 && len(in.opt.Over) > 0 {
		return l.overBase(b)
	}
	base := l.scenario()
	base.Warnings = l.sorted()
	base.Variant = BaseName
	valid := countErrors(base.Warnings) == 0
	p := &plan{l: l, base: base, only: only, alone: named, valid: valid}
	defs, err := p.variants()
	if err != nil {
		return nil, err
	}
	problems := l.sorted() // and those of the flags
	var list []*Scenario
	for _, v := range defs {
		v.over = l.overFlags()
		if v.name == BaseName && len(v.over) == 0 {
			list = append(list, base)
			continue
		}
		vl, err := in.open()
		if err != nil {
			return nil, err
		}
		s := vl.asVariant(v, base, valid)
		problems = append(problems, vl.told(base.Warnings, valid)...)
		list = append(list, s)
	}
	problems = sortProblems(problems)
	if countErrors(problems) > 0 {
		return nil, &Invalid{Name: in.file, Problems: problems}
	}
	if len(l.opt.Over) > 0 {
		return list, nil // they may well be the same as another
	}
	first := make(map[string]*Scenario) // by key
	for i, s := range list {
		key := s.Key()
		if same := first[key]; same != nil {
			s.VariantWarnings = append(s.VariantWarnings, sameAs(l, defs[i], same.Variant))
			continue
		}
		first[key] = s
	}
	return list, nil
}

// overBase reads what is laid over a scenario that is known already.
func (l *loader) overBase(base *Scenario) ([]*Scenario, error) {
	s := l.asVariant(&variant{name: BaseName, over: l.overFlags()}, base, true)
	problems := sortProblems(l.told(base.Warnings, true))
	if countErrors(problems) > 0 {
		return nil, &Invalid{Name: l.in.file, Problems: problems}
	}
	return []*Scenario{s}, nil
}

// sameAs warns of a variant that is the same as another one.
func sameAs(l *loader, v *variant, other string) Problem {
	src, sp := v.place(l)
	message := fmt.Sprintf("variant %s is the same as %s", v.name, other)
	if other == BaseName {
		message = fmt.Sprintf("variant %s changes nothing", v.name)
	}
	p := src.problem(sp, v.origin(), message)
	p.Warning = true
	return p
}

// place is where the variant begins.
func (v *variant) place(l *loader) (*source, span) {
	switch {
	case v.table != nil:
		return v.table.src, v.table.at
	case len(v.flags) > 0:
		return v.flags[0], span{0, len(v.flags[0].text)}
	case len(v.made) > 0:
		return v.made[0].src, span{0, len(v.made[0].src.text)}
	case len(v.over) > 0:
		return v.over[0], span{0, len(v.over[0].text)}
	}
	return l.src, span{}
}

// asVariant reads the scenario with a variant laid over it.
func (l *loader) asVariant(v *variant, base *Scenario, valid bool) *Scenario {
	c := *v
	l.variant, l.base = &c, base
	s := l.scenario()
	if valid {
		l.charge(base.Warnings)
	}
	s.Warnings = l.sorted()
	s.Variant = v.name
	if v.table != nil {
		s.VariantStory = storyOf(v.table)
	}
	s.Notes = l.notes
	s.Differs = differences(base, s)
	for _, p := range l.doubts {
		s.VariantWarnings = append(s.VariantWarnings, *p)
	}
	return s
}

// variantsOf are the variants of a file; names that are none are left out.
func variantsOf(root *node) []VariantInfo {
	list := []VariantInfo{}
	for _, t := range variantTables(root) {
		list = append(list, VariantInfo{Name: t.name, Story: storyOf(t)})
	}
	return list
}

// variantTables are the tables of the variants whose names are good.
func variantTables(root *node) (tables []*node) {
	parent := root.child(tableVariant)
	if parent == nil || parent.kind != nodeTable {
		return nil
	}
	for _, f := range parent.fields {
		if f.kind == nodeTable && isName(f.name) && f.name != BaseName {
			tables = append(tables, f)
		}
	}
	return tables
}

// variantStory is the key of a variant that is none of the scenario.
const variantStory = "story"

func storyOf(table *node) string {
	if n := table.child(variantStory); n != nil {
		text, _ := n.scalar.(string)
		return text
	}
	return ""
}

// maxVariants bounds the variants of one file, and those that flags make.
const maxVariants = 100

// checkVariants reports what stands under [variant] and is none.
func (l *loader) checkVariants(parent *node) {
	if l.variant != nil {
		return // reported for the scenario as it stands
	}
	const want = "[variant.NAME]"
	switch {
	case parent.doubled:
		p := l.failKey(parent, "[[variant]] is a list of tables; each variant has a name instead")
		p.Hint = "write " + want
		return
	case parent.kind != nodeTable:
		l.fail(parent, "variant is %s; it must be a table, %s", parent.describe(), want)
		return
	case len(parent.fields) > maxVariants:
		l.failKey(parent, "the scenario has %d variants; there can be %d", len(parent.fields), maxVariants)
	}
	for _, f := range parent.fields {
		switch {
		case f.doubled:
			l.failKey(f, "[[%s]] is a list of tables; a variant is one table", f.path)
		case f.kind != nodeTable:
			l.fail(f, "%s is %s; it must be a table, %s", f.path, f.describe(), want)
		case f.name == BaseName:
			l.failKey(f, "a variant cannot be called %q; that is the scenario as it stands", f.name)
		case !isName(f.name):
			l.failKey(f, "%q is not a name; letters, digits, - and _ are, at most %d of them", f.name, maxName)
		default:
			if n := f.child(variantStory); n != nil {
				l.text(n, "a text in quotes that says what the variant is about")
			}
		}
	}
}
