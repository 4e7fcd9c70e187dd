package model

import "simrun/sim"

// clientProfile is what a release of the Java client does on the wire. What it decides (queues,
// table, budget) is in package strategy.
type clientProfile struct {
	// failFast says what makes requests in flight fail at once when their channel closes.
	failFast failFast
	// closeOnTimeout says when the timeout of a synchronous request closes its channel.
	closeOnTimeout closeOnTimeout
	// deductsConnect: the time spent on connecting comes off the time for the answer.
	deductsConnect bool
	// writesAtZero: a request whose budget is spent to the millisecond is still written, and times
	// out at once; else it is refused before writing.
	writesAtZero bool
	// triesNameServers: a lookup that finds no connection tries one name server after the other, each
	// for up to connectTimeout; otherwise, one only.
	triesNameServers bool
	// nameServerThrows: a name server that does not answer makes a send throw at once; else the send
	// goes on to ask for the default topic, and ends with "no route info".
	nameServerThrows bool
}

// failFast is what makes requests in flight fail at once when their channel closes. Where it does
// not, they wait for their timeout.
type failFast uint8

const (
	// failNever: nothing does.
	failNever failFast = iota
	// failOnReset: an RST, or the client's own close, but not a FIN: that does not pass through the
	// handler's close. Source: NettyConnectManageHandler.close, 4.3.0.
	failOnReset
	// failOnClose: a FIN, too. Source: NettyConnectManageHandler.channelInactive, 5.1.3.
	failOnClose
)

var failFastNames = []string{"never", "on-reset", "on-close"}

func (v failFast) String() string { return failFastNames[v] }

// closeOnTimeout is when the timeout of a synchronous request closes its channel
// (clientCloseSocketIfTimeout); all else in flight on it is then subject to failFast.
type closeOnTimeout uint8

const (
	// closeNever: a dead connection stays in use until TCP gives it up or it was idle for long.
	closeNever closeOnTimeout = iota
	// closeAlways. Source: NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1.
	closeAlways
	// closeUnlessShort: only if the wait had more than 100 ms, or more than a quarter of the
	// request's timeout. Source: NettyRemotingClient.invokeSync, 5.1.4.
	closeUnlessShort
)

var closeOnTimeoutNames = []string{"never", "always", "unless-short"}

func (v closeOnTimeout) String() string { return closeOnTimeoutNames[v] }

// clientRows are the releases of the client.
func clientRows() profileTable[clientProfile] {
	var t profileTable[clientProfile]
	// NettyRemotingClient and NettyClientConfig, MQClientInstance.updateTopicRouteInfoFromNameServer,
	// rocketmq-4.0.0-incubating.
	p := clientProfile{
		failFast: failNever, closeOnTimeout: closeNever, writesAtZero: true, triesNameServers: true,
	}
	t.add(p, "4.0.0", "4.1.0", "4.2.0")

	p.failFast = failOnReset // NettyRemotingClient.NettyConnectManageHandler.close, 4.3.0
	p.deductsConnect = true  // NettyRemotingClient.invokeSync, 4.3.0
	t.add(p, "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1", "4.5.2")

	p.nameServerThrows = true // MQClientInstance.updateTopicRouteInfoFromNameServer, 4.6.0
	t.add(p, "4.6.0", "4.6.1", "4.7.0", "4.7.1", "4.8.0", "4.9.0", "5.0.0-PREVIEW")

	p.closeOnTimeout = closeAlways // NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1
	t.add(p, "4.9.1", "4.9.2", "4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8",
		"5.0.0-ALPHA", "5.0.0", "5.1.0", "5.1.1", "5.1.2")

	p.failFast = failOnClose // NettyRemotingClient.NettyConnectManageHandler.channelInactive, 5.1.3
	t.add(p, "5.1.3")

	p.closeOnTimeout = closeUnlessShort // NettyRemotingClient.invokeSync, 5.1.4
	p.writesAtZero = false              // NettyRemotingClient.invokeSync, 5.1.4
	t.add(p, "5.1.4", "5.2.0")

	// NettyRemotingClient.getAndCreateNameserverChannelAsync, 5.3.0
	p.triesNameServers = false
	t.add(p, "5.3.0", "5.3.1", "5.3.2", "5.3.3")
	return t
}

// The constants that all releases share.
const (
	// connectTimeout is connectTimeoutMillis of NettyClientConfig. It bounds a connect whatever the
	// send's own timeout. Source: NettyRemotingClient.createChannel, 4.9.8;
	// getAndCreateChannel and createChannelAsync, 5.3.3.
	connectTimeout = 3000 * sim.Millisecond
	// heartbeatAfterPoll is how long after the first route poll (10 ms) the first heartbeat (1 s)
	// runs; both then keep the period, so the distance stays.
	// Source: MQClientInstance.startScheduledTask, 4.9.8 and 5.3.3.
	heartbeatAfterPoll = 990 * sim.Millisecond
	// heartbeatTimeout is mqClientApiTimeout. Source: ClientConfig, 4.9.2 and later; a literal before.
	heartbeatTimeout = 3000
	// minCloseTimeout is MIN_CLOSE_TIMEOUT_MILLIS. Source: NettyRemotingClient, 5.1.4.
	minCloseTimeout = 100
	// synRetry is when Linux sends a SYN again that got no answer (the next one, 3 s after the first,
	// comes together with connectTimeout).
	synRetry = sim.Second
	// firstRTO is the first retransmission of data on a connection; each later gap is twice as long.
	firstRTO = 200 * sim.Millisecond
)
