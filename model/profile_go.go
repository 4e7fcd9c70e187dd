package model

import (
	"fmt"
	"strings"

	"simrun/sim"
	"simrun/strategy"
)

// goProfile is what a release of the Go client does: package strategy decides, the rest is on the wire.
type goProfile struct {
	send strategy.GoProfile
	// connectionTimeout bounds a dial whatever its context says; 0 is no bound but the kernel's.
	connectionTimeout sim.Duration
	// readTimeout closes a connection on which nothing has been read for so long; 0 is never.
	readTimeout sim.Duration
	// writesLate: a request whose context is over is written all the same. Otherwise its write fails,
	// which closes the connection.
	writesLate bool
	// requestTimeout bounds a lookup at one name server.
	requestTimeout sim.Duration
	// list is the order of the publish list. ignoresOrder: it does not follow an ORDER_TOPIC_CONFIG.
	list         goList
	ignoresOrder bool
}

// goList is the order of brokers in the publish list.
//
// Source: rocketmq-client-go internal/route.go, routeData2PublishInfo, v2.1.2 and 2173d07;
// UpdateTopicRouteInfoWithDefault and internal/client.go, UpdatePublishInfo, v2.1.1 and v2.1.2.
type goList uint8

const (
	// goListReversed: that of the name server's answer, backwards. The function that is to sort it
	// compares places and not names, and an insertion sort, which is what a list of up to twelve
	// brokers gets, then moves each to the front.
	goListReversed goList = iota
	// goListTold: that of the name server's answer. It is reversed twice.
	goListTold
	// goListSorted: by name, as in Java.
	goListSorted
)

var goListNames = []string{"reversed", "as-told", "sorted"}

// goRows are the releases of the Go client.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, internal/remote/tcp_conn.go and
// internal/route.go.
func goRows() []goProfile {
	p := goProfile{writesLate: true, requestTimeout: 3 * sim.Second, list: goListReversed, ignoresOrder: true}
	wire := map[string]goProfile{"2.1.0": p}

	p.connectionTimeout = 15 * sim.Second // initConn
	p.readTimeout = 120 * sim.Second      // receiveResponse
	wire["2.1.1"] = p

	p.requestTimeout = 6 * sim.Second // queryTopicRouteInfoFromServer
	p.list = goListTold               // UpdateTopicRouteInfoWithDefault
	wire["2.1.2"] = p

	p.writesLate = false   // doRequest
	p.list = goListSorted  // routeData2PublishInfo
	p.ignoresOrder = false // TopicRouteData.decode
	wire[strategy.GoHead] = p

	rows := make([]goProfile, 0, len(wire))
	for _, release := range strategy.GoReleases() {
		row := wire[release]
		var err error
		if row.send, err = strategy.LookupGo(release); err != nil {
			panic(err)
		}
		rows = append(rows, row)
	}
	return rows
}

var goTable = goRows()

// GoReleases names the releases of the Go client that are modelled, oldest first. "head" is what no
// release has yet.
func GoReleases() []string { return strategy.GoReleases() }

// lookupGo is how a release of the Go client behaves.
func lookupGo(release string) (goProfile, error) {
	for i := range goTable {
		if goTable[i].send.Release == release {
			return goTable[i], nil
		}
	}
	_, err := strategy.LookupGo(release)
	return goProfile{}, err
}

// goBehaviours are the fields that are about the wire, by name, in the order of the documentation.
var goBehaviours = []struct {
	key string
	get func(*goProfile) string
}{
	{"go_connection_timeout", func(p *goProfile) string { return spanOrNone(p.connectionTimeout) }},
	{"go_read_timeout", func(p *goProfile) string { return spanOrNone(p.readTimeout) }},
	{"go_late_write", func(p *goProfile) string {
		if p.writesLate {
			return "written"
		}
		return "closes"
	}},
	{"go_request_timeout", func(p *goProfile) string { return formatSpan(p.requestTimeout) }},
	{"go_list", func(p *goProfile) string { return goListNames[p.list] }},
	{"go_order_topic", func(p *goProfile) string {
		if p.ignoresOrder {
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
			span := goTable[i].send.Release
			if j > i {
				span += " - " + goTable[j].send.Release
			}
			fmt.Fprintf(&out, "%-22s %-18s %s\n", key, b.get(&goTable[i]), span)
			key, i = "", j+1
		}
	}
	return out.String()
}

// goWire is what the parts of the model that the clients share ask of the Go client: a connection that
// closes tells nobody, a timeout closes none, and one time covers connecting and waiting.
func goWire() clientProfile {
	return clientProfile{
		failFast: failNever, closeOnTimeout: closeNever, deductsConnect: true, triesNameServers: true,
		nameServerThrows: true,
	}
}
