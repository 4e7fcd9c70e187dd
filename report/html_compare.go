package report

import (
	"bytes"
	_ "embed" // for the page
	"fmt"
	"strconv"
	"strings"

	"simrun/internal/result"
)

var (
	//go:embed html/compare.tmpl
	compareTemplate string

	comparePage = pageTemplate("compare", compareTemplate)
)

// compareView is all that the page of a comparison shows.
type compareView struct {
	pageFrame
	C                      *result.Comparison
	Manifest               *result.Manifest
	Title, Missing         string
	Facts                  []string
	Verdict                verdictView
	Lines                  []string
	Reference, Confidence  string
	Columns                []comparedColumn
	Rows                   []comparedRowView
	Footnotes              []string
	Settings               []comparedSetting
	Events, Phases, Method []block
	Seeds                  []block
	Others                 []comparedOthers
	Expectations           []comparedExpectation
	Hero, Differences      []figureView
	Percentiles            []figureView
	Warnings, NotModelled  []string
	Definitions            []definition
	Commands               []commandView
	SeedList, Version      string
}

// Wide says whether tables with a column for each variant need a smaller print on paper.
func (v *compareView) Wide() bool {
	const most = 3
	return len(v.Columns) > most
}

// comparedColumn is a variant as the head of a column.
type comparedColumn struct {
	Name, Words string
	Notes       []string
	// Reference: the others are held against it. Settings: it changes some.
	Reference, Settings bool
}

// comparedOthers are the rows of a variant that nobody named.
type comparedOthers struct {
	Name   string
	Blocks []block
}

// commandView is a command and what it does.
type commandView struct{ Command, What string }

// CompareHTML is report.html of a comparison: one page with a column for each variant, that needs nothing but
// itself and works without scripts. It has nothing of the machine.
func CompareHTML(c *result.Comparison, f CompareFiles) ([]byte, error) {
	m := f.Manifest
	m.Host = result.Host{}
	v := &compareView{
		C: c, Manifest: &m, Title: compareTitle(c), Facts: comparedHead(c)[1:], Missing: comparedMissing(c),
		Reference: c.Variants[c.Reference].Name, Confidence: confidenceText(c), Columns: comparedColumns(c),
		Settings: comparedSettings(c), Definitions: comparedDefinitions(c), Commands: comparedCommands(c),
		SeedList: seedRanges(c.Seeds), Version: versionWords(&m.Simrun),
	}
	v.verdict()
	if len(c.Seeds) > 0 {
		v.tables()
	}
	v.Warnings, v.NotModelled = comparedDoubts(c)
	styles := &figureStyles{}
	if err := v.figures(styles); err != nil {
		return nil, err
	}
	v.Name = v.Verdict.Word + ": " + c.Scenario + ", " + listed(variantNames(c), 4)
	v.style(styles)
	var b bytes.Buffer
	if err := comparePage.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("report: %s: %w", HTMLFile, err)
	}
	return b.Bytes(), nil
}

// compareHTML is the page as a file of the results, if it is wanted.
func compareHTML(c *result.Comparison, f *CompareFiles) ([]byte, error) {
	if !f.HTML {
		return nil, nil
	}
	return CompareHTML(c, *f)
}

func variantNames(c *result.Comparison) []string {
	names := make([]string, len(c.Variants))
	for i, v := range c.Variants {
		names[i] = v.Name
	}
	return names
}

// verdict is the banner: a word for all variants, and a line for each.
func (v *compareView) verdict() {
	better, worse, differs := false, false, false
	for _, l := range comparedVerdicts(v.C) {
		v.Lines = append(v.Lines, strings.TrimSuffix(l.text, ":")+".")
		differs = differs || l.ink == bold
		better = better || l.ink == good || l.ink == doubtful
		worse = worse || l.ink == bad || l.ink == doubtful
	}
	switch named := comparedNamed(v.C); {
	case !v.C.Complete:
		v.Verdict = verdictView{Class: "doubt", Sign: "!", Word: "Interrupted"}
	case len(v.C.Seeds) < v.C.SeedsNeeded || len(v.C.Seeds) == 0:
		v.Verdict = verdictView{Class: "doubt", Sign: "?", Word: "Too few seeds for a verdict"}
	case len(named) == 0:
		v.Verdict = verdictView{Class: "none", Sign: "–", Word: "Nothing was judged"}
	case better && worse:
		v.Verdict = verdictView{Class: "doubt", Sign: "±", Word: "Better in some, worse in others"}
	case better:
		v.Verdict = verdictView{Class: "good", Sign: "✓", Word: "Better in some, worse in none"}
	case worse:
		v.Verdict = verdictView{Class: "bad", Sign: "✗", Word: "Worse in some, better in none"}
	case differs:
		v.Verdict = verdictView{Class: "none", Sign: "≠", Word: "Different, and neither is better"}
	default:
		v.Verdict = verdictView{Class: "none", Sign: "~", Word: "No difference shown"}
	}
}

// tables are those of the text, and those that have a column for each variant.
func (v *compareView) tables() {
	c := v.C
	v.Rows, v.Footnotes = comparedRowViews(c)
	v.Expectations = comparedExpectationViews(c)
	v.Events = htmlOf("What should never happen", func(p *page) { p.comparedEvents(c) })
	v.Phases = htmlOf("Medians by phase", func(p *page) { p.comparedPhases(c) })
	v.Method = htmlOf("", func(p *page) { p.comparedMethod(c) },
		func(p *page) { p.comparedPrecision(c.Precision) })
	v.Seeds = htmlOf("", func(p *page) { p.comparedSeeds(c) })
	for i, x := range c.Variants {
		if i == c.Reference {
			continue
		}
		against := x.Name + " against " + c.Variants[c.Reference].Name
		if b := htmlOf("", func(p *page) { p.otherRows(c, i, against) }); len(b) > 0 {
			v.Others = append(v.Others, comparedOthers{against, b})
		}
	}
}

// figures are drawn in the order of the page. What has no room there is in its directory.
func (v *compareView) figures(styles *figureStyles) error {
	all, err := figureViews(CompareFigures(v.C), (*Figure).Render, styles)
	if err != nil {
		return err
	}
	for _, f := range all {
		switch f.ID {
		case "figure-timeline-compare":
			v.Hero = append(v.Hero, f)
		case "figure-latency-hdr-compare":
			v.Percentiles = append(v.Percentiles, f)
		default:
			v.Differences = append(v.Differences, f)
		}
	}
	return nil
}

// comparedColumns are the variants, with what they are in words.
func comparedColumns(c *result.Comparison) []comparedColumn {
	var out []comparedColumn
	for i, v := range c.Variants {
		x := comparedColumn{
			Name: v.Name, Notes: v.Notes, Reference: i == c.Reference, Settings: len(v.Settings) > 0,
		}
		var words []string
		if x.Reference {
			words = append(words, "the reference")
		}
		if v.Story != "" && v.Story != c.Story {
			words = append(words, strings.TrimSuffix(v.Story, "."))
		}
		if x.Settings {
			words = append(words, plural(int64(len(v.Settings)), "setting")+" of its own")
		} else {
			words = append(words, "the scenario as it stands")
		}
		x.Words = strings.Join(words, "; ")
		out = append(out, x)
	}
	return out
}

// comparedDoubts are the warnings of the comparison and its runs, and what the model leaves out.
func comparedDoubts(c *result.Comparison) (warnings, notModelled []string) {
	p := &page{opt: TextOptions{Width: 1 << 20}}
	p.comparedWarnings(c)
	for l := range strings.Lines(p.b.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(l), "warning: "); ok {
			warnings = append(warnings, text)
		}
	}
	return warnings, seedsOf(c, c.Reference).NotModelled
}

// comparedDefinitions are those of the metrics of all rows.
func comparedDefinitions(c *result.Comparison) []definition {
	var out []definition
	seen := map[string]bool{}
	for i := range c.Rows {
		r := &c.Rows[i]
		m, ok := result.LookupMetric(r.Metric)
		if !ok || seen[r.Metric] {
			continue
		}
		seen[r.Metric] = true
		out = append(out, definition{comparedLabels[r.Metric], m.Name, m.Help, m.Formula, unitNoun(m.Unit)})
	}
	return out
}

// comparedCommands make the comparison again, and single runs of it.
func comparedCommands(c *result.Comparison) []commandView {
	out := []commandView{{"simrun verify .", "runs all variants again and compares the files; writes nothing"}}
	if len(c.Seeds) > 0 {
		last := c.Variants[len(c.Variants)-1].Name
		out = append(out, commandView{
			"simrun run " + ShellQuote("./"+VariantsDir+"/"+last+"/"+ScenarioFile) + " --seed " +
				strconv.FormatUint(c.Seeds[0], 10),
			"one run of " + last + ", with a page, figures and lives of messages of its own",
		})
	}
	return append(out, commandView{"simrun report .", "draws the text, the figures and this page again"})
}
