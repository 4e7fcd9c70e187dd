package releases

import (
	"simrun/sim"
	"simrun/strategy"
)

// Client is what a release of the Java client does on the wire. What it decides (queues,
// table, budget) is in package strategy.
type Client struct {
	// FailFast says what makes requests in flight fail at once when their channel closes.
	FailFast FailFast
	// CloseOnTimeout says when the timeout of a synchronous request closes its channel.
	CloseOnTimeout CloseOnTimeout
	// DeductsConnect: the time spent on connecting comes off the time for the answer.
	DeductsConnect bool
	// WritesAtZero: a request whose budget is spent to the millisecond is still written, and times
	// out at once; else it is refused before writing.
	WritesAtZero bool
	// TriesNameServers: a lookup that finds no connection tries one name server after the other, each
	// for up to ConnectTimeout; otherwise, one only.
	TriesNameServers bool
	// NameServerThrows: a name server that does not answer makes a send throw at once; else the send
	// goes on to ask for the default topic, and ends with "no route info".
	NameServerThrows bool
	// AsyncRuns is which thread an asynchronous send runs on until its request is handed over.
	AsyncRuns AsyncRuns
	// ConnectsAside: a request whose answer nobody waits for is handed over while its connection is still
	// being made, and nobody waits for that either; else its thread waits for the connection.
	ConnectsAside bool
	// ScanEvery is how often the client looks for asynchronous requests whose time is over.
	ScanEvery sim.Duration
	// Backpressure is what enableBackpressureForAsyncMode does.
	Backpressure Backpressure
	// AsyncBatch: there is send(Collection, SendCallback).
	AsyncBatch bool
}

// AsyncRuns is which thread an asynchronous send runs on.
type AsyncRuns uint8

const (
	// RunsInCaller: the caller's, though it connects and looks up routes.
	// Source: DefaultMQProducerImpl.send(Message, SendCallback, long), 4.2.0.
	RunsInCaller AsyncRuns = iota
	// RunsInCallbacks: one of those that run callbacks. Source: the same method, 4.3.2.
	RunsInCallbacks
	// RunsInSenders: one of AsyncSenderExecutor, whose queue has senderQueue places.
	// Source: DefaultMQProducerImpl.asyncSenderExecutor, 4.4.0.
	RunsInSenders
)

var asyncRunsNames = []string{"caller", "callback-executor", "sender-executor"}

func (v AsyncRuns) String() string { return asyncRunsNames[v] }

// Backpressure is what enableBackpressureForAsyncMode does: a caller waits for permits, one for the
// message and one for each byte of it.
//
// Source: DefaultMQProducerImpl.executeAsyncMessageSend and BackpressureSendCallBack.
type Backpressure uint8

const (
	// NoBackpressure: there is no such setting.
	NoBackpressure Backpressure = iota
	// FutileBackpressure: the permits are given back as soon as the send is submitted (5.0.0).
	FutileBackpressure
	// LeakingBackpressure: the callback gives them back; a caller that waits in vain for those of the
	// bytes never gives back the one for the message (5.1.4).
	LeakingBackpressure
	// HoldingBackpressure: the callback gives them back (5.3.1).
	HoldingBackpressure
)

var backpressureNames = []string{"none", "futile", "leaking", "holding"}

func (v Backpressure) String() string { return backpressureNames[v] }

// FailFast is what makes requests in flight fail at once when their channel closes. Where it does
// not, they wait for their timeout.
type FailFast uint8

const (
	// FailNever: nothing does.
	FailNever FailFast = iota
	// FailOnReset: an RST, or the client's own close, but not a FIN: that does not pass through the
	// handler's close. Source: NettyConnectManageHandler.close, 4.3.0.
	FailOnReset
	// FailOnClose: a FIN, too. Source: NettyConnectManageHandler.channelInactive, 5.1.3.
	FailOnClose
)

var failFastNames = []string{"never", "on-reset", "on-close"}

func (v FailFast) String() string { return failFastNames[v] }

// CloseOnTimeout is when the timeout of a synchronous request closes its channel
// (clientCloseSocketIfTimeout); all else in flight on it is then subject to FailFast.
type CloseOnTimeout uint8

const (
	// CloseNever: a dead connection stays in use until TCP gives it up or it was idle for long.
	CloseNever CloseOnTimeout = iota
	// CloseAlways. Source: NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1.
	CloseAlways
	// CloseUnlessShort: only if the wait had more than 100 ms, or more than a quarter of the
	// request's timeout. Source: NettyRemotingClient.invokeSync, 5.1.4.
	CloseUnlessShort
)

var closeOnTimeoutNames = []string{"never", "always", "unless-short"}

func (v CloseOnTimeout) String() string { return closeOnTimeoutNames[v] }

// clientBehaviours are the client's on the wire; its names and those of package strategy differ.
var clientBehaviours = []behaviour[Client]{
	choice("fail_fast", failFastNames, func(p *Client) *FailFast { return &p.FailFast }),
	choice("close_on_timeout", closeOnTimeoutNames,
		func(p *Client) *CloseOnTimeout { return &p.CloseOnTimeout }),
	either("connect_time", "extra", "deducted",
		func(p *Client) *bool { return &p.DeductsConnect }),
	either("zero_budget", "refused", "written",
		func(p *Client) *bool { return &p.WritesAtZero }),
	either("name_server_tries", "one", "all",
		func(p *Client) *bool { return &p.TriesNameServers }),
	either("name_server_failure", "no-route", "throws",
		func(p *Client) *bool { return &p.NameServerThrows }),
	choice("async_send", asyncRunsNames, func(p *Client) *AsyncRuns { return &p.AsyncRuns }),
	either("unawaited_connect", "blocks", "aside",
		func(p *Client) *bool { return &p.ConnectsAside }),
	span("response_scan", sim.Millisecond, func(p *Client) *sim.Duration { return &p.ScanEvery }),
	choice("backpressure", backpressureNames,
		func(p *Client) *Backpressure { return &p.Backpressure }),
	either("async_batch", "absent", "there", func(p *Client) *bool { return &p.AsyncBatch }),
}

// Clients are the releases of the Java client, as far as the wire is concerned.
var Clients = clientRows()

func clientRows() *Role[Client] {
	r := &Role[Client]{behaviours: clientBehaviours, beside: strategy.Behaviours(), check: checkDecisions}
	// NettyRemotingClient and NettyClientConfig, MQClientInstance.updateTopicRouteInfoFromNameServer,
	// rocketmq-4.0.0-incubating.
	p := Client{
		FailFast: FailNever, CloseOnTimeout: CloseNever, WritesAtZero: true, TriesNameServers: true,
		AsyncRuns: RunsInCaller, ScanEvery: sim.Second,
	}
	r.add(p, "4.0.0", "4.1.0", "4.2.0")

	p.FailFast = FailOnReset      // NettyRemotingClient.NettyConnectManageHandler.close, 4.3.0
	p.DeductsConnect = true       // NettyRemotingClient.invokeSync, 4.3.0
	p.AsyncRuns = RunsInCallbacks // DefaultMQProducerImpl.send(Message, SendCallback, long), 4.3.0
	r.add(p, "4.3.0", "4.3.1", "4.3.2")

	p.AsyncRuns = RunsInSenders // DefaultMQProducerImpl.asyncSenderExecutor, 4.4.0
	r.add(p, "4.4.0", "4.5.1", "4.5.2")

	p.NameServerThrows = true // MQClientInstance.updateTopicRouteInfoFromNameServer, 4.6.0
	r.add(p, "4.6.0", "4.6.1", "4.7.0", "4.7.1")

	p.AsyncBatch = true // DefaultMQProducer.send(Collection, SendCallback), 4.8.0
	r.add(p, "4.8.0", "4.9.0", "5.0.0-PREVIEW")

	p.CloseOnTimeout = CloseAlways // NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1
	r.add(p, "4.9.1", "4.9.2", "4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8",
		"5.0.0-ALPHA")

	p.Backpressure = FutileBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.0.0
	r.add(p, "5.0.0", "5.1.0")

	// NettyRemotingClient.start, 5.1.1: a HashedWheelTimer with ticks of 100 ms, armed again for 1 s when
	// the scan has run, which has just begun a tick; so it fires at the end of the eleventh.
	p.ScanEvery = 1100 * sim.Millisecond
	r.add(p, "5.1.1", "5.1.2")

	p.FailFast = FailOnClose // NettyRemotingClient.NettyConnectManageHandler.channelInactive, 5.1.3
	r.add(p, "5.1.3")

	p.CloseOnTimeout = CloseUnlessShort  // NettyRemotingClient.invokeSync, 5.1.4
	p.WritesAtZero = false               // NettyRemotingClient.invokeSync, 5.1.4
	p.Backpressure = LeakingBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.1.4
	r.add(p, "5.1.4", "5.2.0")

	// NettyRemotingClient.getAndCreateNameserverChannelAsync, 5.3.0
	p.TriesNameServers = false
	p.ConnectsAside = true // NettyRemotingClient.invokeAsync and invokeOneway, 5.3.0
	r.add(p, "5.3.0")

	p.Backpressure = HoldingBackpressure // DefaultMQProducerImpl.executeAsyncMessageSend, 5.3.1
	r.add(p, "5.3.1", "5.3.2", "5.3.3")
	return r
}
