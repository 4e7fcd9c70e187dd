package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// outcomeWords are the verdicts of a table.
var outcomeWords = map[result.Outcome]string{
	result.OutcomeBetter:    "better",
	result.OutcomeWorse:     "worse",
	result.OutcomeDifferent: "differs",
	result.OutcomeNone:      "not shown",
	result.OutcomeFew:       "too few",
	result.OutcomeNoPairs:   none,
}

// outcomeInk is the colour of a verdict.
func outcomeInk(o result.Outcome) ink {
	switch o {
	case result.OutcomeBetter:
		return good
	case result.OutcomeWorse:
		return bad
	case result.OutcomeFew:
		return doubtful
	case result.OutcomeDifferent:
		return bold
	case result.OutcomeNone, result.OutcomeNoPairs:
	}
	return plain
}

// comparedLabels are what rows are called, by metric. A metric without one is called by its name.
var comparedLabels = map[string]string{
	"success_rate":               "success",
	"first_attempt_success_rate": "first attempt",
	"failed":                     "failed sends",
	"latency_mean":               "latency mean",
	"latency_p50":                "latency p50",
	"latency_p95":                "latency p95",
	"latency_p99":                "latency p99",
	"latency_p999":               "latency p99.9",
	"latency_max":                "latency max",
	"attempts_per_message":       "attempts/message",
	"amplification":              "amplification",
	"acked_lost":                 "acked, then lost",
	"extra_copies":               "duplicates",
	"outage_time":                "no success for",
	"time_below_99":              "below 99%",
	"worst_instance_outage":      "worst instance",
	"broker_imbalance":           "imbalance",
	"time_to_detect":             "detected by all",
	"time_to_avoid":              "avoided by all",
	"time_to_route_removal":      "route gone for all",
	"time_to_return":             "all returned",
	"starved_time":               "starved for",
}

// comparedLabel is what a row is called: with its phase if it is of another than all messages, with its fault
// if there are several.
func comparedLabel(c *result.Comparison, r *result.PairedRow) string {
	label := cmp.Or(comparedLabels[r.Metric], strings.ReplaceAll(r.Metric, "_", " "))
	switch {
	case r.Fault != "" && len(comparedFaults(c)) > 1:
		return label + ", " + r.Fault
	case r.Phase != "" && r.Phase != result.PhaseAll:
		return label + ", " + r.Phase
	}
	return label
}

// comparedFaults are those that any row is about.
func comparedFaults(c *result.Comparison) []string {
	var names []string
	for i := range c.Rows {
		if f := c.Rows[i].Fault; f != "" && !slices.Contains(names, f) {
			names = append(names, f)
		}
	}
	return names
}

// comparedNamed are the rows that were named before the runs.
func comparedNamed(c *result.Comparison) []*result.PairedRow {
	var rows []*result.PairedRow
	for i := range c.Rows {
		if c.Rows[i].Named {
			rows = append(rows, &c.Rows[i])
		}
	}
	return rows
}

// seedValueText is a median over seeds, as the tables of seeds show it.
func seedValueText(r *result.PairedRow, v result.SeedValue) string {
	return seedText(float64(v), func(x float64) string {
		if r.Fault != "" && r.Unit == result.UnitNS {
			return span(int64(x))
		}
		return valueText(r.Unit, x)
	})
}

// differenceTexts are the median of the differences and the ends of its interval, in the units of the metric:
// of shares in percentage points, of times in percent of the median of the reference if it has one, of the
// rest as they are. All have as many decimals as the largest needs. A percentage that nobody can picture,
// less than nothing or more than eleven times as much, gives way to the time itself.
func differenceTexts(r *result.PairedRow, reference result.SeedValue, d *result.Paired) (texts [2]string) {
	u := differenceUnit(r, float64(reference))
	ends := []float64{float64(d.Median)}
	if d.Low != nil && d.High != nil {
		ends = append(ends, float64(*d.Low), float64(*d.High))
	}
	if u.suffix == "%" && slices.ContainsFunc(ends, func(x float64) bool {
		return x < -100*u.of || x > 1000*u.of
	}) {
		u = differing{of: 1, span: true}
	}
	most := 0.0
	for _, x := range ends {
		if x = math.Abs(x) / u.of; !math.IsNaN(x) && !math.IsInf(x, 0) {
			most = max(most, x)
		}
	}
	texts[0], texts[1] = u.text(ends[0], most), none
	if len(ends) > 1 {
		texts[1] = u.text(ends[1], most) + " … " + u.text(ends[2], most)
	}
	return texts
}

// differing is the unit that differences of a row are shown in: of so much of the base unit.
type differing struct {
	of       float64
	suffix   string
	decimals int
	// span: a time, in the unit that suits it.
	span bool
}

func differenceUnit(r *result.PairedRow, reference float64) differing {
	switch {
	case r.Unit == result.UnitRatio:
		return differing{of: 0.01, suffix: "pp", decimals: 2}
	case r.Unit == result.UnitNS && reference > 0 && !math.IsInf(reference, 0):
		return differing{of: reference / 100, suffix: "%", decimals: 1}
	case r.Unit == result.UnitNS:
		return differing{of: 1, span: true}
	case r.Unit == result.UnitCount:
		return differing{of: 1}
	}
	return differing{of: 1, decimals: 3}
}

// text is a difference with as many decimals as the largest of its row needs for two digits, and as it needs
// itself to be told from 0.
func (u differing) text(d, most float64) string {
	sign := "+"
	if d < 0 {
		sign, d = "−", -d
	}
	switch {
	case math.IsNaN(d):
		return none
	case math.IsInf(d, 0):
		return sign + "∞"
	case d == 0:
		return "0"
	case u.span:
		return sign + span(int64(math.Round(d)))
	}
	const finest, large = 6, 1000
	places := u.decimals
	if most >= large {
		places = 0
	}
	for u.decimals > 0 && places < finest && most < 10*math.Pow10(-places) {
		places++
	}
	if u.suffix == "" && u.decimals == 0 && most < large && d != math.Trunc(d) {
		places = 1 // a median between two counts
	}
	text := strconv.FormatFloat(d/u.of, 'f', places, 64)
	for places < finest && strings.Trim(text, "0.") == "" {
		places++ // something is not nothing
		text = strconv.FormatFloat(d/u.of, 'f', places, 64)
	}
	whole, frac, ok := strings.Cut(text, ".")
	if whole = group(whole, ' '); ok {
		whole += "." + frac
	}
	return sign + whole + u.suffix
}

// signsText says in how many pairs the difference has the sign that most of those have that differ: "18/20
// lower". Where as many are alike both signs are told, if there are both: "30/100 lower, 26 higher", for then
// neither the median nor the count says which way the rest lies.
func signsText(d *result.Paired) string {
	of := "/" + strconv.Itoa(d.Pairs)
	most, least, word, other := d.Lower, d.Higher, " lower", " higher"
	if most < least {
		most, least, word, other = least, most, other, word
	}
	switch {
	case d.Pairs == 0:
		return none
	case most == 0:
		return strconv.Itoa(d.Equal) + of + " alike"
	case least > 0 && d.Equal >= most:
		return strconv.Itoa(most) + of + word + ", " + strconv.Itoa(least) + other
	}
	return strconv.Itoa(most) + of + word
}

// chanceText is a p: three decimals.
func chanceText(p *float64) string {
	const least = 0.001
	switch {
	case p == nil:
		return none
	case *p < least:
		return "<0.001"
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}

// gainText is how many times the seeds independent draws would need.
func gainText(gain *float64) string {
	const large = 10
	switch {
	case gain == nil:
		return none
	case *gain >= large:
		return "×" + count(int64(math.Round(*gain)))
	}
	return "×" + strconv.FormatFloat(*gain, 'f', 1, 64)
}

// leavesOutZero says whether a difference can be told from none, without a test: its interval has one sign,
// or without one all pairs have.
func leavesOutZero(d *result.Paired) bool {
	if d.Low == nil || d.High == nil {
		return d.Pairs > 1 && (d.Lower == d.Pairs || d.Higher == d.Pairs)
	}
	return *d.Low > 0 || *d.High < 0
}

// luckLeavesOut is how likely, at most, a difference can be told from none by [leavesOutZero] if luck alone
// decides its signs. Equal values can only make it less likely.
func luckLeavesOut(d *result.Paired) float64 {
	switch {
	case d.Pairs < 2:
		return 0
	case d.Low == nil || d.High == nil:
		return math.Ldexp(1, 1-d.Pairs)
	}
	return 1 - d.Confidence
}

// atMostAbout is an expected number that is not exceeded.
func atMostAbout(x float64) string {
	if x < 1 {
		return "less than one"
	}
	return "up to about " + count(int64(math.Round(x)))
}

// inkedLine is a line of its own with its colour.
type inkedLine struct {
	text string
	ink  ink
}

// comparedVerdicts are the last lines: how each variant stands against the reference. What is left of an
// interrupted comparison is told as such first, and nothing in it is good or bad.
func comparedVerdicts(c *result.Comparison) []inkedLine {
	named := comparedNamed(c)
	switch {
	case len(c.Seeds) == 0:
		return []inkedLine{{"no seed has the runs of all variants: nothing is compared", doubtful}}
	case len(named) == 0:
		return []inkedLine{{"no row was named: nothing is judged", plain}}
	}
	var lines []inkedLine
	if len(c.Seeds) < c.SeedsNeeded {
		return []inkedLine{{plural(int64(len(c.Seeds)), "seed") + " cannot give a verdict in " +
			plural(int64(len(named)*(len(c.Variants)-1)), "test") + ", whatever they say: it takes at least " +
			strconv.Itoa(c.SeedsNeeded), doubtful}}
	}
	reference := c.Variants[c.Reference].Name
	for v := range c.Variants {
		if v != c.Reference {
			lines = append(lines, comparedVerdict(named, v, c.Variants[v].Name, reference))
			lines = append(lines, eventVerdicts(c, v)...)
		}
	}
	if c.Complete {
		return lines
	}
	for i := range lines {
		lines[i].ink = plain
	}
	return append([]inkedLine{{"interrupted after " + plural(int64(len(c.Seeds)), "seed") +
		", so this is no verdict yet:", doubtful}}, lines...)
}

// comparedVerdict is one of them: "ours is better in 3 of 5 rows, worse in none".
func comparedVerdict(named []*result.PairedRow, v int, name, reference string) inkedLine {
	n := map[result.Outcome]int{}
	for _, r := range named {
		n[r.Against[v].Outcome]++
	}
	better, worse, differs := n[result.OutcomeBetter], n[result.OutcomeWorse], n[result.OutcomeDifferent]
	of := " of " + plural(int64(len(named)), "row")
	text, k := name+" is better than "+reference+" in "+strconv.Itoa(better)+of, plain
	switch {
	case better+worse+differs == 0:
		return inkedLine{"no difference of " + name + " from " + reference + " is shown in any" + of, k}
	case better+worse == 0:
		return inkedLine{name + " differs from " + reference + " in " + strconv.Itoa(differs) + of +
			", where neither is better", bold}
	case worse == 0:
		text, k = text+", worse in none", good
	case better == 0:
		text, k = name+" is worse than "+reference+" in "+strconv.Itoa(worse)+of+", better in none", bad
	default:
		text, k = text+", worse in "+strconv.Itoa(worse), doubtful
	}
	if differs > 0 {
		text += "; in " + strconv.Itoa(differs) + " they differ and neither is better"
	}
	return inkedLine{text, k}
}

// eventVerdicts name what should never happen and does more often, or less, than in the reference.
func eventVerdicts(c *result.Comparison, v int) []inkedLine {
	var lines []inkedLine
	for i := range c.Events {
		e := &c.Events[i]
		if v >= len(e.Against) {
			continue
		}
		x := e.Against[v]
		words, on, opposite, other := "more", x.More, "fewer", x.Fewer
		switch x.Outcome {
		case result.OutcomeWorse:
		case result.OutcomeBetter:
			words, on, opposite, other = opposite, other, words, on
		default:
			continue
		}
		rest := "none"
		if other > 0 {
			rest = strconv.Itoa(other)
		}
		lines = append(lines, inkedLine{eventText(e.Name) + ": " + words + " with " + c.Variants[v].Name +
			" than with " + c.Variants[c.Reference].Name + " on " + plural(int64(on), "seed") + ", " + opposite +
			" on " + rest, outcomeInk(x.Outcome)})
	}
	return lines
}
