package strategy

import (
	"fmt"
	"slices"
	"strings"
)

// GoProfile is how a release of the official Go client sends, rocketmq-client-go v2. What it does on
// the wire is not here.
type GoProfile struct {
	// Release is the release: "2.1.2", or "head" for what no release has yet.
	Release string
	// LastBroker says what a selector is told of the attempt before.
	LastBroker GoLastBroker
	// AttemptTimeout says how long an attempt may take.
	AttemptTimeout GoAttemptTimeout
	// RetryResponseCodes are the broker's codes that are tried again, except on the last try.
	RetryResponseCodes []int
	// Index is how the default selector counts.
	Index GoIndex
	// AsyncDial says who waits for the connection of an asynchronous send.
	AsyncDial GoAsyncDial
	// AsyncRefusal says what the callback of an asynchronous send gets if the broker refuses it.
	AsyncRefusal GoAsyncRefusal
}

// GoLastBroker is what a selector is told of the attempt before.
//
// Source: rocketmq-client-go producer/producer.go, sendSync and sendOneWay, v2.1.1, v2.1.2 and 7ffb599.
type GoLastBroker uint8

const (
	// GoLastNever: nothing. The interface of selectors has no place for it.
	GoLastNever GoLastBroker = iota
	// GoLastOneWay: its broker, but in one-way sends only. In a synchronous send each attempt assigns
	// its queue to a variable of its own, and the one that is looked at stays nil.
	GoLastOneWay
	// GoLastTold: its broker.
	GoLastTold
)

// String returns the value's name.
func (v GoLastBroker) String() string { return nameOf(goLastBrokerNames, uint8(v), "GoLastBroker") }

var goLastBrokerNames = []string{"never", "one-way", "told"}

// GoAttemptTimeout is how long an attempt may take.
//
// Source: rocketmq-client-go producer/producer.go, sendSync and sendAsync, v2.1.2 and 7ae83c4.
type GoAttemptTimeout uint8

const (
	// GoTimeoutFixed: 3 s. The option WithSendMsgTimeout changes nothing.
	GoTimeoutFixed GoAttemptTimeout = iota
	// GoTimeoutSet: [Settings.SendMsgTimeout].
	GoTimeoutSet
)

// String returns the value's name.
func (v GoAttemptTimeout) String() string {
	return nameOf(goAttemptTimeoutNames, uint8(v), "GoAttemptTimeout")
}

var goAttemptTimeoutNames = []string{"fixed", "set"}

// goFixedTimeout is the time of an attempt where it cannot be set.
const goFixedTimeout Millis = 3000

// GoAsyncDial says who waits for the connection of an asynchronous send.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, InvokeAsync, v2.1.2 and 2173d07.
type GoAsyncDial uint8

const (
	// GoAsyncDialCaller: the goroutine that called SendAsync, which then gets the error, too.
	GoAsyncDialCaller GoAsyncDial = iota
	// GoAsyncDialOwn: a goroutine of the send's own; the callback gets the error.
	GoAsyncDialOwn
)

// String returns the value's name.
func (v GoAsyncDial) String() string { return nameOf(goAsyncDialNames, uint8(v), "GoAsyncDial") }

var goAsyncDialNames = []string{"caller", "own"}

// GoAsyncRefusal says what the callback of an asynchronous send gets if the broker refuses it.
//
// Source: rocketmq-client-go producer/producer.go, sendAsync, v2.1.1 and v2.1.2.
type GoAsyncRefusal uint8

const (
	// GoRefusalUnknown: no error, and a result with the status SendUnknownError.
	GoRefusalUnknown GoAsyncRefusal = iota
	// GoRefusalError: the error.
	GoRefusalError
)

// String returns the value's name.
func (v GoAsyncRefusal) String() string {
	return nameOf(goAsyncRefusalNames, uint8(v), "GoAsyncRefusal")
}

var goAsyncRefusalNames = []string{"unknown-status", "error"}

// GoHead is the release of what no release has yet: the head of master in December 2025.
const GoHead = "head"

// goRows is the table of the Go client's releases, in their order.
//
// Source: rocketmq-client-go producer/producer.go, producer/selector.go and producer/option.go.
func goRows() []GoProfile {
	var out []GoProfile
	p := GoProfile{Index: GoIndexSigned}
	add := func(release string) {
		p.Release = release
		out = append(out, p)
	}
	add("2.1.0")

	p.Index = GoIndexUnsigned // roundRobinQueueSelector.Select
	add("2.1.1")

	p.LastBroker = GoLastOneWay // sendSync, sendOneWay
	p.RetryResponseCodes = []int{
		CodeTopicNotExist, CodeServiceNotAvailable, CodeSystemError, CodeNoPermission,
	} // needRetryCode
	p.AsyncRefusal = GoRefusalError // sendAsync
	add("2.1.2")

	p.LastBroker = GoLastTold       // sendSync
	p.AttemptTimeout = GoTimeoutSet // sendSync
	p.AsyncDial = GoAsyncDialOwn    // remotingClient.InvokeAsync
	add(GoHead)
	return out
}

var goTable = goRows()

// GoReleases lists the releases of the Go client that LookupGo knows, oldest first.
func GoReleases() []string {
	out := make([]string, 0, len(goTable))
	for i := range goTable {
		out = append(out, goTable[i].Release)
	}
	return out
}

// LookupGo finds a release of the Go client by its name in GoReleases.
func LookupGo(release string) (GoProfile, error) {
	for i := range goTable {
		if goTable[i].Release == release {
			p := goTable[i]
			p.RetryResponseCodes = slices.Clone(p.RetryResponseCodes)
			return p, nil
		}
	}
	return GoProfile{}, fmt.Errorf("strategy: no release %q of the Go client; there are %s",
		release, strings.Join(GoReleases(), ", "))
}

// GoDefaultSettings are the settings of a Go producer that nobody configured. Those that are not set
// here are of the Java client.
//
// Source: rocketmq-client-go producer/option.go, defaultProducerOptions; internal/client.go,
// DefaultClientOptions, v2.1.0 to the head of master in December 2025.
func GoDefaultSettings() Settings {
	return Settings{
		SendMsgTimeout:              3000,
		RetryTimesWhenSendFailed:    3,
		SendMsgMaxTimeoutPerRequest: -1,
		DetectInterval:              2000,
		DetectTimeout:               200,
	}
}

// goBehaviours lists every field of a GoProfile by name, in the order of the documentation.
var goBehaviours = []struct {
	key string
	get func(*GoProfile) string
}{
	{"go_last_broker", func(p *GoProfile) string { return p.LastBroker.String() }},
	{"go_attempt_timeout", func(p *GoProfile) string { return p.AttemptTimeout.String() }},
	{"go_retry_codes", func(p *GoProfile) string {
		if len(p.RetryResponseCodes) == 0 {
			return "none"
		}
		return formatCodes(p.RetryResponseCodes)
	}},
	{"go_index", func(p *GoProfile) string { return p.Index.String() }},
	{"go_async_dial", func(p *GoProfile) string { return p.AsyncDial.String() }},
	{"go_async_refusal", func(p *GoProfile) string { return p.AsyncRefusal.String() }},
}

// GoBehaviourTable is the table of the releases: for each behaviour its values, in their order, and the
// releases that have them.
func GoBehaviourTable() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-22s %-18s %s\n", "behaviour", "value", "releases")
	for _, b := range goBehaviours {
		key := b.key
		for i := 0; i < len(goTable); {
			j := i
			for j+1 < len(goTable) && b.get(&goTable[j+1]) == b.get(&goTable[i]) {
				j++
			}
			span := goTable[i].Release
			if j > i {
				span += " - " + goTable[j].Release
			}
			fmt.Fprintf(&out, "%-22s %-18s %s\n", key, b.get(&goTable[i]), span)
			key, i = "", j+1
		}
	}
	return out.String()
}
