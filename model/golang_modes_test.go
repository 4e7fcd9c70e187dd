package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// TestGoOneWay: a one-way send is handed to the socket and not followed: a broker that is killed refuses
// connections, which is tried again elsewhere, from 2.1.2 on at once; what it had in hand is lost without
// a word. Nothing bounds its dial but the client's connection timeout (InvokeOneWay drops the time it is
// given), 15 s from 2.1.1 on, and the kernel's 127 s in 2.1.0, during all of which it holds the lock.
func TestGoOneWay(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 2)
		cfg.Topics[0].WriteQueueNums = 1
		p := &cfg.Producers[0]
		p.Mode, p.Rate, p.Settings.RetryTimesWhenSendFailed = config.OneWay, 10, 0
		at := afterPoll(cfg)
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 28*sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		handed, longest := 0, sim.Duration(0)
		for _, a := range obs.all {
			if a.Result.Status == strategy.StatusHanded {
				handed++
			}
		}
		for _, a := range obs.attempts {
			if a.Outcome.Kind == strategy.OutcomeConnectFailed {
				longest = max(longest, a.Ended.Sub(a.Began))
			}
		}
		if handed < 600 {
			t.Errorf("%s: %d sends handed over of %d", release, handed, len(obs.all))
		}
		switch {
		case release == "2.1.0" && longest != 0:
			t.Errorf("2.1.0: a dial ends after %v", longest)
		case release != "2.1.0" && longest < 15*sim.Second:
			t.Errorf("%s: dials end after %v", release, longest)
		}
	}
}

// TestGoAsync: SendAsync makes one attempt, of 3 s, whose end is told once; its caller is back at once, so
// that one thread keeps any number of sends in flight. To 2.1.2 the caller waits for the connection, and
// gets the error of a dial itself.
func TestGoAsync(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 2)
		p := &cfg.Producers[0]
		p.Mode, p.Rate, p.Threads = config.Async, 100, 1
		at := afterPoll(cfg)
		cfg.Faults = []config.Fault{{Name: "kill", Kind: config.Kill, At: at, Targets: master(0)}}
		cfg.Duration = at + 20*sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		dials := 0
		for _, a := range obs.all {
			if a.Attempts != 1 {
				t.Fatalf("%s: %d attempts", release, a.Attempts)
			}
			returned := a.Result.Exception == strategy.GoDialError && release != strategy.GoHead
			if a.Callbacks != 0 == returned {
				t.Fatalf("%s: %v with %d callbacks", release, a.Result, a.Callbacks)
			}
			if a.Result.Exception == strategy.GoDialError {
				dials++
			}
		}
		if dials < 900 || dials > 1010 || obs.answers["SEND_OK"] < 5000 {
			t.Errorf("%s: %v", release, obs.answers)
		}
	}
}

// TestGoAsyncSilent: with a silent broker one thread goes on, as no send waits for an answer, until a dial
// begins: to 2.1.2 that holds the caller.
func TestGoAsyncSilent(t *testing.T) {
	for _, release := range []string{"2.1.2", strategy.GoHead} {
		cfg := goConfig(release, 2)
		p := &cfg.Producers[0]
		p.Mode, p.Rate, p.Threads = config.Async, 100, 1
		at := afterPoll(cfg)
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 20*sim.Second
		obs := &goTally{}
		w := runWorld(t, cfg, obs)
		if backlog := w.Backlog(0); (backlog > 1500) != (release == "2.1.2") {
			t.Errorf("%s: %d messages wait for the thread", release, backlog)
		}
	}
}

// TestGoHashSelector: a key goes to the queue that its FNV-1a hash says, in the order of the list (H5), and
// a retry goes there, too: on a silent broker four times. Java makes one attempt.
func TestGoHashSelector(t *testing.T) {
	cfg := goConfig(strategy.GoHead, 2)
	p := &cfg.Producers[0]
	p.Choice, p.Keys, p.Rate, p.Threads = config.ChooseByHash, 7, 20, 512
	cfg.Duration = 60 * sim.Second
	cfg.Faults = []config.Fault{{Name: "f", Kind: config.PowerLoss, At: 20 * sim.Second, Targets: master(0)}}
	obs := &goTally{}
	w := runWorld(t, cfg, obs)
	failed := 0
	for _, a := range obs.attempts {
		key := w.keyOf(&w.groups[0], a.Number)
		h := uint32(strategy.GoHash(string(rune('0' + key))))
		if want := (strategy.Queue{Broker: strategy.Broker(h % 8 / 4), ID: int32(h % 8 % 4)}); a.Queue != want {
			t.Fatalf("key %d goes to %v, want %v", key, a.Queue, want)
		}
	}
	for _, a := range obs.all {
		if a.Result.Exception != strategy.ExceptionNone {
			failed++
			if a.Attempts != 4 || a.Result.Exception != strategy.GoRequestTimeout {
				t.Fatalf("%v after %d attempts", a.Result, a.Attempts)
			}
		}
	}
	if failed < 100 {
		t.Errorf("%d sends fail", failed)
	}
}
