package report

import (
	"io"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// CompareText writes variants of a scenario against one of them, on the same seeds: what each variant
// changes; the rows that were named before the runs, with a verdict each; the others, without; what should
// never happen, which medians hide; how the expectations of each fared; how the numbers were come by; and
// what it comes to, on the last lines. Of more than two variants the medians stand side by side, and each
// has tables of its own under them.
func CompareText(w io.Writer, c *result.Comparison, opt TextOptions) error {
	p := &page{opt: opt}
	p.comparison(c)
	return p.flush(w)
}

// comparison writes all of it.
func (p *page) comparison(c *result.Comparison) {
	p.comparedHeader(c)
	p.comparedVariants(c)
	p.comparedBody(c)
}

// comparedBody writes all but what was compared: the numbers, and what they come to.
func (p *page) comparedBody(c *result.Comparison) {
	if len(c.Seeds) > 0 {
		p.comparedOverview(c)
		for v := range c.Variants {
			if v != c.Reference {
				p.comparedPair(c, v)
			}
		}
		p.comparedEvents(c)
		p.comparedExpectations(c)
		p.comparedPrecision(c.Precision)
		p.comparedWarnings(c)
		p.comparedMethod(c)
	}
	p.gap()
	for _, v := range comparedVerdicts(c) {
		p.wrapped("", v.text, 2, v.ink)
	}
}

// comparedHeader says what was run, and how often.
func (p *page) comparedHeader(c *result.Comparison) {
	p.fields(comparedHead(c))
	p.wrapped("", c.Story, 0, dim)
	p.wrapped("", comparedMissing(c), 0, doubtful)
}

// comparedHead are the parts of the heading.
func comparedHead(c *result.Comparison) []string {
	seeds := plural(int64(len(c.Seeds)), "paired seed")
	if len(c.Seeds) > 1 {
		seeds += " (" + listed(strings.Split(seedRanges(c.Seeds), ","), 6) + ")"
	}
	return []string{
		c.Scenario, plural(int64(len(c.Variants)), "variant"), seeds, "common draws",
		lengthWords(c),
	}
}

// lengthWords say how long runs are: of all variants alike, or not.
func lengthWords(c *result.Comparison) string {
	least, most := c.DurationNS, c.DurationNS
	for i := range c.Variants {
		if ns := seedsOf(c, i).DurationNS; ns > 0 {
			least, most = min(least, ns), max(most, ns)
		}
	}
	if least == most {
		return seconds(most) + " each"
	}
	return seconds(least) + " to " + seconds(most) + " each"
}

// comparedMissing says of how many seeds there is no pair; empty if there is none.
func comparedMissing(c *result.Comparison) string {
	n := c.Asked - len(c.Seeds)
	if n <= 0 {
		return ""
	}
	lack := " lack"
	if n == 1 {
		lack = " lacks"
	}
	return strconv.Itoa(n) + " of " + plural(int64(c.Asked), "seed") + lack + " the run of some variant: all " +
		"numbers are of the others."
}

// comparedVariants says what each variant is.
func (p *page) comparedVariants(c *result.Comparison) {
	const widest = 16
	width := 0
	for _, v := range c.Variants {
		width = max(width, min(runes(v.Name), widest))
	}
	p.gap()
	for i, v := range c.Variants {
		lead := pad(v.Name, width, false) + "  "
		if runes(v.Name) > widest {
			p.line(p.paint(v.Name, bold))
			lead = strings.Repeat(" ", width+2)
		}
		for _, text := range variantWords(c, i) {
			p.wrapped(lead, text, width+2, plain)
			lead = strings.Repeat(" ", width+2)
		}
		for _, note := range v.Notes {
			p.wrapped(lead, note, width+2, doubtful)
		}
	}
}

// variantWords say what a variant changes.
func variantWords(c *result.Comparison, i int) []string {
	v := &c.Variants[i]
	var words []string
	if i == c.Reference {
		words = append(words, "the reference")
	}
	if v.Story != "" && v.Story != c.Story {
		words = append(words, strings.TrimSuffix(v.Story, "."))
	}
	if len(v.Settings) == 0 && v.Story == "" {
		words = append(words, "the scenario as it stands")
	}
	for _, s := range v.Settings {
		words = append(words, settingWords(s))
	}
	return words
}

// settingWords are a key that a variant has otherwise than the base.
func settingWords(s result.VariantSetting) string {
	switch {
	case s.Text == "":
		return s.Path + " is not set (base: " + s.Base + ")"
	case s.Base == "":
		return s.Path + " = " + s.Text
	}
	return s.Path + " = " + s.Text + " (base: " + s.Base + ")"
}

// comparedMethod says how the numbers were come by, and what may be read into them.
func (p *page) comparedMethod(c *result.Comparison) {
	named := comparedNamed(c)
	text := "Medians are over the seeds, nearest rank. A difference is the median of the differences seed by " +
		"seed, which need not be the difference of the medians; its interval is that of order statistics, at " +
		"least " + confidenceText(c) + ". "
	switch {
	case len(named) == 0:
		text += "No row was named, so none is tested."
	default:
		tests := plural(int64(len(named)), "row") + " named before the runs"
		if n := len(c.Variants) - 1; n > 1 {
			tests += " in " + strconv.Itoa(n) + " variants"
		}
		text += "p: signed ranks under flips of the signs, or signs alone if that is more, by Holm over the " +
			tests + "; a verdict needs at most " + strconv.FormatFloat(c.Alpha, 'g', 3, 64) + ". \"" +
			outcomeWords[result.OutcomeNone] + "\" is no proof of being alike. "
	}
	text += "What should not happen is tested by the seeds on which one of the two has more of it. Gain: " +
		"independent draws would need so many times the seeds to be as precise as the same luck in all " +
		"variants is."
	p.gap()
	p.wrapped("", text, 0, dim)
}

// comparedWarnings are those of the comparison, and those of the runs of each variant.
func (p *page) comparedWarnings(c *result.Comparison) {
	all := append([]string{}, c.Warnings...)
	var order []string
	of := map[string][]string{}
	for _, v := range c.Variants {
		if v.Set == nil {
			continue
		}
		for _, w := range v.Set.Warnings {
			if of[w] == nil {
				order = append(order, w)
			}
			of[w] = append(of[w], v.Name)
		}
	}
	for _, w := range order {
		if len(of[w]) < len(c.Variants) {
			w = listed(of[w], 4) + ": " + w
		}
		all = append(all, w)
	}
	r := &result.Run{Warnings: all}
	if set := c.Variants[c.Reference].Set; set != nil {
		r.NotModelled = set.NotModelled
	}
	p.warnings(r)
}
