package main

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/scenarios"
)

// jobScenario is the job as a scenario; it keeps to the numbers of the job.
//
//go:embed job.toml
var jobScenario []byte

// runSimrunJob does the job by the path that a user's run takes: the scenario is read and
// validated, simulated with everything that a run observes (phases, windows, brokers, ledger,
// digest), and folded into a result.
//
// A synchronous send always has a timeout. Without timeouts is a timeout longer than the run.
func runSimrunJob(messages int, timeouts bool) (JobResult, error) {
	if timeouts {
		return runJob(messages)
	}
	return runJob(messages, "producer.p.send_msg_timeout=24h")
}

// runSpreadJob does the job with a number of instances.
func runSpreadJob(messages, instances int) error {
	_, err := runJob(messages, fmt.Sprintf("producer.p.count=%d", instances), "producer.p.threads=4")
	return err
}

func runJob(messages int, set ...string) (JobResult, error) {
	set = append(set, fmt.Sprintf("duration=%v", time.Duration(messages)*time.Second/jobRate))
	sc, err := scenarios.Load("./job.toml", scenarios.Options{
		Set:      set,
		ReadFile: func(string) ([]byte, error) { return jobScenario, nil },
	})
	if err != nil {
		return JobResult{}, err
	}
	run, err := experiment.Run(context.Background(), sc, experiment.Options{})
	if err != nil {
		return JobResult{}, err
	}
	for _, s := range run.Stats {
		if s.Phase == result.PhaseAll && s.Dim == result.DimAll {
			return JobResult{
				Messages: int(s.Messages),
				P50:      time.Duration(s.Latency.P50NS), P99: time.Duration(s.Latency.P99NS),
			}, nil
		}
	}
	return JobResult{}, fmt.Errorf("job: the result has no row for all messages")
}
