package ensemble

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// fewestSeeds is what an interval of 95 % takes.
const fewestSeeds = 6

// warnings say what to doubt in a comparison.
func (c *comparing) warnings(out *result.Comparison) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch n, tests := len(c.seeds), plural(len(c.named)*(len(c.variants)-1), "test"); {
	case n < fewestSeeds:
		say("%s: there is no interval below %d, and a verdict of %s takes at least %d", plural(n, "seed"),
			fewestSeeds, tests, out.SeedsNeeded)
	case n < out.SeedsNeeded:
		say("%s: a verdict of %s takes at least %d", plural(n, "seed"), tests, out.SeedsNeeded)
	}
	if left := c.leftOut(); len(left) > 0 {
		say("left out, for not every variant has a whole run of it: %s", seedList(left))
	}
	list = append(list, c.otherTimes()...)
	list = append(list, c.otherPlaces()...)
	for i := range c.variants {
		if v := &c.variants[i]; i != c.opt.Reference && c.alike(v) {
			say("%s made the same runs as %s, to the last message: %s", v.Name, c.reference.Name, c.sameBut(v))
		}
	}
	return list
}

// sameBut says what may differ though the runs are the same: what is counted.
func (c *comparing) sameBut(v *variant) string {
	if v.members[0].run.WarmupNS != c.reference.members[0].run.WarmupNS {
		return "what differs is which part of them counts"
	}
	return "what it sets changes nothing here"
}

// leftOut are the seeds of any variant that are not compared.
func (c *comparing) leftOut() []uint64 {
	var out []uint64
	for _, v := range c.variants {
		for _, m := range v.Members {
			if m != nil && !slices.Contains(c.seeds, m.Seed()) && !slices.Contains(out, m.Seed()) {
				out = append(out, m.Seed())
			}
		}
	}
	slices.Sort(out)
	return out
}

// seedList names the first few of many seeds.
func seedList(seeds []uint64) string {
	const most = 12
	var names []string
	for _, s := range seeds[:min(len(seeds), most)] {
		names = append(names, strconv.FormatUint(s, 10))
	}
	text := "seed " + strings.Join(names, ", ")
	if len(seeds) > 1 {
		text = "seeds " + strings.Join(names, ", ")
	}
	if rest := len(seeds) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// otherTimes names variants that do not run, or warm up, as long as the reference.
func (c *comparing) otherTimes() []string {
	var list []string
	base := c.reference.members[0].run
	for i := range c.variants {
		r, name := c.variants[i].members[0].run, c.variants[i].Name
		if r.DurationNS != base.DurationNS {
			list = append(list, fmt.Sprintf("%s runs for %s, %s for %s: counts are of different times", name,
				seconds(r.DurationNS), c.reference.Name, seconds(base.DurationNS)))
		} else if r.WarmupNS != base.WarmupNS {
			list = append(list, fmt.Sprintf("%s warms up for %s, %s for %s: counts are of different times", name,
				seconds(r.WarmupNS), c.reference.Name, seconds(base.WarmupNS)))
		}
	}
	return list
}

// seconds writes nanoseconds for people.
func seconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', -1, 64) + "s" }

// otherPlaces names phases and faults that not all variants have, and phases that are not at the same time.
func (c *comparing) otherPlaces() []string {
	var list []string
	for _, kind := range []struct {
		noun string
		of   func(*variant) []string
	}{
		{"phase", func(v *variant) []string { return v.places.Phases }},
		{"fault", func(v *variant) []string { return v.places.Faults }},
	} {
		var names []string
		for i := range c.variants {
			for _, n := range kind.of(&c.variants[i]) {
				if !slices.Contains(names, n) {
					names = append(names, n)
				}
			}
		}
		for _, n := range names {
			var has, lack []string
			for i := range c.variants {
				if v := &c.variants[i]; slices.Contains(kind.of(v), n) {
					has = append(has, v.Name)
				} else {
					lack = append(lack, v.Name)
				}
			}
			switch {
			case len(lack) == 0 || c.goesWithout(n):
			case slices.Contains(lack, c.reference.Name):
				list = append(list, fmt.Sprintf("%s %s is in %s, but not in %s: nothing of it is compared",
					kind.noun, n, strings.Join(has, ", "), c.reference.Name))
			default:
				list = append(list, fmt.Sprintf("%s %s is not in %s: nothing of it is compared there", kind.noun, n,
					strings.Join(lack, ", ")))
			}
		}
	}
	return append(list, c.movedPhases()...)
}

// goesWithout says whether a phase is missing somewhere because its fault is, which is told of the fault.
func (c *comparing) goesWithout(phase string) bool {
	fault, ok := strings.CutPrefix(phase, result.FaultPrefix)
	if !ok {
		fault, ok = strings.CutPrefix(phase, result.RecoveryPrefix)
	}
	return ok && slices.ContainsFunc(c.variants, func(v variant) bool {
		return !slices.Contains(v.places.Faults, fault)
	})
}

// movedPhases names phases that last longer or shorter than in the reference, where runs are as long.
func (c *comparing) movedPhases() []string {
	var list []string
	base := c.reference.members[0].run
	for i := range c.variants {
		r := c.variants[i].members[0].run
		if r.DurationNS != base.DurationNS || r.WarmupNS != base.WarmupNS {
			continue // said already
		}
		var moved []string
		for _, p := range r.Phases {
			for _, q := range base.Phases {
				if p.Name == q.Name && p != q {
					moved = append(moved, p.Name)
				}
			}
		}
		if len(moved) > 0 {
			list = append(list, fmt.Sprintf("of %s these phases are at another time than of %s: %s",
				c.variants[i].Name, c.reference.Name, strings.Join(moved, ", ")))
		}
	}
	return list
}

// alike says whether a variant and the reference made the same runs.
func (c *comparing) alike(v *variant) bool {
	for i, m := range v.members {
		if m.Digest() != c.reference.members[i].Digest() {
			return false
		}
	}
	return true
}
