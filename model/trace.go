package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// Tracer is told about a message what an Observer is not: why each queue was chosen, what happened
// to its requests on the way, and what its attempts taught the fault table. Both are told in one
// order. Arguments are valid during the call only, and a Tracer must not call back into the World.
type Tracer interface {
	// Chosen: the policy was asked for a queue.
	Chosen(c *Choice)
	// Stepped: something happened to the message or to one of its requests.
	Stepped(s *Step)
	// Updated: the end of an attempt changed the item of its broker in the instance's fault table.
	Updated(u *TableUpdate)
}

// Choice is one choice of a queue, with the reasons.
type Choice struct {
	At sim.Time
	// Made is false if no attempt followed, because the time of the send was up: the queue was chosen
	// all the same, and Attempt is zero.
	Made    bool
	Attempt strategy.Attempt
	// Attempts is how many the send may take in all.
	Attempts int
	// Left is what was left of the send's time; Attempt.Timeout may be less.
	Left strategy.Millis
	// Route is the publish list, Why what the policy recorded.
	Route *strategy.Route
	Why   *strategy.Trace
	// Avoided[b] is when the fault table lets broker b be chosen again, on the simulation clock; 0 if
	// the table lets it be chosen now, or does not know it.
	Avoided []sim.Time
}

// TableUpdate is what the end of an attempt did to the fault table.
type TableUpdate struct {
	At sim.Time
	strategy.Update
	// Until is After.Start on the simulation clock. It is not after At if the broker is available.
	Until sim.Time
}

// Step is something that happened to the message or to one of its requests.
type Step struct {
	At sim.Time
	// Try is the attempt it belongs to, 0 before the first. A request may outlive its attempt.
	Try    int32
	Broker int32
	What   StepWhat
	// Span, N and Outcome are set where StepWhat says so.
	Span    sim.Duration
	N       int32
	Outcome strategy.Outcome
}

// StepWhat tells what happened in a Step.
type StepWhat uint8

// Kinds of Step.
const (
	Taken            StepWhat = iota // a free thread of the instance took the message
	RouteAsked                       // no queue is known: the thread asks the name server
	RouteCame                        // it goes on with the route it has now
	NoMaster                         // the client knows no master address of the broker
	ConnectBegan                     // no connection: the thread begins a handshake
	ConnectJoined                    // another thread began one that is pending: it waits for that
	Connected                        // the handshake is complete
	ConnectRefused                   // the handshake was refused
	ConnectTimedOut                  // the handshake took too long
	NothingLeft                      // connecting used up the attempt's time: nothing was written
	Written                          // the request is on its way; Span is the time for the answer
	HostSilent                       // it came to a host without power; TCP tries again after Span
	HostGone                         // TCP gives up: the client has closed the connection meanwhile
	RequestMissed                    // it did not come through; TCP tries again after Span
	ProcessGone                      // it came to a host without that process: RST
	ProcessPaused                    // it came to a stopped process and stays in its socket buffer
	Accepted                         // a send thread of the broker has it
	Queued                           // it waits for one, behind N others
	Frozen                           // its send thread was stopped in the middle of it
	Dropped                          // it died with the process
	AwaitsFsync                      // it is in the page cache; the answer waits for the disk
	AwaitsSlaves                     // likewise; the answer waits for slaves
	Responded                        // the answer with Outcome is on its way
	ResponseMissed                   // it did not come through; TCP tries again after Span
	ResponseCame                     // the thread has it
	ResponseLate                     // it came, and nobody waits for it
	ResetCame                        // the RST came to the client
	WaitOver                         // the time for the answer is over; the thread will wake soon
	ClosedByTimeout                  // a timeout of another request closed the connection under it
	ClosedByReset                    // an RST did
	ClosedByPeer                     // a FIN did
	LeftByPeer                       // a FIN did, and this release does not tell the one that waits
	LeftByReset                      // an RST or a timeout did, and this release does not tell either
	ClosedItself                     // its own timeout closed the connection
	SparedConnection                 // its own timeout was too short to close the connection
	KeptConnection                   // this release closes no connection because of a timeout
	IdleClosed                       // the connection had been idle for too long and was closed
	RouteMissed                      // no name server answered the thread: it throws
	Refused                          // the broker does not store it; N is the Refusal
	AwaitsLock                       // its send thread waits for the put lock, behind N others
	AwaitsDisk                       // it has the put lock, and the disk does not answer
	TooLarge                         // it is larger than maxMessageSize: the client throws
	SendsAgain                       // the send failed; the caller's N-th resend follows after Span
	AwaitsDial                       // Go: another connection is being dialed, and only one can be at a time
	WriteFailed                      // Go: its time is over before it is written; the connection is closed
	Submitted                        // an executor has the asynchronous send, behind N others
	PermitAwaited                    // its caller waits for permits of backpressure
	CallbackQueued                   // its attempt has ended, but no thread is free to say so; N wait before it
	ScanFound                        // a scan of what is unanswered found its time over for a second or more
	AskedNameServer                  // no address of the broker: the request goes to the name server
	HandedOver                       // a one-way request is on its way; nobody asks for an answer
	NotAnswered                      // the broker is done with it, with Outcome, and tells nobody
	LostUntold                       // its connection did not come about, and nobody is told
	CalledBackAgain                  // the callback of a send has run N times
	ConnectsAside                    // no connection: the client begins a handshake, and no thread waits for it
)
