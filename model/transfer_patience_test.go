package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// A send thread of 4.3.1 waits for a slave for syncFlushTimeout, whatever the transfer thread is at: that
// one stays with the first wait for five pauses of a second. So each wait is over in time, also one that
// began while the transfer thread was still busy with waits that nobody expects any more.
//
// Source: CommitLog.GroupCommitRequest.waitForFlush and HAService.GroupTransferService.doWaitTransfer,
// 4.3.1.
func TestEachWaitForASlaveIsGivenUpInTime(t *testing.T) {
	cfg := configtest.Small("4.3.1", 1)
	b := &cfg.Brokers[0]
	b.Slaves, b.Role, b.SendThreads = 1, config.SyncMaster, 1
	b.SyncFlushTimeout = 50 * sim.Millisecond
	cfg.Duration = 10 * sim.Second
	cfg.Producers[0].Rate = 10
	cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
	cfg.Faults = []config.Fault{{
		Name: "stop", Kind: config.Pause, At: 0, Factor: 1, Targets: []config.Target{{ID: 1}},
	}}
	obs := &patience{}
	runWorld(t, cfg, obs)
	if obs.answered < 80 {
		t.Fatalf("%d answers", obs.answered)
	}
	if obs.longest > 300*sim.Millisecond {
		t.Errorf("an answer took %v", obs.longest)
	}
	if obs.weak < obs.answered-2 {
		t.Errorf("%d of %d answers are FLUSH_SLAVE_TIMEOUT", obs.weak, obs.answered)
	}
}

type patience struct {
	NopObserver
	answered, weak int
	longest        sim.Duration
}

func (p *patience) Answered(a *Answer) {
	p.answered++
	p.longest = max(p.longest, a.At.Sub(a.Began))
	if a.Result.Status == strategy.StatusFlushSlaveTimeout {
		p.weak++
	}
}
