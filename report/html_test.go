package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

// pageTOML is an effective scenario in outline.
const pageTOML = `# Two of four masters lose power at 120 s and come back at 300 s.
seed     = 42
duration = "480s"   # two-masters-down.toml:10; default "60s"

[broker.a]
slaves = 1          # two-masters-down.toml:23; default 0
note   = "a # b"    # two-masters-down.toml:24

[broker.b]
slaves = 1          # two-masters-down.toml:25; default 0
note   = "a # b"    # two-masters-down.toml:26

[producer.p]
count = 8           # --set[1]; default 1
mode  = "sync"
`

func pageInput() Files {
	return Files{
		Manifest: result.Manifest{
			Simrun:   result.Build{Version: "v1.2.3", Go: "go1.26.0"},
			Scenario: result.Source{Name: "two-masters-down", Shipped: true, EffectiveSHA256: "00ff"},
			Seed:     42, Key: "9f3a1c7e", Digest: "0123456789abcdef", Overrides: []string{"duration=480s"},
			Host: result.Host{ScenarioPath: "/home/me/x.toml", ResultsPath: "/home/me/results", WallNS: 7},
		},
		ScenarioTOML: []byte(pageTOML),
	}
}

func pageOf(t *testing.T, r *result.Run) string {
	t.Helper()
	data, err := HTML(r, pageInput())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exemplified has messages worth looking at, one with its story.
func exemplified(r *result.Run) *result.Run {
	took := int64(4_001_000_000)
	r.Exemplars = []result.Exemplar{
		{
			Kind: result.ExemplarFailed, Phase: "fault.power-cut", Producer: "p", Message: 7, Like: 890,
			Reason: "RemotingTooMuchRequestException", ScheduledNS: 121 * second, LatencyNS: &took,
			Answer: "RemotingTooMuchRequestException", Fate: "never_stored", Attempts: 1,
		},
		{
			Kind: result.ExemplarSlowest, Phase: "fault.power-cut", Producer: "p", Message: 65316, Like: 1,
			ScheduledNS: 122 * second, Answer: "in flight", Fate: "at_risk", Attempts: 2, Copies: 1,
		},
	}
	clock := 121 * second
	s := storyOf(func() int64 { clock += 1_234_567; return clock })
	s.Producer, s.Message = "p", 7
	r.Stories = []result.Story{*s}
	return r
}

// A page is well-formed, and what it refers to is in it: ux.md, "opens from disk, no network".
func TestHTMLIsWhole(t *testing.T) {
	worlds := edgeWorlds()
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		t.Run(name, func(t *testing.T) {
			r := fixture(worlds[name])
			if name == "two-masters-down" {
				exemplified(expecting(r))
			}
			checkPage(t, pageOf(t, r))
		})
	}
}

// checker walks over the elements of a page.
type checker struct {
	t       *testing.T
	ids     map[string]int
	refs    []string
	heading int // level of the last one
	h1      int
	open    []xml.StartElement
	captions, tables,
	scopeless int
}

func checkPage(t *testing.T, page string) {
	t.Helper()
	c := &checker{t: t, ids: map[string]int{}}
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			c.element(e)
		case xml.EndElement:
			c.open = c.open[:len(c.open)-1]
		}
	}
	for id, n := range c.ids {
		if n > 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, ref := range c.refs {
		if c.ids[ref] == 0 {
			t.Errorf("#%s is referred to and not there", ref)
		}
	}
	if c.h1 != 1 {
		t.Errorf("%d elements h1", c.h1)
	}
	if c.captions != c.tables {
		t.Errorf("%d tables have %d captions", c.tables, c.captions)
	}
	if c.scopeless > 0 {
		t.Errorf("%d headings of tables have no scope", c.scopeless)
	}
	if m := regexp.MustCompile(`(?i)@import|url\(|javascript:`).FindString(page); m != "" {
		t.Errorf("%s in the page", m)
	}
	const most = 2 << 20
	if len(page) > most {
		t.Errorf("%d bytes", len(page))
	}
}

// fetching are the attributes by which a page asks for something outside itself.
var fetching = []string{
	"src", "srcset", "href", "data", "poster", "action", "formaction", "background", "ping",
}

func (c *checker) element(e xml.StartElement) {
	t := c.t
	c.open = append(c.open, e)
	named := false
	for _, a := range e.Attr {
		switch name := a.Name.Local; {
		case name == "id":
			c.ids[a.Value]++
		case name == "href" && strings.HasPrefix(a.Value, "#"):
			c.refs = append(c.refs, a.Value[1:])
		case slices.Contains(fetching, name) && !strings.HasPrefix(a.Value, "data:image/"):
			t.Errorf("<%s %s=%q> asks for something outside", e.Name.Local, name, a.Value)
		case strings.HasPrefix(name, "on"):
			t.Errorf("<%s %s> needs a script", e.Name.Local, name)
		case name == "aria-labelledby":
			c.refs = append(c.refs, strings.Fields(a.Value)...)
			named = true
		case name == "aria-hidden", name == "aria-label":
			named = true
		case name == "scope":
			c.scopeless--
		}
	}
	switch n := e.Name.Local; n {
	case "h1", "h2", "h3", "h4":
		level := int(n[1] - '0')
		if level > c.heading+1 {
			t.Errorf("<%s> after <h%d>", n, c.heading)
		}
		if c.heading = level; level == 1 {
			c.h1++
		}
	case "table":
		c.tables++
	case "caption":
		c.captions++
	case "th":
		c.scopeless++
	case "svg", "section", "nav":
		if !named {
			t.Errorf("<%s> has no name", n)
		}
	case "iframe", "object", "embed", "link", "base":
		t.Errorf("<%s> in the page", n)
	}
}

// Figures have golden files of their own.
var pageFigure = regexp.MustCompile(`(?s)<svg role="img".*?</svg>`)

func TestHTMLGolden(t *testing.T) {
	page := pageOf(t, exemplified(expecting(fixture(twoMastersDown()))))
	page = pageFigure.ReplaceAllString(page, "<svg></svg>")
	_, page, _ = strings.Cut(page, "</style>")
	golden(t, filepath.Join("testdata", "html", "two-masters-down.html"), []byte(page))
}

// Same run: same bytes, whoever made it and wherever it lies.
func TestHTMLHasNothingOfTheMachine(t *testing.T) {
	r := exemplified(expecting(fixture(twoMastersDown())))
	in := pageInput()
	a, err := HTML(r, in)
	if err != nil {
		t.Fatal(err)
	}
	in.Manifest.Host = result.Host{ScenarioPath: "/other/y.toml", ResultsPath: "/other", WallNS: 8, Jobs: 3}
	b, err := HTML(r, in)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("the page depends on the machine")
	}
	if bytes.Contains(a, []byte("/home/me")) {
		t.Error("the page has a path of the machine")
	}
}

// Nothing that a scenario says becomes markup.
func TestHTMLEscapes(t *testing.T) {
	const evil = `</title></style><script>alert(1)</script>"'&<b>`
	r := exemplified(expecting(fixture(twoMastersDown())))
	r.Scenario, r.Story, r.Warnings, r.NotModelled = evil, evil, []string{evil}, []string{evil}
	r.Faults[0].Name, r.Faults[0].Kind, r.Faults[0].Targets[0] = evil, evil, evil
	r.Setup.Producers[0].Name, r.Setup.Producers[0].Client = evil, evil
	r.Expectations[0].Name, r.Expectations[0].Where, r.Expectations[0].Reason = evil, evil, evil
	r.Exemplars[0].Reason, r.Exemplars[0].Answer = evil, evil
	r.Ledger.Rows[0].Answer = evil
	in := pageInput()
	in.Manifest.Overrides = []string{evil}
	in.Manifest.Variant, in.Manifest.Simrun.Version = evil, evil
	in.ScenarioTOML = []byte("x = '" + evil + "' # " + evil + "\n[" + evil + "]\n")
	data, err := HTML(r, in)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	checkPage(t, page)
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if strings.Contains(page, "<b>") {
		t.Error("<b> got through")
	}
}

// The verdict is a word and a sign, never a colour alone (ux.md, "colour never the only cue").
func TestHTMLVerdictInWords(t *testing.T) {
	for verdict, want := range map[result.Verdict]string{
		result.Passed: "✓</span> Passed", result.Failed: "✗</span> Failed",
		result.Undecided: "?</span> Undecided", result.NoExpectations: "–</span> No expectations",
	} {
		r := fixture(edgeWorlds()["no-messages"])
		r.Verdict = verdict
		if page := pageOf(t, r); !strings.Contains(page, want) {
			t.Errorf("%s: no %q", verdict, want)
		}
	}
}

// What is not the default is marked; tables alike are told once.
func TestHTMLConfiguration(t *testing.T) {
	tables := effective([]byte(pageTOML))
	var heads, changed []string
	for _, c := range tables {
		heads = append(heads, c.Head+" like "+c.LikeWords())
	}
	for _, s := range changedSettings(tables) {
		changed = append(changed, strings.Join([]string{s.Of, s.Key, s.Value, s.Default, s.Origin}, "|"))
	}
	wantHeads := []string{" like ", "[broker.a] like [broker.b]", "[producer.p] like "}
	wantChanged := []string{
		`|duration|"480s"|"60s"|two-masters-down.toml:10`,
		`broker.a, b|slaves|1|0|two-masters-down.toml:23 …`,
		`broker.a, b|note|"a # b"||two-masters-down.toml:24 …`,
		`producer.p|count|8|1|--set[1]`,
	}
	if !slices.Equal(heads, wantHeads) {
		t.Errorf("tables %q, want %q", heads, wantHeads)
	}
	if !slices.Equal(changed, wantChanged) {
		t.Errorf("changed %q, want %q", changed, wantChanged)
	}
	page := pageOf(t, fixture(twoMastersDown()))
	for _, want := range []string{
		`<p><mark>count = 8</mark> <span class="quiet"># --set[1]; default 1</span></p>`,
		`<p>mode = &#34;sync&#34;</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Every number that a page shows is defined on it, and everything that is expected.
func TestHTMLDefinitions(t *testing.T) {
	for _, x := range labelMetrics {
		if _, ok := result.LookupMetric(x[1]); !ok {
			t.Errorf("no metric %s", x[1])
		}
	}
	for name, w := range edgeWorlds() {
		r := fixture(w)
		for _, label := range shownLabels(r) {
			known := slices.Contains(undefined, label) || slices.ContainsFunc(labelMetrics, func(x [2]string) bool {
				return labelled(label, x[0])
			})
			if !known {
				t.Errorf("%s: %q is not defined", name, label)
			}
		}
	}
	r := expecting(fixture(twoMastersDown()))
	defined := definitions(r)
	for _, e := range r.Expectations {
		if !slices.ContainsFunc(defined, func(d definition) bool { return d.Name == e.Metric }) {
			t.Errorf("%s is not defined", e.Metric)
		}
	}
}

var pageCall = regexp.MustCompile(`\bp\.([a-zA-Z]+)\(r\b`)

// What the text summary tells the page tells, too: from the same functions, but for what the page shows
// in its own way.
func TestHTMLHasWhatTheSummaryHas(t *testing.T) {
	own := []string{"header", "warnings", "expectations", "verdict"}
	read := func(file, from, to string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), from)
		text, _, _ = strings.Cut(text, to)
		return text
	}
	page := read("html.go", ") sections(", "\n}\n")
	calls := pageCall.FindAllStringSubmatch(read("summary.go", "func Summary(", "\n}\n"), -1)
	if len(calls) == 0 {
		t.Fatal("the summary tells nothing")
	}
	for _, m := range calls {
		if !slices.Contains(own, m[1]) && !strings.Contains(page, "p."+m[1]+"(") {
			t.Errorf("the page has no p.%s", m[1])
		}
	}
}

// How to make the run again: a scenario that comes with the program by its name, any other as it lies
// beside the page.
func TestReproduce(t *testing.T) {
	in := pageInput()
	in.Manifest.Overrides = []string{"producer.*.threads=4"}
	got, _ := reproduce(&in.Manifest)
	if want := "simrun run two-masters-down --seed 42 --set 'producer.*.threads=4'"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	in.Manifest.Scenario.Shipped = false
	got, _ = reproduce(&in.Manifest)
	if want := "simrun verify ."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCompactPath(t *testing.T) {
	for _, c := range [][2]string{
		{"M0,0L648,0L648,726L0,726Z", "M0 0h648v726h-648Z"},
		{"M62.2,536L63.74,536.06L63.78,537.5", "M62.2 536l1.5 .1l.1 1.4"},
		{"M10.5,0L10,0.25", "M10.5 0l-.5 .3"},
		{"M1,1A2,2,0,0,1,3,3", "M1,1A2,2,0,0,1,3,3"},
	} {
		if got := compactPath(c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// A page stays below 2 MB however large the scenario is: issue 6, "bounded".
func TestHTMLIsBounded(t *testing.T) {
	var toml strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&toml, "[broker.b%d]\n", i)
		for k := range 35 {
			fmt.Fprintf(&toml, "a_key_with_a_rather_long_name_%d = %d # x.toml:%d; default 0\n", k, i, k)
		}
	}
	f := pageInput()
	f.ScenarioTOML = []byte(toml.String())
	r := crowd(1000, 100, 20, 60)
	r.Verdict = result.NoExpectations
	for len(r.Warnings) < 50 {
		r.Warnings = append(r.Warnings, strings.Repeat("a long warning ", 20))
	}
	data, err := HTML(r, f)
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, string(data))
}
