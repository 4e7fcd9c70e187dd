package releases

import (
	"fmt"
	"strings"

	"simrun/sim"
	"simrun/strategy"
)

// Go is what a release of the Go client does: package strategy decides, the rest is on the wire.
type Go struct {
	Send strategy.GoProfile
	// ConnectionTimeout bounds a dial whatever its context says; 0 is no bound but the kernel's.
	ConnectionTimeout sim.Duration
	// ReadTimeout closes a connection on which nothing has been read for so long; 0 is never.
	ReadTimeout sim.Duration
	// WritesLate: a request whose context is over is written all the same. Otherwise its write fails,
	// which closes the connection.
	WritesLate bool
	// RequestTimeout bounds a lookup at one name server.
	RequestTimeout sim.Duration
	// List is the order of the publish list. IgnoresOrder: it does not follow an ORDER_TOPIC_CONFIG.
	List         GoList
	IgnoresOrder bool
}

// GoList is the order of brokers in the publish list.
//
// Source: rocketmq-client-go internal/route.go, routeData2PublishInfo, v2.1.2 and 2173d07;
// UpdateTopicRouteInfoWithDefault and internal/client.go, UpdatePublishInfo, v2.1.1 and v2.1.2.
type GoList uint8

const (
	// GoListReversed: that of the name server's answer, backwards. The function that is to sort it
	// compares places and not names, and an insertion sort, which is what a list of up to twelve
	// brokers gets, then moves each to the front.
	GoListReversed GoList = iota
	// GoListTold: that of the name server's answer. It is reversed twice.
	GoListTold
	// GoListSorted: by name, as in Java.
	GoListSorted
)

var goListNames = []string{"reversed", "as-told", "sorted"}

// goRows are the releases of the Go client.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, internal/remote/tcp_conn.go and
// internal/route.go.
func goRows() []Go {
	p := Go{WritesLate: true, RequestTimeout: 3 * sim.Second, List: GoListReversed, IgnoresOrder: true}
	wire := map[string]Go{"2.1.0": p}

	p.ConnectionTimeout = 15 * sim.Second // initConn
	p.ReadTimeout = 120 * sim.Second      // receiveResponse
	wire["2.1.1"] = p

	p.RequestTimeout = 6 * sim.Second // queryTopicRouteInfoFromServer
	p.List = GoListTold               // UpdateTopicRouteInfoWithDefault
	wire["2.1.2"] = p

	p.WritesLate = false   // doRequest
	p.List = GoListSorted  // routeData2PublishInfo
	p.IgnoresOrder = false // TopicRouteData.decode
	wire[strategy.GoHead] = p

	rows := make([]Go, 0, len(wire))
	for _, release := range strategy.GoReleases() {
		row := wire[release]
		var err error
		if row.Send, err = strategy.LookupGo(release); err != nil {
			panic(err)
		}
		rows = append(rows, row)
	}
	return rows
}

var goTable = goRows()

// LookupGo is how a release of the Go client behaves.
func LookupGo(release string) (Go, error) {
	for i := range goTable {
		if goTable[i].Send.Release == release {
			return goTable[i], nil
		}
	}
	_, err := strategy.LookupGo(release)
	return Go{}, err
}

// goBehaviours are the fields that are about the wire, by name, in the order of the documentation.
var goBehaviours = []struct {
	key string
	get func(*Go) string
}{
	{"go_connection_timeout", func(p *Go) string { return spanOrNone(p.ConnectionTimeout) }},
	{"go_read_timeout", func(p *Go) string { return spanOrNone(p.ReadTimeout) }},
	{"go_late_write", func(p *Go) string {
		if p.WritesLate {
			return "written"
		}
		return "closes"
	}},
	{"go_request_timeout", func(p *Go) string { return formatSpan(p.RequestTimeout) }},
	{"go_list", func(p *Go) string { return goListNames[p.List] }},
	{"go_order_topic", func(p *Go) string {
		if p.IgnoresOrder {
			return "ignored"
		}
		return "heeded"
	}},
}

func spanOrNone(d sim.Duration) string {
	if d == 0 {
		return "none"
	}
	return formatSpan(d)
}

// GoVersionTable is the table of the Go client's releases on the wire as text, in the layout of
// strategy.GoBehaviourTable.
func GoVersionTable() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-22s %-18s %s\n", "behaviour", "value", "releases")
	for _, b := range goBehaviours {
		key := b.key
		for i := 0; i < len(goTable); {
			j := i
			for j+1 < len(goTable) && b.get(&goTable[j+1]) == b.get(&goTable[i]) {
				j++
			}
			span := goTable[i].Send.Release
			if j > i {
				span += " - " + goTable[j].Send.Release
			}
			fmt.Fprintf(&out, "%-22s %-18s %s\n", key, b.get(&goTable[i]), span)
			key, i = "", j+1
		}
	}
	return out.String()
}

// GoWire is what the parts of the model that the clients share ask of the Go client: a connection that
// closes tells nobody, a timeout closes none, and one time covers connecting and waiting.
func GoWire() Client {
	return Client{
		FailFast: FailNever, CloseOnTimeout: CloseNever, DeductsConnect: true, TriesNameServers: true,
		NameServerThrows: true,
	}
}
