package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"simrun/internal/result"
)

// canary gives a run a second group of producers with other settings, and each its messages.
func canary(r *result.Run) *result.Run {
	stable := r.Setup.Producers[0]
	other := stable
	stable.Name, stable.Avoidance = "stable", false
	stable.Topics = []result.SetupShare{{Name: "orders", Share: 0.8}, {Name: "bills", Share: 0.2}}
	stable.OnFailure, stable.Batch = "resend up to 3 times after 1s", 10
	other.Name, other.Client, other.Count, other.Rate = "canary", "go-2.1.2", 1, 100
	other.Load, other.Mode = "Poisson, bursts ×5 for 5s every 60s", "async"
	other.RetriesSync, other.Retries = 3, 3
	r.Setup.Producers = []result.SetupProducer{stable, other}
	r.Setup.Start, r.Setup.ZoneLinks = "cold, over 10s", []string{"east–west 5ms", "east–north 20ms"}
	r.Setup.Topics = append(r.Setup.Topics, r.Setup.Topics[0])
	r.Setup.Topics[1].Name = "bills"
	for _, s := range r.Stats {
		for i, topic := range []string{"orders", "bills"} {
			part := s
			part.Dim, part.Name = result.DimTopic, topic
			part.Messages = part.Messages * []int64{4, 1}[i] / 5
			r.Stats = append(r.Stats, part)
		}
		for i, p := range r.Setup.Producers {
			part := s
			part.Dim, part.Name = result.DimProducer, p.Name
			share := []int64{9, 1}[i]
			for _, n := range []*int64{&part.Messages, &part.OK, &part.OKFirst, &part.Failed, &part.Attempts} {
				*n = *n * share / 10
			}
			avoided := int64(90e9) * int64(i)
			part.AvoidedNS = &avoided
			r.Stats = append(r.Stats, part)
		}
	}
	return r
}

// oneWay makes the messages of a run one-way ones.
func oneWay(r *result.Run) *result.Run {
	p := &r.Setup.Producers[0]
	p.Mode, p.Choice, p.Keys, p.Load = "oneway", "hash", 16, "closed loop of 256 threads, think 10ms"
	p.Rate, p.Retries = 0, 0
	for i := range r.Stats {
		s := &r.Stats[i]
		s.Handed, s.OK, s.OKFirst, s.HandedMissed, s.AckedLost = s.OK, 0, 0, s.Lost, 0
	}
	for i := range r.Ledger.Rows {
		if r.Ledger.Rows[i].Answer == "SEND_OK" {
			r.Ledger.Rows[i].Answer, r.Ledger.Rows[i].NeverStored = "HANDED_OVER", 41
		}
	}
	return r
}

// Producers that do something else than the usual are described, several groups each have a line of
// results for all messages and for those of each fault.
func TestSummaryOfProducers(t *testing.T) {
	for name, r := range map[string]*result.Run{
		"canary": canary(fixture(twoMastersDown())), "one-way": oneWay(fixture(twoMastersDown())),
	} {
		got := summaryOf(t, r, TextOptions{})
		golden(t, filepath.Join("testdata", "summary", name+".txt"), []byte(got))
		checkWidth(t, got, 80)
		checkWidth(t, summaryOf(t, r, TextOptions{Width: 60}), 60)
	}
}

// The figure has a layer for one-way messages, if there are any.
func TestTimelineOfOneWay(t *testing.T) {
	r := oneWay(fixture(twoMastersDown()))
	drawn := func() bool {
		svg, err := Timeline(r).SVG()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(svg, []byte(handedOver))
	}
	if drawn() {
		t.Error("a layer without a message")
	}
	for i := range r.Series.Windows {
		w := &r.Series.Windows[i]
		w.Handed, w.OK = w.OK, 0
	}
	if !drawn() {
		t.Error("no layer of one-way messages")
	}
}
