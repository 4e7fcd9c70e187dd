package ensemble

import (
	"encoding/json"
	"reflect"
	"testing"

	"simrun/internal/result"
)

// What was kept of runs says the same of its rows as the runs do: medians, differences, intervals, verdicts,
// gains, and how often what is bad happened.
func TestRecordedComparesAlike(t *testing.T) {
	t.Parallel()
	inputs := table(t, `
		base latency_p99@all 10 11 12 13 14 15 16 17 18 19
		base starved_time@x  - never 1 2 3 4 5 6 7 8
		base extra_copies    0 1 0 2 0 0 3 0 0 0
		ours latency_p99@all 9 10 11 12 13 14 15 16 17 18
		ours starved_time@x  1 1 1 never 3 3 5 5 - 9
		ours extra_copies    2 2 2 2 2 2 2 2 2 2`)
	rows := []Row{
		{Metric: "latency_p99", Phase: result.PhaseAll},
		{Metric: "starved_time", Fault: "x"},
		{Metric: "extra_copies", Phase: result.PhaseAll},
	}
	for i := range inputs { // an event is counted apart from the metric of that name
		for _, m := range inputs[i].Members {
			m.values.all[m.index(rows[2])] = float64(m.events[3])
		}
	}
	kept := make([]Input, len(inputs))
	for i, in := range inputs {
		kept[i].Name = in.Name
		for _, m := range in.Members {
			values := make([]float64, len(rows))
			for k, r := range rows {
				values[k], _ = m.Value(r)
			}
			kept[i].Members = append(kept[i].Members, Recorded(m.Seed(), m.Digest(), rows, values))
		}
	}
	want, got := Compare(inputs, Options{Rows: rows}), Compare(kept, Options{Rows: rows})
	for i := range rows {
		// NaN is not itself, so what is compared is JSON.
		a, errA := json.Marshal(want.Rows[i])
		b, errB := json.Marshal(got.Rows[i])
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if string(a) != string(b) {
			t.Errorf("%s: %s, want %s", rows[i], b, a)
		}
	}
	for i := range want.Events {
		if want.Events[i].Name == "extra_copies" && !reflect.DeepEqual(want.Events[i], got.Events[i]) {
			t.Errorf("events %+v, want %+v", got.Events[i], want.Events[i])
		}
	}
}
