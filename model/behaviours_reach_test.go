package model

import (
	"testing"

	"simrun/model/config/configtest"
	"simrun/model/releases"
	"simrun/sim"
)

// What Validate refuses does not come to New.
func TestBehavioursReachTheProcesses(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 2)
	cfg.Brokers[1].Behaviours = []string{"cluster_poll=0s"}
	cfg.NameServers[0].Behaviours = []string{"scan=10s"}
	cfg.Producers[0].Behaviours = []string{"fail_fast=on-reset"}
	w := New(cfg, nil)
	if w.procs[0].profile.ClusterPoll == 0 || w.procs[1].profile.ClusterPoll != 0 {
		t.Error("the broker's behaviours")
	}
	if w.nameServers[0].profile.Scan != 10*sim.Second || w.groups[0].client.FailFast != releases.FailOnReset {
		t.Error("the name server's or the client's behaviours")
	}
}
