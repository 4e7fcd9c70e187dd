package scenarios

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// inputs are the scenarios of the scripts in testdata/stories.
var inputs = regexp.MustCompile(
	`(?m)^(?:load|lines|effective|phases|expect)[^\n]*\n((?s:.*?))^----$`)

// FuzzLoad: no input makes the loader panic or hang; what it accepts reproduces itself, what it
// refuses it can show.
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
	f.Fuzz(func(t *testing.T, text, set string) {
		checkLocate(t, text)
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
	})
}
