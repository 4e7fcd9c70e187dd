package scenarios

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
)

const recordedText = `
[broker.a]
[producer.p]
arrivals = "recorded"
arrivals_file = "data/arrivals.csv"
`

// loadRecorded loads a scenario with a file of arrivals beside it.
func loadRecorded(t *testing.T, text, csv string) *Scenario {
	t.Helper()
	s, err := Load("dir/x.toml", Options{ReadFile: readFiles(map[string]string{
		"dir/x.toml": text, "dir/data/arrivals.csv": csv,
	})})
	if err != nil {
		report(t, err)
		t.FailNow()
	}
	return s
}

// TestRecordedArrivals: the file is read beside the scenario, its columns in any order, and kept for
// whoever keeps the effective scenario.
func TestRecordedArrivals(t *testing.T) {
	const csv = "key,time_s,size\n7,0.5,\n,0.5,2KiB\n0,1.25,100\n"
	s := loadRecorded(t, recordedText, csv)
	want := []config.Arrival{
		{At: 500 * sim.Millisecond, Key: 7, HasKey: true},
		{At: 500 * sim.Millisecond, Size: 2048},
		{At: 1250 * sim.Millisecond, Size: 100, HasKey: true},
	}
	if diff := cmp.Diff(want, s.Config.Producers[0].Recorded); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Beside{{"data/arrivals.csv", []byte(csv)}}, s.Beside); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
}

// TestRecordedKey: another content of the file is another scenario, even one that means the same.
func TestRecordedKey(t *testing.T) {
	one := loadRecorded(t, recordedText, "time\n1s\n")
	other := loadRecorded(t, recordedText, "time\n1000ms\n")
	if one.Key() == other.Key() {
		t.Error("the file changed, and the key did not")
	}
	again := loadRecorded(t, string(one.Effective()), "time\n1s\n")
	if again.Key() != one.Key() {
		t.Error("the effective scenario has another key")
	}
}

// TestShapes: what a shape stands for.
func TestShapes(t *testing.T) {
	const s = sim.Second
	point := func(at sim.Duration, factor float64) rate.Point {
		return rate.Point{At: at, Factor: factor}
	}
	for _, c := range []struct {
		load string
		want rate.Shape
	}{
		{
			`{ shape = "bursts", factor = 5, for = "2s" }`,
			rate.Shape{Points: []rate.Point{point(0, 5), point(2*s, 5), point(2*s, 1)}},
		},
		{
			`{ shape = "bursts", factor = 5, for = "2s", at = "3s", every = "10s" }`,
			rate.Shape{Points: []rate.Point{
				point(0, 1), point(3*s, 1), point(3*s, 5), point(5*s, 5), point(5*s, 1),
			}, Period: 10 * s},
		},
		{ // ends where the next period begins
			`{ shape = "bursts", factor = 0, for = "7s", at = "3s", every = "10s" }`,
			rate.Shape{Points: []rate.Point{
				point(0, 1), point(3*s, 1), point(3*s, 0), point(10*s, 0),
			}, Period: 10 * s},
		},
		{
			`{ shape = "ramp", to = 3, at = "10s", over = "5s" }`,
			rate.Shape{Points: []rate.Point{point(0, 1), point(10*s, 1), point(15*s, 3)}},
		},
		{
			`{ shape = "ramp", from = 2, to = 0.5, over = "5s" }`,
			rate.Shape{Points: []rate.Point{point(0, 2), point(5*s, 0.5)}},
		},
		{
			`{ shape = "daily", factors = [1, 2, 0], day = "30s" }`,
			rate.Shape{Points: []rate.Point{
				point(0, 1), point(10*s, 2), point(20*s, 0), point(30*s, 1),
			}, Period: 30 * s},
		},
		{
			`{ shape = "points", points = [{ at = "0s", factor = 1 }, { at = "4s", factor = 2 }] }`,
			rate.Shape{Points: []rate.Point{point(0, 1), point(4*s, 2)}},
		},
	} {
		text := "[broker.a]\n[producer.p]\nrate = \"10/s\"\nload = " + c.load + "\n"
		got := mustLoad(t, text).Config.Producers[0].Shape
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.load, diff)
		}
	}
}

// TestGoDefaults: the Go client has its own: three retries, and 3 s for each attempt.
func TestGoDefaults(t *testing.T) {
	s := mustLoad(t, "[broker.a]\n[producer.p]\nclient = \"go-2.1.2\"\nrate = \"1/s\"\n")
	p := &s.Config.Producers[0]
	if p.Client != config.GoClient || p.Release != "2.1.2" {
		t.Errorf("client %v %s", p.Client, p.Release)
	}
	if p.Settings.RetryTimesWhenSendFailed != 3 || p.Settings.SendMsgTimeout != 3000 {
		t.Errorf("settings %+v", p.Settings)
	}
}
