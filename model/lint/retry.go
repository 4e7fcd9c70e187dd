package lint

import (
	"fmt"
	"slices"

	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// defaultRetries is retryTimesWhenSendFailed, and ...AsyncFailed, of a producer that nobody configured.
const defaultRetries = 2

// brokerWaits warns of a caller that gives up before the broker tells it that the disk, or the slave, is
// slow: FLUSH_DISK_TIMEOUT and FLUSH_SLAVE_TIMEOUT then never arrive.
func (l *linter) brokerWaits() {
	if l.p.Mode == config.OneWay {
		return
	}
	var disk, slave []int
	for _, i := range l.brokers {
		b := &l.cfg.Brokers[i]
		profile, err := b.Profile()
		if err != nil {
			return // reported
		}
		if b.Flush == config.SyncFlush && profile.DiskWait != releases.DiskWaitEndless &&
			l.timeout <= b.SyncFlushTimeout {
			disk = append(disk, i)
		}
		if wait, _ := slaveWait(b, &profile); l.timeout <= wait {
			slave = append(slave, i)
		}
	}
	then := "the caller times out first and never hears %s"
	if l.repeats() {
		then += ", and what it sends again is stored twice"
	}
	if len(disk) > 0 {
		l.told("send_msg_timeout", "%s <= sync_flush_timeout %s of %s (SYNC_FLUSH): "+then, inWords(l.timeout),
			inWords(l.cfg.Brokers[disk[0]].SyncFlushTimeout), l.names(disk), "FLUSH_DISK_TIMEOUT")
	}
	if len(slave) > 0 {
		b := &l.cfg.Brokers[slave[0]]
		profile, _ := b.Profile()
		wait, name := slaveWait(b, &profile)
		l.told("send_msg_timeout", "%s <= %s %s of %s (SYNC_MASTER): "+then, inWords(l.timeout), name,
			inWords(wait), l.names(slave), "FLUSH_SLAVE_TIMEOUT")
	}
}

// slaveWait is how long a send to a broker waits for a slave at most, and what sets that; -1 if it waits
// for none.
func slaveWait(b *config.Broker, p *releases.Broker) (sim.Duration, string) {
	waits := p.ReplicaCheck == releases.CheckConnections && b.Slaves > 0 ||
		p.ReplicaCheck == releases.CheckNothing && b.InSyncReplicas > 1
	switch {
	case b.Role != config.SyncMaster || !waits:
		return -1, ""
	case p.ReplicaWait == releases.WaitRounds:
		return waitedRounds * sim.Second, "five rounds of 1s,"
	case p.ReplicaWait == releases.WaitPolled || p.ReplicaWait == releases.WaitExact:
		return b.SlaveTimeout, "slave_timeout"
	default:
		return b.SyncFlushTimeout, "sync_flush_timeout"
	}
}

// waitedRounds is how often GroupTransferService of waitRounds waits for a second.
const waitedRounds = 5

// brokerQueue warns of requests that wait for longer than their callers do.
func (l *linter) brokerQueue() {
	late := slices.DeleteFunc(slices.Clone(l.brokers), func(i int) bool {
		b := &l.cfg.Brokers[i]
		return !b.FastFailure || b.WaitTimeInQueue < l.timeout
	})
	if len(late) > 0 && l.p.Mode != config.OneWay {
		then := ""
		if l.repeats() {
			then = ", and what they send again comes on top"
		}
		l.told("send_msg_timeout", "%s <= wait_time_mills_in_send_queue %s of %s: under overload it "+
			"stores what callers have given up%s", inWords(l.timeout),
			inWords(l.cfg.Brokers[late[0]].WaitTimeInQueue), l.names(late), then)
	}
}

// repeats says whether sends are repeated when some time out: by the caller, by a client with time for it,
// or, once a timeout has closed the connection, by all the others on that.
func (l *linter) repeats() bool {
	p := l.p
	switch {
	case p.OnFailure.Resends > 0:
		return true
	case p.Mode != config.Sync || p.Choice != config.ChooseByPolicy || p.Settings.RetryTimesWhenSendFailed == 0:
		return false
	}
	return l.profile.Budget == strategy.BudgetPerAttempt || l.capped() || l.closes()
}

// closes says whether a timeout ends the connection, and with that what else is in flight on it.
func (l *linter) closes() bool { return l.java() && l.wire.CloseOnTimeout != releases.CloseNever }

// connect warns of a timeout that a connect does not heed, where a fault leaves one without an answer.
func (l *linter) connect() {
	if !l.java() || l.timeout >= releases.ConnectTimeout || l.p.Mode != config.Sync && l.wire.ConnectsAside {
		return
	}
	i := slices.IndexFunc(l.cfg.Faults, func(f config.Fault) bool {
		return deaf(f.Kind) && len(l.hangOf(&f).brokers) > 0
	})
	if i < 0 {
		return
	}
	then := ""
	switch retries := l.p.Mode == config.Sync && l.p.Choice == config.ChooseByPolicy &&
		l.p.Settings.RetryTimesWhenSendFailed > 0; {
	case retries && l.profile.Budget == strategy.BudgetPerAttempt:
		then = ", in each of its attempts"
	case retries:
		then = ", and then no time is left for a retry"
	}
	l.told("send_msg_timeout", "%s < %s, the connect timeout, which it does not shorten: a send that has to "+
		"connect while nobody answers (fault.%s) takes %s%s", inWords(l.timeout),
		inWords(releases.ConnectTimeout), l.cfg.Faults[i].Name, inWords(releases.ConnectTimeout), then)
}

// retries warns of more retries than usual where a hang leaves no time for any.
func (l *linter) retries() {
	n := l.p.Settings.RetryTimesWhenSendFailed
	switch {
	case !l.java() || l.p.Mode != config.Sync || l.p.Choice != config.ChooseByPolicy || n <= defaultRetries,
		l.profile.Budget == strategy.BudgetPerAttempt || l.capped(),
		l.hang.lasts > 0 && l.hang.lasts < l.timeout:
		return
	}
	sooner := "only what fails sooner is retried"
	if l.closes() {
		sooner += ", as on the connection that a timeout closes"
	}
	p := l.told("retry_times_when_send_failed", "%d > 0, the retries after a hang%s: a first attempt may "+
		"take all of send_msg_timeout %s, and the send fails; %s", n, l.because(), inWords(l.timeout), sooner)
	p.Hint = l.remedy(n)
}

// remedy is what helps n retries to some time.
func (l *linter) remedy(n int) string {
	const limit = "send_msg_max_timeout_per_request"
	if l.profile.RequestCap == strategy.RequestCapButLast {
		return fmt.Sprintf("a %s below %s leaves time for all", limit, inWords(l.timeout/sim.Duration(n)))
	}
	if l.hang.lasts > 0 {
		return fmt.Sprintf("a send_msg_timeout above %s outlasts it; 5.3.3 has %s", inWords(l.hang.lasts), limit)
	}
	return "a send_msg_timeout longer than the hang helps; 5.3.3 has " + limit
}

// because names the fault that makes sends hang, in brackets; "" if none does.
func (l *linter) because() string {
	if l.hang.fault == nil {
		return ""
	}
	return fmt.Sprintf(" (fault.%s)", l.hang.fault.Name)
}

// capped says whether an attempt that another one can follow is cut short.
func (l *linter) capped() bool {
	limit := l.p.Settings.SendMsgMaxTimeoutPerRequest
	return l.java() && l.profile.RequestCap == strategy.RequestCapButLast && limit > -1 &&
		l.p.Mode == config.Sync && l.p.Choice == config.ChooseByPolicy &&
		l.p.Settings.RetryTimesWhenSendFailed > 0
}

// requestCap warns of a limit of attempts that limits nothing, or leaves time for some retries only.
func (l *linter) requestCap() {
	s := &l.p.Settings
	if !l.capped() || s.SendMsgMaxTimeoutPerRequest == 0 {
		return
	}
	limit := sim.Duration(s.SendMsgMaxTimeoutPerRequest) * sim.Millisecond
	fit := int((l.timeout - 1) / limit) // the attempt after n hangs begins at n*limit
	const key = "send_msg_max_timeout_per_request"
	switch n := s.RetryTimesWhenSendFailed; {
	case limit >= l.timeout:
		l.told(key, "%s >= send_msg_timeout %s: it cuts no attempt short, and after a hang no retry follows",
			inWords(limit), inWords(l.timeout))
	case fit < n:
		l.told(key, "%s x %d retries >= send_msg_timeout %s: after hangs only %d of them fit", inWords(limit),
			n, inWords(l.timeout), fit)
	}
}

// asyncRetries warns of asynchronous retries that come too late: the scan finds a timeout one to two
// seconds after it, and what is left of the budget is negative.
//
// Source: NettyRemotingAbstract.scanResponseTable and MQClientAPIImpl.sendMessageAsync, 4.7.0-5.3.3.
func (l *linter) asyncRetries() {
	n := l.p.Settings.RetryTimesWhenSendAsyncFailed
	blames := l.profile.AsyncRetry == strategy.AsyncRetryRemaining &&
		l.profile.AsyncThrow == strategy.AsyncThrowRetries && l.p.Settings.SendLatencyFaultEnable
	switch {
	case !l.java() || l.p.Mode != config.Async || n == 0 || l.profile.AsyncRetry == strategy.AsyncRetryZero,
		n <= defaultRetries && (l.hang.fault == nil || !blames):
		return
	}
	then := ""
	if blames {
		then = ", but brokers that were never asked are isolated"
	}
	l.told("retry_times_when_send_async_failed", "%d > 0, the retries after a hang%s: it is noticed 1s to "+
		"2s after send_msg_timeout %s, when nothing of that is left, so none is sent%s", n, l.because(),
		inWords(l.timeout), then)
}
