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
	// asyncRuns is which thread an asynchronous send runs on until its request is handed over.
	asyncRuns asyncRuns
	// connectsAside: a request whose answer nobody waits for is handed over while its connection is still
	// being made, and nobody waits for that either; else its thread waits for the connection.
	connectsAside bool
	// scanEvery is how often the client looks for asynchronous requests whose time is over.
	scanEvery sim.Duration
	// backpressure is what enableBackpressureForAsyncMode does.
	backpressure backpressure
	// asyncBatch: there is send(Collection, SendCallback).
	asyncBatch bool
}

// asyncRuns is which thread an asynchronous send runs on.
type asyncRuns uint8

const (
	// runsInCaller: the caller's, though it connects and looks up routes.
	// Source: DefaultMQProducerImpl.send(Message, SendCallback, long), 4.2.0.
	runsInCaller asyncRuns = iota
	// runsInCallbacks: one of those that run callbacks. Source: the same method, 4.3.2.
	runsInCallbacks
	// runsInSenders: one of AsyncSenderExecutor, whose queue has senderQueue places.
	// Source: DefaultMQProducerImpl.asyncSenderExecutor, 4.4.0.
	runsInSenders
)

var asyncRunsNames = []string{"caller", "callback-executor", "sender-executor"}

func (v asyncRuns) String() string { return asyncRunsNames[v] }

// backpressure is what enableBackpressureForAsyncMode does: a caller waits for permits, one for the
// message and one for each byte of it.
//
// Source: DefaultMQProducerImpl.executeAsyncMessageSend and BackpressureSendCallBack.
type backpressure uint8

const (
	// noBackpressure: there is no such setting.
	noBackpressure backpressure = iota
	// futileBackpressure: the permits are given back as soon as the send is submitted (5.0.0).
	futileBackpressure
	// leakingBackpressure: the callback gives them back; a caller that waits in vain for those of the
	// bytes never gives back the one for the message (5.1.4).
	leakingBackpressure
	// holdingBackpressure: the callback gives them back (5.3.1).
	holdingBackpressure
)

var backpressureNames = []string{"none", "futile", "leaking", "holding"}

func (v backpressure) String() string { return backpressureNames[v] }

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
		asyncRuns: runsInCaller, scanEvery: sim.Second,
	}
	t.add(p, "4.0.0", "4.1.0", "4.2.0")

	p.failFast = failOnReset      // NettyRemotingClient.NettyConnectManageHandler.close, 4.3.0
	p.deductsConnect = true       // NettyRemotingClient.invokeSync, 4.3.0
	p.asyncRuns = runsInCallbacks // DefaultMQProducerImpl.send(Message, SendCallback, long), 4.3.0
	t.add(p, "4.3.0", "4.3.1", "4.3.2")

	p.asyncRuns = runsInSenders // DefaultMQProducerImpl.asyncSenderExecutor, 4.4.0
	t.add(p, "4.4.0", "4.5.1", "4.5.2")

	p.nameServerThrows = true // MQClientInstance.updateTopicRouteInfoFromNameServer, 4.6.0
	t.add(p, "4.6.0", "4.6.1", "4.7.0", "4.7.1")

	p.asyncBatch = true // DefaultMQProducer.send(Collection, SendCallback), 4.8.0
	t.add(p, "4.8.0", "4.9.0", "5.0.0-PREVIEW")

	p.closeOnTimeout = closeAlways // NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1
	t.add(p, "4.9.1", "4.9.2", "4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8",
		"5.0.0-ALPHA")

	p.backpressure = futileBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.0.0
	t.add(p, "5.0.0", "5.1.0")

	// NettyRemotingClient.start, 5.1.1: a HashedWheelTimer with ticks of 100 ms, armed again for 1 s when
	// the scan has run, which has just begun a tick; so it fires at the end of the eleventh.
	p.scanEvery = 1100 * sim.Millisecond
	t.add(p, "5.1.1", "5.1.2")

	p.failFast = failOnClose // NettyRemotingClient.NettyConnectManageHandler.channelInactive, 5.1.3
	t.add(p, "5.1.3")

	p.closeOnTimeout = closeUnlessShort  // NettyRemotingClient.invokeSync, 5.1.4
	p.writesAtZero = false               // NettyRemotingClient.invokeSync, 5.1.4
	p.backpressure = leakingBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.1.4
	t.add(p, "5.1.4", "5.2.0")

	// NettyRemotingClient.getAndCreateNameserverChannelAsync, 5.3.0
	p.triesNameServers = false
	p.connectsAside = true // NettyRemotingClient.invokeAsync and invokeOneway, 5.3.0
	t.add(p, "5.3.0")

	p.backpressure = holdingBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.3.1
	t.add(p, "5.3.1", "5.3.2", "5.3.3")
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
	// defaultAPITimeout is mqClientApiTimeout, in milliseconds. Source: ClientConfig, 4.9.2 and later; a
	// literal before.
	defaultAPITimeout = 3000
	// minCloseTimeout is MIN_CLOSE_TIMEOUT_MILLIS. Source: NettyRemotingClient, 5.1.4.
	minCloseTimeout = 100
	// synRetry is when Linux sends a SYN again that got no answer (the next one, 3 s after the first,
	// comes together with connectTimeout).
	synRetry = sim.Second
	// firstRTO is the first retransmission of data on a connection; each later gap is twice as long.
	firstRTO = 200 * sim.Millisecond
)
