package report_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"strings"

	"simrun/internal/result"
	"simrun/report"
)

// pause is a short run: one of three brokers stops for two seconds.
func pause() *result.Run {
	limit, found := 4e9, 1.02e9
	avoid, back := int64(found), int64(4_300_000_000)
	instances := result.Spread{Instances: 2, Reached: 2, MedianNS: &avoid, MaxNS: &avoid}
	r := &result.Run{
		Schema: result.Schema, Scenario: "gc-pause", Seed: 42, Key: "9f3a1c7e",
		Digest: "0123456789abcdef", Complete: true, DurationNS: 10e9, SimulatedNS: 10e9,
		Phases: []result.Phase{
			{Name: "before", ToNS: 4e9},
			{Name: "fault.pause", FromNS: 4e9, ToNS: 6e9},
			{Name: "all", ToNS: 10e9},
		},
		Stats: []result.Stats{
			{
				Phase: "before", Dim: result.DimAll, Messages: 40_000, OK: 40_000, OKFirst: 40_000,
				Attempts: 40_000, Latency: result.Latency{
					N: 40_000, P50NS: 2_000_000,
					P99NS: 11_800_000, P999NS: 16_000_000, MaxNS: 24_100_000,
				},
			},
			{
				Phase: "fault.pause", Dim: result.DimAll, Messages: 20_000, OK: 19_967, OKFirst: 19_900,
				Failed: 33, FirstFailed: 100, Attempts: 20_080, Latency: result.Latency{
					N:     20_000,
					P50NS: 2_100_000, P99NS: 38_400_000, P999NS: 1_003_000_000, MaxNS: 3e9,
				},
			},
			{
				Phase: "all", Dim: result.DimAll, Messages: 100_000, OK: 99_967, OKFirst: 99_900,
				Failed: 33, FirstFailed: 100, Attempts: 100_080, Latency: result.Latency{
					N:     100_000,
					P50NS: 2_000_000, P99NS: 13_200_000, P999NS: 1_001_000_000, MaxNS: 3e9,
				},
			},
		},
		Brokers: []result.Broker{
			{Phase: "before", Name: "b", Attempts: 13_333, Share: 0.333},
			{Phase: "fault.pause", Name: "b", Attempts: 80, Share: 0.004},
			{Phase: "all", Name: "b", Attempts: 24_200, Share: 0.242},
		},
		Faults: []result.Fault{{
			Name: "pause", Kind: "pause", Targets: []string{"b:0"}, Began: true,
			FromNS: 4e9, ToNS: 6e9, Effects: []result.FaultEffect{{
				Broker: "b", Detect: instances,
				Avoid: instances, RouteGone: result.Spread{Instances: 2}, FailedAttempts: 100,
				Attempts: 100, AvoidingAttempts: 100, Avoiding: 2,
				Return: result.Spread{Instances: 2, Reached: 2, MedianNS: &back, MaxNS: &back},
			}},
		}},
		Expectations: []result.Expectation{{
			Name: "avoid", Metric: "time_to_avoid",
			Where: "fault pause", Max: &limit, Actual: &found, Verdict: result.Passed,
		}},
		Verdict: result.Passed,
	}
	for _, name := range []string{"a", "b", "c"} {
		r.Setup.Brokers = append(r.Setup.Brokers, result.SetupBroker{Name: name})
	}
	r.Setup.Topics = []result.SetupTopic{{Name: "t", WriteQueueNums: 4, Brokers: []string{"a", "b", "c"}}}
	r.Setup.Producers = []result.SetupProducer{{
		Name: "p", Client: "java-5.3.3", Count: 2,
		Rate: 10_000, Topics: []result.SetupShare{{Name: "t", Share: 1}}, Policy: "rocketmq", Avoidance: true,
	}}
	return r
}

func ExampleSummary() {
	if err := report.Summary(os.Stdout, pause(), report.TextOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// gc-pause · rocketmq, avoidance on · seed 42 · 3 brokers × 4 queues · 2 producers
	// java-5.3.3 · 10 000 msg/s · 10 s simulated
	//
	//                   before  fault.pause      all
	//                    0–4 s        4–6 s   0–10 s
	// messages          40 000       20 000  100 000
	// success             100%       99.83%  99.967%
	// first attempt       100%       99.50%   99.90%
	// latency p50        2.0ms        2.1ms    2.0ms
	//         p99       11.8ms       38.4ms   13.2ms
	//         p99.9     16.0ms       1.003s   1.001s
	//         max       24.1ms       3.000s   3.000s
	// attempts/message   1.000        1.004    1.001
	// share of b         33.3%        0.40%    24.2%
	// failed                 0           33       33
	//
	// fault.pause · pause of b:0 · 4–6 s
	//         detected        avoided     route gone        returned    failed
	//    median   last  median   last  median   last   median   last  attempts
	// b   1.02s  1.02s   1.02s  1.02s   never  never¹   4.30s  4.30s       100
	// median and last producer instance; returned counts from the end of the fault
	// ¹ not by 10 s, where the run ended
	//
	// expectations
	// ✓ avoid  time_to_avoid (fault pause) ≤ 4s                                 1.020s
	//
	// the expectation holds
}

// windows are two of five seconds.
func windows() result.Series {
	broker := result.BrokerWindow{InFlight: 9.1, Queue: 0.4}
	stuck := result.BrokerWindow{InFlight: 412}
	return result.Series{WindowNS: 5e9, Brokers: []string{"a", "b", "c"}, Windows: []result.Window{
		{
			N: 50_000, P50NS: 2e6, P95NS: 6e6, P99NS: 12e6, MaxNS: 3e9, OK: 49_900, OKRetry: 67, Failed: 33,
			Sends: []int64{18_000, 14_000, 18_000}, Avoided: []float64{0, 1, 0}, Routed: []float64{1, 1, 1},
			Brokers: []result.BrokerWindow{broker, stuck, broker},
		},
		{
			FromNS: 5e9, N: 50_000, P50NS: 2e6, P95NS: 6e6, P99NS: 12e6, MaxNS: 24e6, OK: 50_000,
			Sends: []int64{25_000, 0, 25_000}, Avoided: []float64{0, 1, 0}, Routed: []float64{1, 1, 1},
			Brokers: []result.BrokerWindow{broker, {}, broker},
		},
	}}
}

func ExampleTimeline() {
	r := pause()
	r.Series = windows()
	figure := report.Timeline(r)
	data, err := figure.PNG()
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %d pixels wide\n", figure.Title, img.Width)
	// Output: Sends of gc-pause over simulated time: 1296 pixels wide
}

// broken is a sentence on several lines.
func broken(sentence string) string { return strings.ReplaceAll(sentence, "; ", ";\n") }

func ExampleFigures() {
	for _, f := range report.Figures(pause()) {
		fmt.Printf("%s: %s\n", f.Name, broken(f.Caption))
	}
	// Output:
	// timeline: The 99th percentile of latency is 38.4ms in fault.pause, where it was 11.8ms before;
	// in all, 33 messages failed.
	// recovery: In fault.pause the last of 2 producer instances avoided b after 1.02s;
	// 4.30s after its end none did any more.
}

func ExampleLatencyHDR() {
	r := pause()
	r.Spectra = []result.Spectrum{
		{Phase: "before", Dim: result.DimAll, Buckets: []result.Bucket{
			{UpToNS: 2e6, N: 39_000}, {UpToNS: 24_100_000, N: 1000},
		}},
		{Phase: "fault.pause", Dim: result.DimAll, Buckets: []result.Bucket{
			{UpToNS: 2_100_000, N: 19_500}, {UpToNS: 38_400_000, N: 400}, {UpToNS: 3e9, N: 100},
		}},
	}
	fmt.Println(broken(report.LatencyHDR(r).Caption))
	// Output:
	// The slowest 1 % of the messages of fault.pause took at least 38.4ms, those of before 11.8ms.
}

func ExampleFaultTable() {
	r := pause()
	r.Isolations = []result.Isolation{{
		Producer: "p", Instance: 1, Broker: "b", FromNS: 5_020_000_000, UntilNS: 9_300_000_000,
		LatencyNS: 1e9, LevelNS: 550e6, NotAvailableNS: 4_280_000_000, Explained: true,
	}}
	fmt.Println(broken(report.FaultTable(r).Caption))
	// Output:
	// Fault tables refused b in one stretch, 4.28s summed over producer instances;
	// every stretch of this run was of a broker that a fault had its hand on.
}

func ExampleRecovery() {
	fmt.Println(broken(report.Recovery(pause()).Caption))
	// Output:
	// In fault.pause the last of 2 producer instances avoided b after 1.02s;
	// 4.30s after its end none did any more.
}

func ExampleLatencyRaw() {
	r := pause()
	r.Sample = result.SendSample{Of: 100_000, Every: 50_000, Sends: []result.SampledSend{
		{Producer: "p", Message: 1, ScheduledNS: 1e9, LatencyNS: 2e6, Attempts: 1, Outcome: "ok"},
		{Producer: "p", Message: 2, ScheduledNS: 5e9, LatencyNS: 3e9, Attempts: 3, Outcome: "failed"},
	}}
	figure := report.LatencyRaw(r)
	fmt.Println(figure.Raster, broken(figure.Caption))
	// Output:
	// true Of the messages drawn 1 failed;
	// the one that took longest, of p at 5 s, cost its caller 3.000s.
}

func ExampleLatencyECDF() {
	r := pause()
	r.Spectra = []result.Spectrum{
		{Phase: "before", Dim: result.DimAll, Buckets: []result.Bucket{{UpToNS: 24_100_000, N: 40_000}}},
		{Phase: "fault.pause", Dim: result.DimAll, Buckets: []result.Bucket{
			{UpToNS: 2_100_000, N: 19_900}, {UpToNS: 3e9, N: 100},
		}},
	}
	fmt.Println(broken(report.LatencyECDF(r).Caption))
	// Output:
	// Half of the messages of fault.pause took no longer than 2.1ms (2.0ms before);
	// 0.50% took longer than any had before.
}

func ExampleSelectionShare() {
	r := pause()
	r.Series = windows()
	fmt.Println(broken(report.SelectionShare(r).Caption))
	// Output:
	// b received 14.0% of the sends while at least half of the producers avoided it;
	// its fair share is 33.3%.
}

func ExampleAttempts() {
	r := pause()
	r.Stats[1].AttemptCounts = []int64{0, 19_900, 67, 33}
	fmt.Println(broken(report.Attempts(r).Caption))
	// Output:
	// In fault.pause 100 messages of 20 000 took more than one attempt: 1.004 attempts for each message sent.
}

func ExampleQueueDepth() {
	r := pause()
	r.Series = windows()
	fmt.Println(broken(report.QueueDepth(r).Caption))
	// Output:
	// At most, 412 attempts were under way to b, at 0 s.
}
