package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// The parts of the page: its structure, its look, and a script that only makes a button work.
var (
	//go:embed html/parts.tmpl
	htmlParts string
	//go:embed html/report.tmpl
	htmlTemplate string
	//go:embed html/report.css
	htmlCSS string
	//go:embed html/copy.js
	htmlScript string

	htmlPage = pageTemplate("report", htmlTemplate)
)

// pageTemplate is a page that may use the parts that pages share.
func pageTemplate(name, text string) *template.Template {
	t := template.New(name).Funcs(template.FuncMap{"whole": wholeNumbers})
	return template.Must(template.Must(t.Parse(htmlParts)).Parse(text))
}

// pageFrame is what every page has around what it shows.
type pageFrame struct {
	// Name is what tabs and bookmarks call it.
	Name   string
	CSS    template.CSS
	Script template.JS
	Policy string
}

// htmlView is all that the template shows.
type htmlView struct {
	pageFrame
	settingsView
	Run                       *result.Run
	Manifest                  *result.Manifest
	Title                     string
	Facts                     []string
	Verdict                   verdictView
	Answer, NumbersOf         string
	Numbers                   []headline
	Expectations              []expectationView
	Topology                  topologyView
	Track                     faultTrack
	Phases, Faults            []block
	Groups, Brokers, Messages []block
	Producers                 []block
	Figures                   []figureView
	Exemplars                 []exemplarKind
	Definitions               []definition
	Command, Where, Version   string
}

// expectationView is a row of the table of expectations.
type expectationView struct{ Class, Sign, Word, Name, Rule, Found, Reason string }

// HTML is report.html: one page that has all of a run, needs nothing but itself and works without scripts.
// It has nothing of the machine: the host section of the manifest is not read.
func HTML(r *result.Run, f Files) ([]byte, error) {
	return pageHTML(&input{run: r, files: &f})
}

// reportHTML is the page as a file of the results, if it is wanted.
func reportHTML(in *input) ([]byte, error) {
	if !in.files.HTML {
		return nil, nil
	}
	return pageHTML(in)
}

func pageHTML(in *input) ([]byte, error) {
	r, m := in.run, complete(in.files, in.run)
	m.Host = result.Host{}
	v := &htmlView{
		Run: r, Manifest: &m, Title: pageTitle(r), Facts: pageFacts(r), Verdict: verdictOf(r), Answer: Answer(r),
		Expectations: expectationViews(r), Track: faultTrackOf(r), Topology: topologyOf(r).view(),
		Definitions: definitions(r),
		Exemplars:   exemplars(r, explainRef(&m)), settingsView: settingsViewOf(in.files.ScenarioTOML),
		Version: versionWords(&m.Simrun),
	}
	v.NumbersOf, v.Numbers = headlines(r)
	v.Command, v.Where = reproduce(&m)
	v.sections(r)
	styles := &figureStyles{}
	var err error
	if v.Figures, err = figureViews(in.allFigures(), in.draw, styles); err != nil {
		return nil, err
	}
	v.Name = v.Verdict.Word + ": " + r.Title() + ", seed " + strconv.FormatUint(r.Seed, 10)
	v.style(styles)
	var b bytes.Buffer
	if err := htmlPage.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("report: %s: %w", HTMLFile, err)
	}
	return b.Bytes(), nil
}

// sections are the tables of the text summary.
func (v *htmlView) sections(r *result.Run) {
	v.Phases = htmlOf("Messages by phase", func(p *page) { p.phases(r) })
	v.Faults = htmlOf("Faults", func(p *page) { p.faults(r) }, func(p *page) { p.falselyIsolated(r) })
	v.Groups = htmlOf("Producer groups", func(p *page) { p.groups(r) })
	v.Producers = htmlOf("Producers", func(p *page) { p.producers(r.Setup) })
	v.Brokers = htmlOf("Brokers", func(p *page) { p.load(r) }, func(p *page) { p.probes(r) },
		func(p *page) { p.failedAttempts(r) })
	v.Messages = htmlOf("Ledger", func(p *page) { p.ledger(r.Ledger) }, func(p *page) { p.losses(r.Ledger) },
		func(p *page) { p.extras(r.Ledger) }, func(p *page) { p.exceptions(r) })
}

// style makes the style sheet, which has the colours of the figures, and lets nothing in from outside.
func (v *pageFrame) style(styles *figureStyles) {
	v.CSS = template.CSS(htmlCSS + styles.css()) //nolint:gosec // made of our own text and numbers
	v.Script = template.JS(htmlScript)           //nolint:gosec // our own text
	hash := sha256.Sum256([]byte(htmlScript))
	v.Policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
}

// pageTitle is what the scenario says it is about.
func pageTitle(r *result.Run) string {
	if r.Story != "" {
		return r.Story
	}
	return r.Title()
}

// pageFacts are the world in brief.
func pageFacts(r *result.Run) []string {
	facts := []string{}
	if w := headWords(r.Setup); w != "" {
		facts = append(facts, w)
	}
	facts = append(facts, worldWords(r.Setup)...)
	facts = append(facts, seconds(r.SimulatedNS)+" simulated", "seed "+strconv.FormatUint(r.Seed, 10))
	if !r.Complete {
		facts = append(facts, "interrupted at "+seconds(r.SimulatedNS)+" of "+seconds(r.DurationNS))
	}
	return facts
}

// expectationViews are the expectations in the order of the scenario.
func expectationViews(r *result.Run) []expectationView {
	var out []expectationView
	for _, e := range r.Expectations {
		sign, k := verdictMark(e)
		v := expectationView{
			Class: inkClass(k), Sign: sign, Word: string(e.Verdict), Name: e.Name, Rule: expectationText(e),
			Found: foundText(e), Reason: e.Reason,
		}
		if e.Skipped {
			v.Word = "skipped"
		}
		out = append(out, v)
	}
	return out
}

// versionWords name the binary that ran.
func versionWords(b *result.Build) string {
	words := []string{"simrun " + b.Version}
	if b.Commit != "" {
		commit := "commit " + b.Commit
		if b.Dirty != nil && *b.Dirty {
			commit += " with changes"
		}
		words = append(words, commit)
	}
	return strings.Join(append(words, b.Go), ", ")
}
