package scenarios

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inputs are the scenarios of the scripts in testdata/stories.
var inputs = regexp.MustCompile(
	`(?m)^(?:load|lines|effective|phases|expect|variants)[^\n]*\n(?:--[^-][^\n]*\n)*((?s:.*?))^----$`)

// FuzzLoad: no input makes the loader panic or hang; what it accepts reproduces itself, what it
// refuses it can show. The same of the variants, one of which a flag makes.
func FuzzLoad(f *testing.F) {
	for _, name := range Names() {
		text, err := Source(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "producer.*.rate=1/s")
	}
	stories, err := filepath.Glob("testdata/stories/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range stories {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range inputs.FindAllSubmatch(data, -1) {
			f.Add(string(m[1]), "broker.a.service.p99=8ms")
		}
	}
	for _, set := range []string{
		"", "=", "a[", "producer.p.latency_max[0]=1ms", "seed=[[", "x.y.z=\"",
		"broker.a.service={dist=\"empirical\",values=[\"1ms\"]}", "fault.*.target=a:0,b:0",
		"producer.p.latency_max[-1]=4s", "producer.p.latency_max[x]=4s", "producer.p.latency_max[]=4s",
		"producer.p.latency_max[=4s", "producer.p.threads[0]=4", "duration=2562046h",
		"seed=9999999999999999999999", "fault.*.target=zone:z,host:h,producer:p#0,name_server:*",
		"fault.x.rate=2/h", "fault.x.period=3s", "broker.*.behaviours=put=blocks", "host.h.runs=a:*,a:1",
		"broker.a.replication_bandwidth=1e308GiB/s", "fault.x.to=producer:p#-1", "fault.x.loss=101%",
		"producer.*.client=go-2.1.2", "producer.*.client=java-4.0.0", "producer.*.topic=orders,orders",
		"producer.p.load={shape=\"bursts\",factor=2,for=\"1s\",every=\"1s\"}", "producer.p.load.points[0].at=1s",
		"producer.p.load={shape=\"daily\",factors=[1,0.5],day=\"1ns\"}", "start.spread=1s",
		"producer.p.load={shape=\"points\",points=[{at=\"0s\",factor=1e6}],every=\"0s\"}",
		"producer.p.arrivals=closed", "producer.p.arrivals_file=x.toml", "producer.p.queue={broker=\"a\",id=0}",
		"producer.p.on_failure={resend=1,delay=\"1s\"}", "zone_link.*.zones=z1,z1",
	} {
		f.Add(small, set)
	}
	for _, table := range []string{
		"\"producer.*.threads\" = 4\nbroker.x = \"unset\"", "broker.\"*\".service.p99 = \"9ms\"",
		"\"fault.*\" = \"unset\"\n\"a[\" = 3\n\"broker.\" = 1\n\".\" = 2\n\"\" = 3",
		"[variant.v.host.h]\nruns = \"a:0\"",
		"producer = [1]\nnetwork = 3\nproducer.p = {threads={a=1}}", "[[variant.v.broker]]\nslaves = 1",
		"\"producer.p.load\".shape = \"bursts\"\nproducer.p.topic = \"unset\"",
		"story = []\n[variant.v.topic.new]",
	} {
		f.Add(small+"\n[variant.v]\n"+table, "producer.p.client=java-4.0.0")
	}
	f.Fuzz(func(t *testing.T, text, set string) {
		checkLocate(t, text)
		checkVariants(t, text, set)
		s, err := loadText(text, set)
		if err != nil {
			var invalid *Invalid
			if !errors.As(err, &invalid) {
				t.Fatalf("not an *Invalid: %v", err)
			}
			if err := invalid.Render(io.Discard); err != nil {
				t.Fatal(err)
			}
			if _, err := invalid.JSON(); err != nil {
				t.Fatal(err)
			}
			return
		}
		effective := s.Effective()
		again, err := loadText(string(effective))
		if err != nil {
			t.Fatalf("the effective scenario is refused: %v\n%s", err, effective)
		}
		if again.Key() != s.Key() || !bytes.Equal(again.Effective(), effective) {
			t.Fatalf("the effective scenario changed:\n%s\n%s", effective, again.Effective())
		}
		sameWarnings(t, s, again)
	})
}

// sameWarnings: warnings are part of the results, so they do not depend on where the scenario was read from.
func sameWarnings(t *testing.T, a, b *Scenario) {
	words := func(s *Scenario) (list []string) {
		for i := range s.Warnings {
			list = append(list, s.Warnings[i].Path+": "+s.Warnings[i].Message+s.Warnings[i].Hint)
		}
		slices.Sort(list)
		return list
	}
	if diff := cmp.Diff(words(a), words(b)); diff != "" {
		t.Fatalf("the effective scenario has other warnings:\n%s", diff)
	}
}

// checkVariants loads the variants of a text, and one that a flag makes.
func checkVariants(t *testing.T, text, set string) {
	list, err := LoadVariants("x.toml", Options{
		Variants: []string{"flagged:" + set}, ReadFile: readFiles(map[string]string{"x.toml": text}),
	})
	var (
		invalid *Invalid
		misuse  *Misuse
	)
	switch {
	case errors.As(err, &invalid):
		for i := range invalid.Problems {
			if p := &invalid.Problems[i]; p.own && p.Line == 0 && !strings.HasPrefix(p.File, "--") {
				t.Fatalf("no place: %s", p.String())
			}
		}
		if err := invalid.Render(io.Discard); err != nil {
			t.Fatal(err)
		}
	case err != nil && !errors.As(err, &misuse):
		t.Fatalf("neither *Invalid nor *Misuse: %v", err)
	}
	for _, s := range list {
		again, err := loadText(string(s.Effective()))
		if err != nil {
			t.Fatalf("the effective scenario of variant %s is refused: %v\n%s", s.Variant, err, s.Effective())
		}
		if again.Key() != s.Key() || !bytes.Equal(again.Effective(), s.Effective()) {
			t.Fatalf("the effective scenario of variant %s changed", s.Variant)
		}
		sameWarnings(t, s, again)
	}
}
