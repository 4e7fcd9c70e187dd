package config

import (
	"simrun/model/rate"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// Producer is a group of identical producer instances, each with its own fault table.
type Producer struct {
	Name string
	// Client is the library, Release its release: of the Java client one of package strategy; of the Go
	// client one of GoReleases.
	Client  Client
	Release string
	// Count is the number of instances; >= 1.
	Count int
	// Threads is the number of application threads of an instance; a synchronous send holds one.
	Threads int
	// Rate is messages per second of all instances together, the basis of Shape; > 0, and 0 of a closed
	// or recorded load.
	Rate float64
	// Arrivals is how the intended send times follow each other.
	Arrivals Arrivals
	// Shape is how the rate goes up and down.
	Shape rate.Shape
	// Recorded are the arrivals of RecordedArrivals, in order of time.
	Recorded []Arrival
	// Think is the time between an answer and the thread's next send, of ClosedLoop; nil is none.
	Think sim.Sampler
	// OnFailure is what the caller does about a send that failed.
	OnFailure OnFailure
	// Topics are what the group sends to; at least one.
	Topics []TopicShare
	// MessageSize is the number of bytes of a message's body and properties.
	MessageSize sim.Sampler
	// Batch is how many messages a send carries, send(Collection); 0 and 1 are a plain message.
	Batch int
	// Mode is how the group calls send, Choice who picks the queue.
	Mode   SendMode
	Choice QueueChoice
	// Queue is the queue of ChooseQueue.
	Queue QueueName
	// Keys is how many ordering keys there are (ChooseByHash), each as likely as another; 1 is global
	// order. 0 is a key of its own for every message.
	Keys int
	// Policy names the rule that picks queues, one of strategy.Policies; "rocketmq" is the Java
	// client's own, the others are baselines to compare it with.
	Policy string
	// Behaviours replace named behaviours of the release, each as "name=value": see releases.Clients.
	Behaviours []string
	// Settings are the client's own settings, defaults of the release filled in.
	Settings strategy.Settings
	// Remoting are the settings of the client below the send loop.
	Remoting Remoting
	// PollNameServerInterval is pollNameServerInterval; > 0.
	PollNameServerInterval sim.Duration
	// HeartbeatBrokerInterval is heartbeatBrokerInterval; > 0.
	HeartbeatBrokerInterval sim.Duration
	// TimerWakeup is how late a thread wakes from a timed wait.
	TimerWakeup sim.Sampler
}

// Profile is what the release decides, with the behaviours of package strategy replaced. Its error
// names what is wrong.
//
// Of the Go client, which has releases of its own, it has nothing but the name.
func (p *Producer) Profile() (strategy.Profile, error) {
	if p.Client == GoClient {
		_, err := strategy.LookupGo(p.Release)
		return strategy.Profile{Release: p.Release}, err
	}
	return releases.Decisions(p.Release, p.Behaviours)
}

// Wire is what the client's release does on the wire, with the behaviours replaced. Its error names what
// is wrong; behaviours of package strategy are left to Profile.
func (p *Producer) Wire() (releases.Client, error) {
	if p.Client == GoClient {
		_, err := releases.LookupGo(p.Release)
		return releases.GoWire(), err
	}
	return releases.Clients.Profile(p.Release, p.Behaviours)
}

// Client is a client library.
type Client uint8

// Client libraries.
const (
	JavaClient Client = iota // rocketmq-client, of the releases in package strategy
	GoClient                 // rocketmq-client-go v2
)

// TopicShare is a topic with its share of a group's messages.
type TopicShare struct {
	Name string
	// Weight is the share, relative to those of the other topics; 0 reads as 1.
	Weight float64
}

// OneTopic is the Topics of a group that sends to one topic only.
func OneTopic(name string) []TopicShare { return []TopicShare{{Name: name}} }

// SendMode is how a producer calls send (CommunicationMode).
type SendMode uint8

// Send modes.
const (
	Sync   SendMode = iota // the caller's thread waits for the answer
	Async                  // a callback gets the answer
	OneWay                 // nobody asks for one
)

var sendModeNames = []string{"sync", "async", "oneway"}

// String is the name that a scenario uses.
func (m SendMode) String() string { return sendModeNames[m] }

// SendModes names every mode, in the order of the constants.
func SendModes() []string { return append([]string(nil), sendModeNames...) }

// QueueChoice is who picks the queue of a send. All but ChooseByPolicy make one attempt (asynchronous
// ones may repeat it on the same queue), ask no fault table, and tell it nothing but how asynchronous
// attempts end.
type QueueChoice uint8

// Queue choices.
const (
	ChooseByPolicy      QueueChoice = iota // the client: send(message)
	ChooseQueue                            // the caller: send(message, queue)
	ChooseByHash                           // a selector by hash of the message's key
	ChooseByRandom                         // a selector at random
	ChooseByMachineRoom                    // a selector that prefers brokers in the producer's zone
)

var queueChoiceNames = []string{"policy", "queue", "hash", "random", "machine-room"}

// String is the name that a scenario uses.
func (c QueueChoice) String() string { return queueChoiceNames[c] }

// QueueChoices names every choice, in the order of the constants.
func QueueChoices() []string { return append([]string(nil), queueChoiceNames...) }

// QueueName is a queue of a topic.
type QueueName struct {
	Broker string
	ID     int
}

// Remoting are the client's settings below the send loop. A zero value is RocketMQ's default.
type Remoting struct {
	// APITimeout is mqClientApiTimeout (4.9.2 and later): of lookups and heartbeats; default 3 s.
	APITimeout sim.Duration
	// CompressOver is compressMsgBodyOverHowmuch: a message of as many bytes or more is compressed, to
	// CompressedTo (0..1) of its size; defaults 4096 and 1. A batch is never compressed.
	CompressOver int64
	CompressedTo float64
	// MaxMessageSize is maxMessageSize: a larger one is refused before anything is sent; default 4 MiB.
	MaxMessageSize int64
	// DefaultTopicQueueNums is defaultTopicQueueNums of a topic that the first send creates; default 4.
	DefaultTopicQueueNums int
	// Backpressure is enableBackpressureForAsyncMode (5.0.0 and later), with
	// backPressureForAsyncSendNum and backPressureForAsyncSendSize.
	Backpressure     bool
	BackpressureNum  int
	BackpressureSize int64
	// Cores is the number of processors a client sees: the threads of its executor of asynchronous
	// sends, and of its callback executor; default 4.
	Cores int
}

// OnFailure is what a caller does about a send that ended in an exception. The zero value drops the
// message.
type OnFailure struct {
	// Resends is how often it is sent again at most, Delay how long after it failed; nil is at once.
	Resends int
	Delay   sim.Sampler
}

// Arrivals is an arrival process.
type Arrivals uint8

// Arrival processes.
const (
	Poisson          Arrivals = iota // independent exponential gaps
	Constant                         // equal gaps, instances taking turns
	RecordedArrivals                 // as Producer.Recorded says
	ClosedLoop                       // each thread sends again, Think after it has its answer
)

// Arrival is one recorded arrival.
type Arrival struct {
	At sim.Duration
	// Size is the message's size in bytes, 0 to draw it as any other.
	Size int64
	// Key is the message's ordering key, if HasKey; else it is drawn.
	Key    uint32
	HasKey bool
}
