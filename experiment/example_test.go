package experiment_test

import (
	"context"
	"fmt"

	"simrun/experiment"
	"simrun/scenarios"
)

func ExampleRun() {
	sc, err := scenarios.Load("quickstart", scenarios.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := experiment.Run(context.Background(), sc, experiment.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range run.Phases {
		fmt.Println(p.Name)
	}
	fmt.Println("complete:", run.Complete)
	for _, e := range run.Expectations {
		fmt.Println(e.Name, e.Metric, e.Where, e.Verdict)
	}
	// Output:
	// warm-up
	// before
	// fault.crash
	// recovery.crash
	// all
	// complete: true
	// callers success_rate during fault.crash passed
	// avoided time_to_avoid fault crash passed
}
