package releases

import (
	"simrun/sim"
	"simrun/strategy"
)

// Decisions is what a release of the Java client decides, as package strategy has it, with behaviours
// replaced; those on the wire are left to Clients. Its error names what is wrong.
func Decisions(release string, behaviours []string) (strategy.Profile, error) {
	profile, err := strategy.Lookup(release)
	if err != nil {
		return profile, err
	}
	for _, b := range behaviours {
		name, value := cutBehaviour(b)
		if findBehaviour(clientBehaviours, name) != nil {
			continue // on the wire
		}
		if profile, err = profile.With(name, value); err != nil {
			return profile, err
		}
	}
	return profile, nil
}

// checkDecisions says what package strategy says of the behaviours that are its own.
func checkDecisions(behaviours []string) error {
	known := strategy.Releases()
	_, err := Decisions(known[len(known)-1], behaviours)
	return err
}

// DefaultSendThreads is sendMessageThreadPoolNums of a release on a host with so many cores; that of
// the newest for a release that does not exist.
func DefaultSendThreads(release string, cores int) int {
	p, err := Brokers.Profile(release, nil)
	if err == nil && p.FewSendThreads {
		return 1
	}
	return max(1, min(cores, 4))
}

// DefaultFlushTimed is flushCommitLogTimed of a release, that of the newest for one that does not exist.
func DefaultFlushTimed(release string) bool {
	p, err := Brokers.Profile(release, nil)
	return err != nil || p.FlushTimed
}

const (
	// ConnectTimeout is connectTimeoutMillis of NettyClientConfig, in all releases. It bounds a connect
	// whatever the send's own timeout. Source: NettyRemotingClient.createChannel, 4.9.8;
	// getAndCreateChannel and createChannelAsync, 5.3.3.
	ConnectTimeout = 3000 * sim.Millisecond
	// HeartbeatAfterPoll is how long after the first route poll (10 ms) the first heartbeat (1 s)
	// runs; both then keep the period, so the distance stays.
	// Source: MQClientInstance.startScheduledTask, 4.9.8 and 5.3.3.
	HeartbeatAfterPoll = 990 * sim.Millisecond
)
