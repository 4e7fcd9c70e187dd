package lint

import (
	"fmt"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// cut is a power loss of the first broker's master.
func cut(lasts sim.Duration) config.Fault {
	return config.Fault{
		Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{}}, At: sim.Second,
		Duration: lasts,
	}
}

// lintCase is a pair of configurations on both sides of one inequality.
type lintCase struct {
	name    string
	release string
	brokers int
	// path and says are those of the warning that the first one gets and the second one does not.
	path, says string
	bad, good  func(*config.Config)
}

// paused, killedFor and vanished are faults of the first broker's master.
func paused(lasts sim.Duration) config.Fault {
	return config.Fault{
		Name: "p", Kind: config.Pause, Targets: []config.Target{{}}, At: sim.Second,
		Duration: lasts,
	}
}

func killedFor(lasts sim.Duration) config.Fault {
	return config.Fault{
		Name: "k", Kind: config.Kill, Targets: []config.Target{{}}, At: sim.Second,
		Duration: lasts,
	}
}

func vanished(lasts sim.Duration) config.Fault {
	return config.Fault{
		Name: "v", Kind: config.Vanish, Targets: []config.Target{{}}, At: sim.Second,
		Duration: lasts,
	}
}

func asyncRetriesOf(n int) func(*config.Config) {
	return settingsOf(func(s *strategy.Settings) { s.RetryTimesWhenSendAsyncFailed = n })
}

// settingsOf changes the settings of the producer.
func settingsOf(change func(*strategy.Settings)) func(*config.Config) {
	return func(c *config.Config) { change(&c.Producers[0].Settings) }
}

// with does one change after the other.
func with(changes ...func(*config.Config)) func(*config.Config) {
	return func(c *config.Config) {
		for _, change := range changes {
			change(c)
		}
	}
}

func timeout(ms strategy.Millis) func(*config.Config) {
	return settingsOf(func(s *strategy.Settings) { s.SendMsgTimeout = ms })
}

func withTable(c *config.Config) { c.Producers[0].Settings.SendLatencyFaultEnable = true }

func faulty(faults ...config.Fault) func(*config.Config) {
	return func(c *config.Config) { c.Faults = append(c.Faults, faults...) }
}

func retriesOf(n int) func(*config.Config) {
	return settingsOf(func(s *strategy.Settings) { s.RetryTimesWhenSendFailed = n })
}

func mode(m config.SendMode) func(*config.Config) {
	return func(c *config.Config) { c.Producers[0].Mode = m }
}

func choiceOf(q config.QueueChoice) func(*config.Config) {
	return func(c *config.Config) { c.Producers[0].Choice = q }
}

func capOf(ms strategy.Millis) func(*config.Config) {
	return settingsOf(func(s *strategy.Settings) { s.SendMsgMaxTimeoutPerRequest = ms })
}

func firstBroker(change func(*config.Broker)) func(*config.Config) {
	return func(c *config.Config) { change(&c.Brokers[0]) }
}

func syncFlush(b *config.Broker) { b.Flush = config.SyncFlush }

func syncMaster(b *config.Broker) {
	b.Role, b.Slaves, b.SlaveTimeout, b.InSyncReplicas = config.SyncMaster, 1, 3*sim.Second, 2
}

func impatient(b *config.Broker) { b.FastFailure, b.WaitTimeInQueue = true, 4*sim.Second }

func starting(b *config.Broker) { b.Startup = sim.Second }

func unchanged(*config.Config) {}

const (
	timeoutKey = "producer.p.send_msg_timeout"
	retryKey   = "producer.p.retry_times_when_send_failed"
	asyncKey   = "producer.p.retry_times_when_send_async_failed"
	capKey     = "producer.p.send_msg_max_timeout_per_request"
	threadKey  = "producer.p.threads"
	isolateKey = "producer.p.not_available_duration"
	topicKey   = "producer.p.topic"
)

// TestLint: each inequality has a warning on one side and none on the other. Sentences of the fact sheet
// of the client are named where a case restates one.
func TestLint(t *testing.T) {
	for _, cases := range [][]lintCase{waitLints, retryLints, avoidLints, loadLints, idleLints} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				if got := lintAt(t, &c, c.bad); !strings.Contains(got, c.says) || got == "" {
					t.Errorf("%s says %q, want %q", c.path, got, c.says)
				}
				if got := lintAt(t, &c, c.good); got != "" {
					t.Errorf("a false alarm: %s says %q", c.path, got)
				}
			})
		}
	}
}

// lintAt is the warning at the path of a case; everything that is said is a warning.
func lintAt(t *testing.T, c *lintCase, change func(*config.Config)) (message string) {
	t.Helper()
	cfg := configtest.Small(c.release, c.brokers)
	change(&cfg)
	for _, p := range problemsOf(&cfg) {
		if !p.Warning {
			t.Fatalf("%s: %s", p.Path, p.Message)
		}
		if p.Path == c.path {
			message += p.Message
		}
	}
	return message
}

// problemsOf is what a loader hears of a configuration: the mistakes, and the warnings if there are none.
func problemsOf(cfg *config.Config) []config.Problem { return append(cfg.Validate(), Check(cfg)...) }

var waitLints = []lintCase{
	{
		"disk", "5.3.3", 2, timeoutKey, "3s <= sync_flush_timeout 3s of broker b00 (SYNC_FLUSH)",
		firstBroker(func(b *config.Broker) { syncFlush(b); b.SyncFlushTimeout = 3 * sim.Second }),
		firstBroker(func(b *config.Broker) { syncFlush(b); b.SyncFlushTimeout = 3*sim.Second - sim.Millisecond }),
	},
	{
		"disk of ASYNC_FLUSH", "5.3.3", 2, timeoutKey, "3s <= sync_flush_timeout 5s",
		firstBroker(syncFlush), unchanged,
	},
	{
		"disk of a one-way send", "5.3.3", 2, timeoutKey, "3s <= sync_flush_timeout 5s",
		firstBroker(syncFlush), with(firstBroker(syncFlush), mode(config.OneWay)),
	},
	{
		// 4.7.0 to 4.9.2 look at no clock: there is no FLUSH_DISK_TIMEOUT to miss.
		"disk that nobody watches", "4.9.3", 2, timeoutKey, "3s <= sync_flush_timeout 5s",
		firstBroker(syncFlush),
		firstBroker(func(b *config.Broker) { syncFlush(b); b.Release = "4.9.2" }),
	},
	{
		"slave", "5.3.3", 2, timeoutKey, "3s <= slave_timeout 3s of broker b00 (SYNC_MASTER)",
		firstBroker(syncMaster),
		firstBroker(func(b *config.Broker) { syncMaster(b); b.SlaveTimeout = 2999 * sim.Millisecond }),
	},
	{
		"slave that nobody waits for", "5.3.3", 2, timeoutKey, "3s <= slave_timeout 3s",
		firstBroker(syncMaster), firstBroker(func(b *config.Broker) { syncMaster(b); b.InSyncReplicas = 1 }),
	},
	{
		"slave before 4.9.3", "4.9.1", 2, timeoutKey, "3s <= sync_flush_timeout 5s of broker b00 (SYNC_MASTER)",
		firstBroker(syncMaster), with(firstBroker(syncMaster), timeout(5001)),
	},
	{
		"slave before 4.6.0", "4.5.2", 2, timeoutKey, "5s <= five rounds of 1s, 5s of broker b00 (SYNC_MASTER)",
		with(firstBroker(syncMaster), timeout(5000)), with(firstBroker(syncMaster), timeout(5001)),
	},
	{
		"queue of the broker", "5.3.3", 2, timeoutKey, "4s <= wait_time_mills_in_send_queue 4s of broker b00",
		with(timeout(4000), firstBroker(impatient)),
		with(timeout(4001), firstBroker(impatient)),
	},
	{
		"queue of the broker, and what is sent again", "4.9.8", 2, timeoutKey,
		"callers have given up, and what they send again comes on top",
		with(timeout(4000), firstBroker(impatient)),
		func(c *config.Config) { timeout(4001)(c); firstBroker(impatient)(c) },
	},
	{
		// "SYN blackhole: RemotingConnectException after 3000 ms (even if sendMsgTimeout is 500)" (section 6).
		"connect", "5.3.3", 2, timeoutKey, "2999ms < 3s, the connect timeout, which it does not shorten",
		with(timeout(2999), faulty(cut(0))), with(timeout(3000), faulty(cut(0))),
	},
	{
		"connect that somebody answers", "5.3.3", 2, timeoutKey, "(fault.cut) takes 3s, and then no time",
		with(timeout(1000), faulty(config.Fault{Name: "cut", Kind: config.Vanish, Targets: []config.Target{{}}})),
		with(timeout(1000), faulty(killed, config.Fault{
			Name: "p", Kind: config.Pause,
			Targets: []config.Target{{}},
		})),
	},
	{
		// One-way and asynchronous sends wait for no connect since 5.3.0.
		"connect that nobody waits for", "5.2.0", 2, timeoutKey, "(fault.cut) takes 3s",
		with(timeout(1000), faulty(cut(0)), mode(config.OneWay)),
		with(timeout(1000), faulty(cut(0)), mode(config.OneWay),
			func(c *config.Config) { c.Producers[0].Release = "5.3.0" }),
	},
}

// killed is a process that ends while its kernel lives on.
var killed = config.Fault{Name: "k", Kind: config.Kill, Targets: []config.Target{{}}, At: sim.Second}

// TestLintTellsOfNoRetries: where there are none, no warning says that they are late or come on top.
func TestLintTellsOfNoRetries(t *testing.T) {
	for _, change := range []func(*config.Config){retriesOf(0), choiceOf(config.ChooseByHash)} {
		cfg := configtest.Small("5.3.3", 2)
		with(change, timeout(1000), faulty(cut(0)), firstBroker(impatient), firstBroker(syncFlush))(&cfg)
		problems := fmt.Sprint(problemsOf(&cfg))
		for _, says := range []string{
			"(fault.cut) takes 3s", "callers have given up", "hears FLUSH_DISK_TIMEOUT",
		} {
			if !strings.Contains(problems, says) {
				t.Errorf("nobody says %q: %s", says, problems)
			}
		}
		for _, says := range []string{"retry", "again", "on top", "retries"} {
			if strings.Contains(problems, says) {
				t.Errorf("a warning says %q: %s", says, problems)
			}
		}
		cfg.Producers[0].OnFailure.Resends = 1
		if problems := fmt.Sprint(problemsOf(&cfg)); !strings.Contains(problems, "send again comes on top") {
			t.Errorf("resends are not spoken of: %s", problems)
		}
	}
}

var retryLints = []lintCase{
	{
		// "Typical hang (4.3.0+, timeout 3000): exactly 1 real attempt" (section 4).
		"retries after a hang", "4.3.0", 2, retryKey,
		"3 > 0, the retries after a hang (fault.cut): a first attempt may take all of send_msg_timeout 3s",
		with(faulty(cut(0)), retriesOf(3)), faulty(cut(0)),
	},
	{
		// "(4.9.1+) a sync timeout closes the shared channel" (section 10, 17).
		"retries on a connection that closes", "4.9.1", 2, retryKey, "as on the connection that a timeout closes",
		with(faulty(cut(0)), retriesOf(3)), with(faulty(cut(0)), retriesOf(1)),
	},
	{
		// "4.0.0..4.2.0 pass the FULL timeout to every attempt" (section 4).
		"retries of a budget for each attempt", "4.3.0", 2, retryKey, "3 > 0",
		with(faulty(cut(0)), retriesOf(3)),
		with(faulty(cut(0)), retriesOf(3), func(c *config.Config) { c.Producers[0].Release = "4.2.0" }),
	},
	{
		"retries after a pause", "5.3.3", 2, retryKey, "3 > 0",
		with(retriesOf(3), faulty(paused(3*sim.Second))), with(retriesOf(3), faulty(paused(2*sim.Second))),
	},
	{
		"retries that somebody raised", "5.3.3", 2, retryKey, "3 > 0, the retries after a hang:",
		retriesOf(3), retriesOf(2),
	},
	{
		"retries of a slave's fault", "5.3.3", 2, retryKey, "(fault.cut)",
		with(retriesOf(3), faulty(cut(0))),
		with(firstBroker(func(b *config.Broker) { b.Slaves = 1 }),
			faulty(config.Fault{
				Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{ID: 1}},
				At: sim.Second,
			})),
	},
	{
		// "5.3.3 cap fixes if configured" (section 10, 13).
		"retries with a cap", "5.3.3", 2, retryKey, "3 > 0",
		with(retriesOf(3), faulty(cut(0))), with(retriesOf(3), faulty(cut(0)), capOf(999)),
	},
	{
		"cap that leaves time for some", "5.3.3", 2, capKey, "1500ms x 2 retries >= send_msg_timeout 3s: after " +
			"hangs only 1 of them fit",
		capOf(1500), capOf(1499),
	},
	{
		"cap that cuts nothing", "5.3.3", 2, capKey, "3s >= send_msg_timeout 3s: it cuts no attempt short",
		with(capOf(3000), retriesOf(1)), with(capOf(2999), retriesOf(1)),
	},
	{
		// "4.7.0..4.9.2: remaining is negative -> RemotingTooMuchRequest -> stop" (section 4).
		"asynchronous retries", "4.7.0", 2, asyncKey, "3 > 0, the retries after a hang (fault.cut)",
		with(mode(config.Async), faulty(cut(0)), asyncRetriesOf(3)), with(mode(config.Async), faulty(cut(0))),
	},
	{
		"asynchronous retries without a budget", "4.7.0", 2, asyncKey, "3 > 0",
		with(mode(config.Async), faulty(cut(0)), asyncRetriesOf(3)),
		with(mode(config.Async), faulty(cut(0)), asyncRetriesOf(3), func(c *config.Config) {
			c.Producers[0].Release = "4.6.1"
		}),
	},
	{
		// "4.9.3..5.2.0: the healthy retry targets are isolated" (section 4).
		"asynchronous retries that isolate", "5.2.0", 2, asyncKey,
		"but brokers that were never asked are isolated",
		with(mode(config.Async), withTable, faulty(cut(0))), with(mode(config.Async), faulty(cut(0))),
	},
}

// TestLintOfRetriesHasARemedy: the cap where the release has one, else a budget longer than the hang.
func TestLintOfRetriesHasARemedy(t *testing.T) {
	for _, c := range []struct {
		release, hint string
		lasts         sim.Duration
	}{
		{"5.3.3", "a send_msg_max_timeout_per_request below 1s leaves time for all", 0},
		{
			"4.9.8", "a send_msg_timeout above 20s outlasts it; 5.3.3 has send_msg_max_timeout_per_request",
			20 * sim.Second,
		},
		{"4.9.8", "a send_msg_timeout longer than the hang helps; 5.3.3 has send_msg_max_timeout_per_request", 0},
	} {
		cfg := configtest.Small(c.release, 2)
		with(retriesOf(3), faulty(cut(c.lasts)))(&cfg)
		problems := problemsOf(&cfg)
		if len(problems) == 0 || problems[0].Path != retryKey || problems[0].Hint != c.hint {
			t.Errorf("%s: %+v, want the hint %q", c.release, problems, c.hint)
		}
	}
}

var avoidLints = []lintCase{
	{
		// "send(msg, mq) and send(msg, selector, arg): no retry, no updateFaultItem, no availability check"
		// (section 7).
		"avoidance with a selector", "5.3.3", 2, "producer.p.send_latency_fault_enable",
		`avoids nothing with queue_choice = "hash"`,
		with(withTable, choiceOf(config.ChooseByHash)), withTable,
	},
	{
		// "single error = 10 min isolation" to 5.1.3 (section 10, 8).
		"isolation", "4.9.8", 2, isolateKey,
		"an error isolates a broker for 600s > 599s, the outage of fault.cut",
		with(withTable, faulty(cut(599*sim.Second))), with(withTable, faulty(cut(600*sim.Second))),
	},
	{
		"isolation with a start", "5.3.3", 2, isolateKey, "10s > 9999ms, the outage of fault.cut",
		with(withTable, faulty(cut(8999*sim.Millisecond)), firstBroker(starting)),
		with(withTable, faulty(cut(9*sim.Second)), firstBroker(starting)),
	},
	{
		"isolation by a table of one's own", "4.9.8", 2, isolateKey, "5s > 4s",
		with(withTable, faulty(cut(4*sim.Second)), settingsOf(func(s *strategy.Settings) {
			s.LatencyMax, s.NotAvailableDuration = []strategy.Millis{50, 30000}, []strategy.Millis{0, 5000}
		})),
		with(withTable, faulty(cut(4*sim.Second)), settingsOf(func(s *strategy.Settings) {
			s.LatencyMax, s.NotAvailableDuration = []strategy.Millis{50, 30001}, []strategy.Millis{0, 5000}
		})),
	},
	{
		"isolation while avoidance is off", "4.9.8", 2, isolateKey, "600s > 1s",
		with(withTable, faulty(cut(sim.Second))), faulty(cut(sim.Second)),
	},
	{
		// What a pause makes time out is told of by the scan, which nothing erases.
		"isolation by a timeout that is not erased", "4.9.3", 2, isolateKey,
		"an error isolates a broker for 600s > 3s, the outage of fault.p",
		with(withTable, mode(config.Async), faulty(paused(3*sim.Second))),
		with(withTable, mode(config.Async), faulty(killedFor(3*sim.Second))),
	},
	{
		// A connect of 3 s that nobody answers is all that the update after the submit sees.
		"isolation by the time of a connect", "4.9.3", 2, isolateKey, "180s > 179s, the outage of fault.v",
		with(withTable, mode(config.Async), faulty(vanished(179*sim.Second))),
		with(withTable, mode(config.Async), faulty(vanished(180*sim.Second))),
	},
	{
		// "in 4.9.3..5.1.3 it immediately erases the isolation just set by a synchronous connect failure inside
		// sendMessageAsync" (section 4).
		"isolation that is erased", "4.9.2", 2, isolateKey, "600s > 1s",
		with(withTable, mode(config.Async), faulty(killedFor(sim.Second))),
		with(withTable, mode(config.Async), faulty(killedFor(sim.Second)), func(c *config.Config) {
			c.Producers[0].Release = "4.9.3"
		}),
	},
	{
		// "Turning it on: 5.1.4 only via JVM property; 5.2.0+ setStartDetectorEnable works" (section 3).
		"detector's switch", "5.1.4", 2, "producer.p.start_detector_enable",
		"works in 5.1.4 only as the JVM property",
		with(withTable, settingsOf(func(s *strategy.Settings) { s.StartDetectorEnable = true })),
		with(withTable, settingsOf(func(s *strategy.Settings) { s.StartDetectorEnable = true }),
			func(c *config.Config) { c.Producers[0].Release = "5.2.0" }),
	},
	{
		"detector without a table", "5.3.3", 2, "producer.p.start_detector_enable", "probes nothing without",
		settingsOf(func(s *strategy.Settings) { s.StartDetectorEnable = true }),
		with(withTable, settingsOf(func(s *strategy.Settings) { s.StartDetectorEnable = true })),
	},
	{
		// "setDetectInterval/setDetectTimeout on the producer after construction have NO effect" (section 3).
		"detector's timeout", "5.3.3", 2, "producer.p.detect_timeout", "is 201 ms, but a setter comes too late",
		settingsOf(func(s *strategy.Settings) { s.DetectTimeout = 201 }), unchanged,
	},
	{
		// "5.0.0..5.1.3 permits released right after submit (no effect)" (section 8).
		"backpressure", "5.1.3", 2, "producer.p.enable_backpressure_for_async_mode", "changes nothing in 5.1.3",
		with(mode(config.Async), func(c *config.Config) { c.Producers[0].Remoting.Backpressure = true }),
		with(mode(config.Async), func(c *config.Config) {
			c.Producers[0].Remoting.Backpressure, c.Producers[0].Release = true, "5.1.4"
		}),
	},
	{
		"backpressure of synchronous sends", "5.3.3", 2, "producer.p.enable_backpressure_for_async_mode",
		`changes nothing in mode "sync"`,
		func(c *config.Config) { c.Producers[0].Remoting.Backpressure = true },
		with(mode(config.Async), func(c *config.Config) { c.Producers[0].Remoting.Backpressure = true }),
	},
	{
		"single broker", "5.3.3", 2, topicKey, "topic t is on 1 < 2 brokers (b01)",
		with(withTable, func(c *config.Config) { c.Topics[0].Brokers = []string{"b01"} }), withTable,
	},
	{
		"single broker that fails", "5.3.3", 1, topicKey, "topic t is on 1 < 2 brokers (b00)",
		faulty(cut(0)), unchanged,
	},
}

// TestLintOfGo: the Go client has a budget for each attempt, and no fault table.
func TestLintOfGo(t *testing.T) {
	cfg := configtest.Small("5.3.3", 4)
	cfg.Producers[0].Client, cfg.Producers[0].Release = config.GoClient, "2.1.2"
	cfg.Producers[0].Threads = 1000
	cfg.Faults = []config.Fault{cut(0)}
	if problems := problemsOf(&cfg); len(problems) > 0 {
		t.Errorf("false alarms: %v", problems)
	}
	cfg.Producers[0].Threads = 10
	if problems := fmt.Sprint(problemsOf(&cfg)); !strings.Contains(problems,
		"10 < 375 = 500/s of an instance") {
		t.Errorf("no warning about threads: %v", problems)
	}
}

// TestLintIsQuiet: a configuration that nobody changed has no warning, in any release.
func TestLintIsQuiet(t *testing.T) {
	for _, release := range strategy.Releases() {
		for _, m := range []config.SendMode{config.Sync, config.Async, config.OneWay} {
			cfg := configtest.Small(release, 2)
			cfg.Producers[0].Mode = m
			if problems := problemsOf(&cfg); len(problems) > 0 {
				t.Errorf("%s %v: %v", release, m, problems)
			}
		}
	}
}

func must(s sim.Sampler, err error) sim.Sampler {
	if err != nil {
		panic(err)
	}
	return s
}
