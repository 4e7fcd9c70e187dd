package main

import (
	"context"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/scenarios"
)

const remake = "; run: make tuning-guide"

// readGuide is the page, and its numbers by line.
func readGuide(t *testing.T) (page string, lines []map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/tuning-guide.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../../docs/tuning-guide.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0], fields) {
		t.Fatalf("columns %q, want %q", rows[0], fields)
	}
	for _, r := range rows[1:] {
		line := map[string]string{}
		for i, f := range fields {
			line[f] = r[i]
		}
		lines = append(lines, line)
	}
	return string(text), lines
}

// commandsOf are the comparisons that the page says give its numbers: for each cell that of its table, and
// those of fronts.
func commandsOf(page string) (tables, fronts []string) {
	for _, line := range strings.Split(page, "\n") {
		c, ok := strings.CutPrefix(line, "$ go run ./cmd/simrun compare ")
		switch {
		case !ok || c == gainScenario+" --seeds 101..120":
		case strings.Contains(c, " --metrics "+metricsOf(columns)+" "):
			tables = append(tables, c)
		case strings.Contains(c, " --metrics "+metricsOf(frontColumns)+" "):
			fronts = append(fronts, c)
		default:
			tables, fronts = append(tables, "of what? "+c), append(fronts, c)
		}
	}
	return tables, fronts
}

// parse reads a command as a shell and simrun compare do.
func parse(t *testing.T, command string) (scenario string, opt scenarios.Options, seeds []uint64) {
	t.Helper()
	var words []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		fresh := strings.Split(part, " ")
		if len(words) > 0 {
			words[len(words)-1] += fresh[0]
			fresh = fresh[1:]
		}
		words = append(words, fresh...)
	}
	for i := 1; i+1 < len(words); i += 2 {
		switch value := words[i+1]; words[i] {
		case "--metrics": // see commandsOf
		case "--set":
			opt.Set = append(opt.Set, value)
		case "--variant":
			opt.Variants = append(opt.Variants, value)
		case "--seeds":
			from, to, _ := strings.Cut(value, "..")
			a, _ := strconv.Atoi(from)
			b, _ := strconv.Atoi(to)
			for s := a; s <= b; s++ {
				seeds = append(seeds, uint64(s))
			}
		default:
			t.Fatalf("%q in %s", words[i], command)
		}
	}
	return words[0], opt, seeds
}

// The page has a section for each situation of issue 7, a table with all settings under all conditions, and
// for each of them a command that loads.
func TestGuideHasEverySituation(t *testing.T) {
	t.Parallel()
	page, lines := readGuide(t)
	commands, fronts := commandsOf(page)
	if len(commands) != len(cells()) {
		t.Fatalf("%d commands, want one for each of %d cells"+remake, len(commands), len(cells()))
	}
	for _, c := range cells() {
		if !strings.Contains(page, "\n## "+c.title+"\n") || !strings.Contains(page, "| *"+c.words+"* |") {
			t.Errorf("nothing of %s"+remake, c.name())
		}
		n := 0
		for _, l := range lines {
			if l["situation"] == c.situation.id && l["condition"] == c.condition.id {
				n++
			}
		}
		if n == 0 || n%len(columns) != 0 {
			t.Errorf("%d numbers of %s"+remake, n, c.name())
		}
	}
	for _, c := range slices.Concat(commands, fronts) {
		scenario, opt, seeds := parse(t, c)
		if len(seeds) != lastHeldOut-firstHeldOut+1 {
			t.Errorf("%d seeds in %s", len(seeds), c)
		}
		if _, err := scenarios.LoadVariants(scenario, opt); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	for _, odd := range []string{"%!", "<no value>", "NaN", "nan"} {
		if strings.Contains(page, odd) {
			t.Errorf("the page has %q", odd)
		}
	}
}

// A change of the model shows: of each situation one run is made again, of this setting or that, and has the
// digest that the numbers were made from.
func TestGuideIsOfThisModel(t *testing.T) {
	t.Parallel()
	page, lines := readGuide(t)
	commands, _ := commandsOf(page)
	seen := map[string]bool{}
	for i, c := range cells() {
		if seen[c.situation.id] {
			continue
		}
		seen[c.situation.id] = true
		scenario, opt, seeds := parse(t, commands[i])
		if opt.Variant = scenarios.BaseName; len(seen)%2 == 0 {
			opt.Variant = "choice"
		}
		want := ""
		for _, l := range lines {
			if l["situation"] == c.situation.id && l["condition"] == c.condition.id && l["setting"] == opt.Variant {
				want = l["digest"]
			}
		}
		opt.Seed = &seeds[0]
		sc, err := scenarios.Load(scenario, opt)
		if err != nil {
			t.Fatal(err)
		}
		run, err := experiment.Run(context.Background(), sc, experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if run.Digest != want {
			t.Errorf("%s with %s has another digest than the guide was made from"+remake, c.name(), opt.Variant)
		}
	}
}

// "Every number with its interval and the command that gives it": a command of the page is run, all its seeds
// with the reference and one setting, and gives what the page says of it.
func TestCommandGivesTheNumbers(t *testing.T) {
	t.Parallel()
	page, _ := readGuide(t)
	at := slices.IndexFunc(cells(), func(c cell) bool { return c.name() == "slow/200ms" })
	commands, _ := commandsOf(page)
	scenario, opt, seeds := parse(t, commands[at])
	opt.Variants = slices.DeleteFunc(opt.Variants, func(v string) bool {
		return !strings.HasPrefix(v, "choice:")
	})
	inputs, err := compared(context.Background(), scenario, opt, seeds)
	if err != nil {
		t.Fatal(err)
	}
	tab := &table{cell: cells()[at]}
	tab.of = ensemble.Compare(inputs, ensemble.Options{Rows: tab.rows(columns)})
	for _, c := range shownColumns() {
		r, err := tab.row(c.metric)
		if err != nil {
			t.Fatal(err)
		}
		text := tab.own(r, 1)
		if !c.alone {
			text = tab.against(r, 1)
		}
		if !strings.Contains(page, filled(text)) {
			t.Errorf("the command gives %s for %s, the page does not"+remake, text, c.metric)
		}
	}
	claimsAreChecked(t, &study{tables: []*table{tab}})
}

// compared runs variants of a scenario on the same seeds, as simrun compare does.
func compared(
	ctx context.Context, scenario string, opt scenarios.Options, seeds []uint64,
) ([]ensemble.Input, error) {
	variants, err := scenarios.LoadVariants(scenario, opt)
	if err != nil {
		return nil, err
	}
	var all []experiment.Job
	inputs := make([]ensemble.Input, len(variants))
	for i, sc := range variants {
		inputs[i].Name = sc.Variant
		all = append(all, experiment.Seeds(sc, seeds)...)
	}
	err = experiment.RunAll(ctx, all, 2, func(i int, run *result.Run) error {
		in := &inputs[i/len(seeds)]
		in.Members = append(in.Members, ensemble.Of(run))
		return nil
	})
	return inputs, err
}

// claimsAreChecked: a sentence that says what is not so is an error, and so is one of what is not there.
func claimsAreChecked(t *testing.T, s *study) {
	t.Helper()
	for name, claim := range map[string]func(cell, setting, metric string) (string, error){
		"better": s.claim(result.OutcomeBetter), "worse": s.claim(result.OutcomeWorse), "alike": s.alike,
		"zero": s.zero,
	} {
		for _, metric := range []string{"failed", "latency_mean"} {
			holds := name == "alike" || name == "zero" && metric == "failed"
			if _, err := claim("slow/200ms", "choice", metric); (err == nil) != holds {
				t.Errorf("%s of %s: %v", name, metric, err)
			}
		}
		if _, err := claim("slow/200ms", "nobody", "failed"); err == nil {
			t.Errorf("%s holds of nobody", name)
		}
	}
}

// Each snippet of TOML on the page loads, each Java setter is one that is known to exist, and
// the page ends with them, as issue 7 wants it.
func TestSnippetsOfThePage(t *testing.T) {
	t.Parallel()
	page, _ := readGuide(t)
	blocks := func(kind string) []string {
		var out []string
		for _, part := range strings.Split(page, "```"+kind+"\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			out = append(out, text)
		}
		return out
	}
	for _, text := range blocks("toml") {
		_, err := scenarios.Load("./mine.toml", scenarios.Options{
			ReadFile: func(string) ([]byte, error) { return []byte("[broker.a]\n" + text), nil },
		})
		if err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
	}
	calls := strings.Split(strings.Join(blocks("java"), ""), "producer.set")[1:]
	for _, call := range calls {
		name, _, _ := strings.Cut(call, "(")
		if !slices.ContainsFunc(tellings, func(x told) bool { return x.setter == "set"+name }) {
			t.Errorf("set%s is no setter that is known", name)
		}
	}
	if len(blocks("toml")) != len(families) || len(blocks("properties")) != 1 || len(calls) < 3*len(families) {
		t.Errorf("%d snippets of TOML, %d of properties, %d setters"+remake, len(blocks("toml")),
			len(blocks("properties")), len(calls))
	}
	if last := strings.LastIndex(page, "\n## "); !strings.HasPrefix(page[last:], "\n## Snippets\n") {
		t.Error("the page does not end with the snippets" + remake)
	}
}

// Paragraphs are filled, numbers kept together, and nothing else is touched.
func TestFilled(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("x", 40)
	const rest = "\n\n| c |\n| d |\n\n```toml\ne\nf\n```\n"
	page := "# A\n\n1 234 567 a\n`b` " + word + " " + word + " " + word + rest
	want := "# A\n\n1\u00a0234\u00a0567 a `b` " + word + " " + word + "\n" + word + rest
	if got := filled(page); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
