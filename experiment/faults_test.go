package experiment

import (
	"testing"

	"simrun/model"
	"simrun/sim"
)

// Goal: a fault that strikes slaves only has a row for its broker and no effect on producers.
// Method: the master of the same broker dies while the slave is away.
func TestFaultOfSlavesHasNoEffectOnProducers(t *testing.T) {
	sc := shortScenario(1)
	sc.Config.Brokers[0].Slaves = 1
	of := func(name string, id int, at sim.Duration) model.Fault {
		return model.Fault{
			Name: name, Kind: model.Kill, Targets: []model.Target{{ID: id}}, At: at, Duration: 4 * sim.Second,
		}
	}
	sc.Config.Faults = []model.Fault{of("slave", 1, 8*sim.Second), of("master", 0, 10*sim.Second)}
	run := must(Run(t.Context(), sc, Options{}))
	slave, master := run.Faults[0].Effects, run.Faults[1].Effects
	if len(slave) != 1 || slave[0].Detect.Instances != 0 || slave[0].FailedAttempts != 0 {
		t.Errorf("the slave's fault: %+v", slave)
	}
	if len(master) != 1 || master[0].Detect.Reached == 0 || master[0].FailedAttempts == 0 {
		t.Errorf("the master's fault: %+v", master)
	}
}
