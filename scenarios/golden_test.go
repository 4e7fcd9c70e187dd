package scenarios

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"simrun/sim"
)

// rewriting says whether the golden files are to be updated.
func rewriting() bool {
	f := flag.Lookup("rewrite")
	on, _ := strconv.ParseBool(f.Value.String())
	return on
}

// TestStories runs the scripts in testdata. Only rewrite them if you understand each difference.
//
// Commands, each with a scenario as input:
//
//	load [seed=N]   the problems in full, or "ok" and the warnings
//	lines           the problems, a line each
//	effective       the effective scenario, after checking that it reproduces itself
//	phases          the phases
//	expect          the expectations
//	variants        the variants: what they differ in, notes and warnings; or the problems in full
//	file NAME       puts a file beside the scenarios that follow
//
// Lines of the input that begin with "--" are flags; they come first.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		files := map[string]string{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "file" {
				files[d.CmdArgs[0].Key] = d.Input
				return "ok\n"
			}
			opt := Options{ReadFile: readFiles(files)}
			files["x.toml"] = d.Input
			for strings.HasPrefix(files["x.toml"], "--") {
				line, rest, _ := strings.Cut(files["x.toml"], "\n")
				flag, value, _ := strings.Cut(line, " ")
				addFlag(t, &opt, flag, value)
				files["x.toml"] = rest
			}
			if arg, ok := d.Arg("seed"); ok {
				seed, err := strconv.ParseUint(arg.FirstVal(t), 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				opt.Seed = &seed
			}
			return answer(t, d, opt, files)
		})
	})
}

// addFlag adds a flag of the command to the options.
func addFlag(t *testing.T, opt *Options, flag, value string) {
	t.Helper()
	switch flag {
	case "--set":
		opt.Set = append(opt.Set, value)
	case "--variant":
		opt.Variants = append(opt.Variants, value)
	case "--versions":
		opt.Versions = strings.Split(value, ",")
	case "--broker-versions":
		opt.BrokerVersions = strings.Split(value, ",")
	case "--policies":
		opt.Policies = strings.Split(value, ",")
	case "--only": // Options.Variant
		opt.Variant = value
	default:
		t.Fatalf("unknown flag %s", flag)
	}
}

// variantsText is what there is to say of variants.
func variantsText(list []*Scenario) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s", s.Variant)
		if s.VariantStory != "" {
			fmt.Fprintf(&b, ": %s", s.VariantStory)
		}
		b.WriteByte('\n')
		for _, d := range s.Differs {
			fmt.Fprintf(&b, "  %s: %s -> %s\n", d.Path, orDash(d.Base), orDash(d.Text))
		}
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
		for _, p := range append(s.VariantWarnings, s.Warnings...) {
			fmt.Fprintf(&b, "  %s\n", p.String())
		}
	}
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// answer answers one command.
func answer(t *testing.T, d *datadriven.TestData, opt Options, files map[string]string) string {
	var (
		s    *Scenario
		list []*Scenario
		err  error
	)
	if d.Cmd == "variants" {
		list, err = LoadVariants("x.toml", opt)
	} else {
		s, err = Load("x.toml", opt)
	}
	if err != nil {
		var invalid *Invalid
		if !errors.As(err, &invalid) {
			return "error: " + err.Error() + "\n"
		}
		var b strings.Builder
		if d.Cmd != "lines" {
			if err := invalid.Render(&b); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		for i := range invalid.Problems {
			fmt.Fprintln(&b, invalid.Problems[i].String())
		}
		return b.String()
	}
	switch d.Cmd {
	case "variants":
		return variantsText(list)
	case "load", "lines":
		out := "ok\n"
		for i := range s.Warnings {
			out += s.Warnings[i].Render()
		}
		return out
	case "effective":
		text := string(s.Effective())
		files["x.toml"] = text
		again, err := Load("x.toml", Options{ReadFile: readFiles(files)})
		if err != nil {
			report(t, err)
			return ""
		}
		if diff := cmp.Diff(again.Config, s.Config, cmp.Comparer(sameSampler)); diff != "" {
			d.Fatalf(t, "the effective scenario has another configuration:\n%s", diff)
		}
		if got := string(again.Effective()); got != text {
			d.Fatalf(t, "the effective scenario does not reproduce itself:\n%s", got)
		}
		return text
	case "phases":
		var b strings.Builder
		for _, p := range s.Phases {
			fmt.Fprintf(&b, "%-20s %4d s to %4d s\n", p.Name, p.FromNS/1e9, p.ToNS/1e9)
		}
		return b.String()
	case "expect":
		return expectText(s)
	}
	d.Fatalf(t, "unknown command %s", d.Cmd)
	return ""
}

// sameSampler says whether two distributions draw alike; nil is no distribution.
func sameSampler(a, b sim.Sampler) bool { return reflect.DeepEqual(a, b) }

func expectText(s *Scenario) string {
	var b strings.Builder
	for _, e := range s.Expectations {
		fmt.Fprintf(&b, "%s: %s, %s", e.Name, e.Metric.Name, e.Where)
		for _, limit := range []struct {
			name string
			x    *float64
		}{{"min", e.Min}, {"max", e.Max}} {
			if limit.x != nil {
				fmt.Fprintf(&b, ", %s %v", limit.name, *limit.x)
			}
		}
		if e.Skipped {
			b.WriteString(", skipped")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
