package experiment

import (
	"testing"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// Goal: a fault that strikes slaves only has a row for its broker and no effect on producers.
// Method: the master of the same broker dies while the slave is away.
func TestFaultOfSlavesHasNoEffectOnProducers(t *testing.T) {
	sc := shortScenario(1)
	sc.Config.Brokers[0].Slaves = 1
	of := func(name string, id int, at sim.Duration) config.Fault {
		return config.Fault{
			Name: name, Kind: config.Kill, Targets: []config.Target{{ID: id}}, At: at, Duration: 4 * sim.Second,
		}
	}
	sc.Config.Faults = []config.Fault{of("slave", 1, 8*sim.Second), of("master", 0, 10*sim.Second)}
	run := must(Run(t.Context(), sc, Options{}))
	slave, master := run.Faults[0].Effects, run.Faults[1].Effects
	if len(slave) != 1 || slave[0].Detect.Instances != 0 || slave[0].FailedAttempts != 0 {
		t.Errorf("the slave's fault: %+v", slave)
	}
	if len(master) != 1 || master[0].Detect.Reached == 0 || master[0].FailedAttempts == 0 {
		t.Errorf("the master's fault: %+v", master)
	}
}

// Goal: a route is gone from an instance once every publish list that had the broker lacks it, and is
// back with the first that has it again; a topic that never had it does not count. Method: a group that
// sends to three topics, one of them not on the broker, told its routes one by one.
func TestRoutesOfSeveralTopics(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	cfg.Topics = append(cfg.Topics, cfg.Topics[0], config.Topic{Name: "side", Brokers: []string{"b"}})
	cfg.Topics[1].Name = "bills"
	cfg.Producers[0].Count = 1
	cfg.Producers[0].Topics = []config.TopicShare{{Name: "side"}, {Name: "bills"}, {Name: "orders"}}
	cfg.Faults = []config.Fault{fault("cut", config.Kill, 10*sim.Second, 10*sim.Second, master(0))}
	f := must(newFold(testScenario(cfg), sim.Second))
	f.windows.end = sim.Never
	route := func(second, topic int, hasA bool) {
		at := sim.Time(second) * sim.Time(sim.Second)
		f.RouteChanged(&model.RouteChange{At: at, Topic: int32(topic), Brokers: []bool{hasA, true}})
	}
	struck := model.ProcessEvent{At: sim.Time(10 * sim.Second), What: model.FaultBegan, Target: master(0)}
	f.Process(&struck)
	route(11, 2, false) // side never had it
	route(12, 0, false)
	route(15, 1, false)
	over := model.ProcessEvent{At: sim.Time(20 * sim.Second), What: model.FaultEnded, Target: master(0)}
	f.Process(&over)
	f.Process(&model.ProcessEvent{At: over.At, What: model.Started, Target: master(0), Fault: -1})
	route(24, 1, true)
	route(30, 0, true)
	f.faults.closeAll(sim.Time(50 * sim.Second))
	e := f.faults.results(sim.Time(50 * sim.Second))[0].Effects[0]
	if e.RouteGone.MaxNS == nil || *e.RouteGone.MaxNS != int64(5*sim.Second) {
		t.Errorf("the route is gone after %+v, want 5 s", e.RouteGone)
	}
	if e.Return.MaxNS == nil || *e.Return.MaxNS != int64(4*sim.Second) {
		t.Errorf("it is back after %+v, want 4 s", e.Return)
	}
}

// Goal: the time to avoid is of the instances whose avoidance is on, and of none of the others; an
// expectation on it does not wait for those. Method: a canary beside instances without avoidance.
func TestTimeToAvoidOfTheAvoiding(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	canary := cfg.Producers[0]
	canary.Name, canary.Count, canary.Settings.SendLatencyFaultEnable = "canary", 1, true
	cfg.Producers[0].Count, cfg.Producers[0].Settings.SendLatencyFaultEnable = 3, false
	cfg.Producers = append(cfg.Producers, canary)
	cfg.Faults = []config.Fault{fault("cut", config.Pause, 3*sim.Second, 4*sim.Second, master(0))}
	f := newFaultFold(&cfg, must(newFold(testScenario(cfg), sim.Second)).faults.slots)
	e := &f.effects[0]
	e.begin, e.avoid[3] = sim.Time(3*sim.Second), sim.Time(5*sim.Second)
	got := f.effectResult(e)
	if got.Avoid.Instances != 1 || got.Avoid.Reached != 1 || got.Avoid.MaxNS == nil ||
		got.Detect.Instances != 4 {
		t.Errorf("avoided: %+v, detected: %+v", got.Avoid, got.Detect)
	}
	var w slowest
	w.look(&f, e, "time_to_avoid", []bool{true, true})
	if w.instances != 1 || w.missing != 0 || w.known != 2*sim.Second {
		t.Errorf("of both groups: %+v", w)
	}
	w = slowest{}
	w.look(&f, e, "time_to_avoid", []bool{true, false})
	if w.instances != 3 || w.missing != 3 {
		t.Errorf("of the group without: %+v", w)
	}
}
