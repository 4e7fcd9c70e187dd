package strategy

// OutcomeKind is how the network call of one attempt ended.
type OutcomeKind uint8

const (
	// OutcomeOK: an answer with status SEND_OK.
	OutcomeOK OutcomeKind = iota
	// OutcomeFlushDiskTimeout: an answer with that status: the broker took the message, but did not
	// see it on its disk in time.
	OutcomeFlushDiskTimeout
	// OutcomeFlushSlaveTimeout: likewise, but not on its slave in time.
	OutcomeFlushSlaveTimeout
	// OutcomeSlaveNotAvailable: likewise, but there is no slave, or it is too far behind.
	OutcomeSlaveNotAvailable
	// OutcomeBrokerError: an answer with any other code: MQBrokerException.
	OutcomeBrokerError
	// OutcomeConnectFailed: no connection: RemotingConnectException.
	OutcomeConnectFailed
	// OutcomeSendRequestFailed: the write failed, or the connection closed with the request in
	// flight: RemotingSendRequestException.
	OutcomeSendRequestFailed
	// OutcomeTimeout: no answer in time: RemotingTimeoutException.
	OutcomeTimeout
	// OutcomeTooMuchRequest: the budget was gone below the loop: RemotingTooMuchRequestException.
	OutcomeTooMuchRequest
	// OutcomeBrokerNotExist: no master address for the broker name: MQClientException.
	OutcomeBrokerNotExist
	// OutcomeInterrupted: the thread was interrupted while it waited: InterruptedException.
	OutcomeInterrupted
	// OutcomeHanded: the one-way request was handed to the socket, which is all that the client waits
	// for.
	OutcomeHanded
)

// String returns the outcome in the words of the recordings, such as SEND_OK or CONNECT_FAILED.
func (k OutcomeKind) String() string { return nameOf(outcomeNames, uint8(k), "OutcomeKind") }

var outcomeNames = []string{
	"SEND_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE", "BROKER_ERROR",
	"CONNECT_FAILED", "SEND_REQUEST_FAILED", "TIMEOUT", "TOO_MUCH_REQUEST", "BROKER_NOT_EXIST",
	"INTERRUPTED", "HANDED_OVER",
}

// Outcome is how the network call of one attempt ended, with the broker's response code if it is
// an OutcomeBrokerError.
type Outcome struct {
	Kind OutcomeKind
	Code int
}

// status is the status of an answer, StatusNone for an exception.
func (k OutcomeKind) status() Status {
	switch {
	case k <= OutcomeSlaveNotAvailable:
		return StatusSendOK + Status(k)
	case k == OutcomeHanded:
		return StatusHanded
	}
	return StatusNone
}

// exception is the exception that Java's call throws, ExceptionNone for an answer.
func (k OutcomeKind) exception() Exception {
	switch k {
	case OutcomeBrokerError:
		return MQBrokerException
	case OutcomeConnectFailed:
		return RemotingConnectException
	case OutcomeSendRequestFailed:
		return RemotingSendRequestException
	case OutcomeTimeout:
		return RemotingTimeoutException
	case OutcomeTooMuchRequest:
		return RemotingTooMuchRequestException
	case OutcomeBrokerNotExist:
		return MQClientException
	case OutcomeInterrupted:
		return InterruptedException
	default:
		return ExceptionNone
	}
}

// Status is the status of a send that got an answer: SendStatus. One-way sends have one of their own.
type Status uint8

const (
	// StatusNone: the send ended with an exception.
	StatusNone Status = iota
	// StatusSendOK: the message was stored as safely as asked.
	StatusSendOK
	// StatusFlushDiskTimeout: see OutcomeFlushDiskTimeout.
	StatusFlushDiskTimeout
	// StatusFlushSlaveTimeout: see OutcomeFlushSlaveTimeout.
	StatusFlushSlaveTimeout
	// StatusSlaveNotAvailable: see OutcomeSlaveNotAvailable.
	StatusSlaveNotAvailable
	// StatusHanded: a one-way send returned, which says nothing of the broker. Java has no name for it:
	// sendOneway returns nothing.
	StatusHanded
)

// String returns the status as RocketMQ writes it.
func (s Status) String() string { return nameOf(statusNames, uint8(s), "Status") }

var statusNames = []string{
	"NONE", "SEND_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE",
	"HANDED_OVER",
}

// Exception is what a caller of the Java client catches, or the error that the Go client returns.
type Exception uint8

const (
	// ExceptionNone: the send returned.
	ExceptionNone Exception = iota
	// MQClientException: the client gave up; it has a code and mostly a cause.
	MQClientException
	// MQBrokerException: the broker answered with an error code that is not tried again.
	MQBrokerException
	// RemotingTooMuchRequestException: the budget of the send was spent.
	RemotingTooMuchRequestException
	// RemotingTimeoutException: an answer did not come in time.
	RemotingTimeoutException
	// RemotingConnectException: a connection did not come about.
	RemotingConnectException
	// RemotingSendRequestException: a request could not be written, or its connection closed.
	RemotingSendRequestException
	// InterruptedException: the sending thread was interrupted.
	InterruptedException
	// IllegalStateException: the send had to look up the route, and no name server answered. It comes
	// before the send loop, so a Loop never ends with it.
	//
	// Source: MQClientInstance.updateTopicRouteInfoFromNameServer, 4.6.0 and later.
	IllegalStateException

	// The errors of the Go client have no classes; they are told apart by where they come from.

	// GoRequestTimeout: no answer in the attempt's time, ErrRequestTimeout.
	GoRequestTimeout
	// GoDialError: a connection did not come about.
	GoDialError
	// GoWriteError: a request could not be written.
	GoWriteError
	// GoRouteNotFound: no queue, or no address of its broker: "route info not found".
	GoRouteNotFound
	// GoBrokerError: the broker answered with an error code, and the caller got an error that names it.
	GoBrokerError
	// GoUnknownStatus: the broker answered an asynchronous send with an error code, and the callback got
	// no error, but a result with the status SendUnknownError (to v2.1.1).
	GoUnknownStatus
)

// NumExceptions is how many exceptions there are, ExceptionNone among them.
const NumExceptions = int(GoUnknownStatus) + 1

// String returns the simple name of the Java class, or what stands for it in the Go client.
func (e Exception) String() string { return nameOf(exceptionNames, uint8(e), "Exception") }

var exceptionNames = []string{
	"none", "MQClientException", "MQBrokerException", "RemotingTooMuchRequestException",
	"RemotingTimeoutException", "RemotingConnectException", "RemotingSendRequestException",
	"InterruptedException", "IllegalStateException",
	"ErrRequestTimeout", "DialError", "WriteError", "RouteInfoNotFound", "BrokerError",
	"SendUnknownError",
}

// The client's own codes in an MQClientException.
//
// Source: ClientErrorCode, 4.0.0-5.3.3.
const (
	// CodeNone: an MQClientException without a code.
	CodeNone           = -1
	CodeConnectBroker  = 10001
	CodeAccessTimeout  = 10002
	CodeBrokerNotExist = 10003
	CodeNoNameServer   = 10004
	CodeNotFoundTopic  = 10005
)

// Result is what the caller of a synchronous send gets.
type Result struct {
	// Status is the answer's, StatusNone if the send ended with an exception.
	Status Status
	// Exception is what was thrown, ExceptionNone if the send returned.
	Exception Exception
	// Code is the code of an MQClientException ([CodeNone] if it has none), MQBrokerException,
	// GoBrokerError or GoUnknownStatus, else 0.
	Code int
	// Cause is the exception of the last attempt inside an MQClientException.
	Cause Exception
	// Broker is the broker that gave the answer; with an exception, that of the last attempt, or
	// NoBroker if there was none.
	Broker Broker
	// Attempts is the number of attempts handed to the network.
	Attempts int
}
