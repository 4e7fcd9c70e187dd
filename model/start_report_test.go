package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Reports about first sends.

// The budget of a send is also spent on the name server (apache/rocketmq issue 2845): an answer after less
// than 3 s leaves the rest to the first attempt; later, the lookup has its own limit. 4.6.0 and later throw
// IllegalStateException then, whatever the send's timeout; earlier ones look up the default topic as well,
// for 3 s more, and then know no route (client.md §5). No broker is touched.
func TestFirstSendWhileTheNameServerHangs(t *testing.T) {
	t.Parallel()
	hangs := func(release string, d sim.Duration) Answer {
		cfg := coldConfig(release, 1, 5*sim.Millisecond)
		cfg.Duration = 20 * sim.Second
		cfg.Faults = []config.Fault{
			{Name: "n", Kind: config.Pause, Targets: []config.Target{{Kind: config.NameServerTarget}}, Duration: d},
			{Name: "b", Kind: config.Pause, Targets: []config.Target{{}}}, // so that the send uses up its time
		}
		cfg.Producers[0].Settings.SendMsgTimeout = 2000
		var log attemptLog
		runWorld(t, cfg, &log)
		if len(log.answers) != 1 || (d > 3*sim.Second) != (len(log.attempts) == 0) {
			t.Fatalf("%s: %d answers, %d attempts", release, len(log.answers), len(log.attempts))
		}
		return log.answers[0]
	}
	for _, c := range []struct {
		release   string
		hangs     sim.Duration
		exception strategy.Exception
		code      int
		after     sim.Duration
	}{
		{"4.5.2", sim.Second, strategy.RemotingTooMuchRequestException, 0, 2 * sim.Second},
		{"4.9.8", sim.Second, strategy.RemotingTooMuchRequestException, 0, 2 * sim.Second},
		{"5.3.3", sim.Second, strategy.RemotingTooMuchRequestException, 0, 2 * sim.Second},
		{"4.5.2", 19 * sim.Second, strategy.MQClientException, strategy.CodeNotFoundTopic, 6 * sim.Second},
		{"4.6.0", 19 * sim.Second, strategy.IllegalStateException, 0, 3 * sim.Second},
		{"5.3.3", 19 * sim.Second, strategy.IllegalStateException, 0, 3 * sim.Second},
	} {
		a := hangs(c.release, c.hangs)
		took := a.At.Sub(a.Scheduled)
		late := took - c.after
		res := a.Result
		if res.Exception != c.exception || res.Code != c.code || late < 0 || late > 10*sim.Millisecond {
			t.Errorf("%s, hanging for %v: %v code %d after %v", c.release, c.hangs, res.Exception, res.Code, took)
		}
	}
}

// mqClientApiTimeout (4.9.2 and later) is how long a lookup waits for its answer (client.md §5, §8).
func TestLookupWaitsForItsTimeout(t *testing.T) {
	t.Parallel()
	for _, timeout := range []sim.Duration{0, 500 * sim.Millisecond, 4 * sim.Second} {
		cfg := coldConfig("5.3.3", 1, 5*sim.Millisecond)
		cfg.Duration = 20 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "n", Kind: config.Pause,
			Targets: []config.Target{{Kind: config.NameServerTarget}},
		}}
		cfg.Producers[0].Remoting.APITimeout = timeout
		var log attemptLog
		runWorld(t, cfg, &log)
		if timeout == 0 {
			timeout = 3 * sim.Second
		}
		took := log.answers[0].At.Sub(log.answers[0].Scheduled)
		if late := took - timeout; late < 0 || late > 10*sim.Millisecond {
			t.Errorf("a send without a route is answered after %v, want %v", took, timeout)
		}
	}
}

// Clients that start before their name server fail until it answers (apache/rocketmq issue 5252), each send
// for itself, and send as soon as one has found the route.
func TestClientsStartBeforeTheirNameServer(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.5.2", "4.6.0", "5.3.3"} {
		cfg := coldConfig(release, 2)
		p := &cfg.Producers[0]
		p.Arrivals, p.Recorded, p.Rate, p.Count = config.Constant, nil, 100, 20
		cfg.NameServers[0].Startup = sim.Second
		cfg.Faults = []config.Fault{{
			Name: "n", Kind: config.Kill, Targets: []config.Target{{Kind: config.NameServerTarget}},
			Duration: 2 * sim.Second,
		}}
		for b := range cfg.Brokers { // they come back with it
			cfg.Brokers[b].Startup = sim.Second
			cfg.Faults = append(cfg.Faults, config.Fault{
				Name: "b", Kind: config.Kill, Targets: []config.Target{{Index: b}}, Duration: 3 * sim.Second,
			})
		}
		var log attemptLog
		runWorld(t, cfg, &log)
		var failed, ok int
		for _, a := range log.answers {
			good := a.Result.Status == strategy.StatusSendOK
			switch {
			case good && a.Scheduled < sim.Time(3*sim.Second-20*sim.Millisecond):
				t.Errorf("%s: sent at %v", release, a.Scheduled)
			case !good && a.Scheduled > sim.Time(4*sim.Second+20*sim.Millisecond):
				t.Errorf("%s: failed at %v: %v", release, a.Scheduled, a.Result.Exception)
			case !good:
				failed++
			default:
				ok++
			}
		}
		if failed < 250 || ok < 500 {
			t.Errorf("%s: %d failed, %d sent", release, failed, ok)
		}
	}
}
