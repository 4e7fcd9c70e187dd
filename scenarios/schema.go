package scenarios

import (
	"slices"
	"unicode"
)

// The grammar is data. One table per kind of TOML table lists its keys; reading, --set, hints on
// misspelt keys, the effective scenario and the reference in docs/scenarios.md all follow from it.

// key describes one key.
type key struct {
	name string
	kind kind
	// def is the default as TOML text. A key with neither def nor defaults has no value when absent.
	def string
	// defaults computes a default that depends on keys above it; what it depends on is in defDoc.
	defaults func(l *loader, t *table) string
	defDoc   string
	required bool
	// java are the names under which RocketMQ knows the setting.
	java []string
	// since is the first release of the table's process that has the setting, until the first one
	// that has it no more, where instead is another key.
	since, until, instead string
	// goSince is the first release of the Go client that heeds a producer's setting, noGo if none does;
	// "" is all of them.
	goSince string
	// fixed: a release without the setting does what its default says.
	fixed bool
	// unfit says why the key has no meaning in this table; nil or "" if it has.
	unfit func(t *table) string
	doc   string
}

// tableKind describes the tables under one header.
type tableKind struct {
	name string
	// named tables have a name of their own: [broker.a].
	named bool
	keys  []key
	doc   string
}

func (tk *tableKind) key(name string) *key {
	for i := range tk.keys {
		if tk.keys[i].name == name {
			return &tk.keys[i]
		}
	}
	return nil
}

func (tk *tableKind) names() []string {
	names := make([]string, len(tk.keys))
	for i := range tk.keys {
		names[i] = tk.keys[i].name
	}
	return names
}

// header is the table as people write it: "[broker.NAME]", or "the top level".
func (tk *tableKind) header() string {
	switch {
	case tk.name == "":
		return "the top level"
	case tk.named:
		return "[" + tk.name + ".NAME]"
	default:
		return "[" + tk.name + "]"
	}
}

// Names of the kinds of tables.
const (
	tableNetwork    = "network"
	tableStart      = "start"
	tableNameServer = "name_server"
	tableTopic      = "topic"
	tableBroker     = "broker"
	tableProducer   = "producer"
	tableHost       = "host"
	tableZone       = "zone"
	tableZoneLink   = "zone_link"
	tableFault      = "fault"
	tableExpect     = "expect"
	// tableVariant is no table of the scenario, but changes others.
	tableVariant = "variant"
)

// schema is every kind of table in the order of an effective scenario; the first is the top level.
var schema []tableKind

func init() { // breaks the cycle between the table and the functions it names
	schema = []tableKind{
		{name: "", keys: topKeys, doc: "Keys before the first table."},
		{name: tableNetwork, keys: networkKeys, doc: "The wire between any two hosts."},
		{name: tableStart, keys: startKeys, doc: "How the life of the producers begins."},
		{
			name: tableNameServer, named: true, keys: nameServerKeys,
			doc: "A name server. Without any there is one, `n1`.",
		},
		{
			name: tableTopic, named: true, keys: topicKeys,
			doc: "A topic and where it has queues. Without any there is one, `orders`.",
		},
		{
			name: tableBroker, named: true, keys: brokerKeys,
			doc: "A broker name: its master, `NAME:0`, and its slaves, `NAME:1`, …",
		},
		{
			name: tableProducer, named: true, keys: producerKeys,
			doc: "A group of identical producer instances, each with its own fault table.",
		},
		{
			name: tableHost, named: true, keys: hostKeys,
			doc: "A machine that runs several processes, or stands in a zone. A process that no host " +
				"runs has a machine to itself.",
		},
		{
			name: tableZone, named: true, keys: zoneKeys,
			doc: "A place: the hosts that name it, and processes with a machine to themselves.",
		},
		{
			name: tableZoneLink, named: true, keys: zoneLinkKeys,
			doc: "The way between two zones, in both directions.",
		},
		{
			name: tableFault, named: true, keys: faultKeys,
			doc: "A fault. Its name is the name of its phase.",
		},
		{
			name: tableExpect, named: true, keys: expectKeys,
			doc: "An expectation: a metric, where it is measured, and its limits.",
		},
	}
}

// tableOf finds the kind of the tables under a header's first part; nil if there is none.
func tableOf(name string) *tableKind {
	for i := range schema[1:] {
		if schema[i+1].name == name {
			return &schema[i+1]
		}
	}
	return nil
}

func tableNames() []string {
	names := make([]string, 0, len(schema)-1)
	for i := range schema[1:] {
		names = append(names, schema[i+1].name)
	}
	return names
}

// keyHome finds the kinds of tables that have a key of this name.
func keyHome(name string) (homes []*tableKind) {
	for i := range schema {
		if schema[i].key(name) != nil {
			homes = append(homes, &schema[i])
		}
	}
	return homes
}

// byJavaName finds the key that a Java name stands for.
func (tk *tableKind) byJavaName(name string) *key {
	for i := range tk.keys {
		if slices.Contains(tk.keys[i].java, name) {
			return &tk.keys[i]
		}
	}
	if s := snake(name); s != name && unicode.IsLower(rune(name[0])) {
		return tk.key(s)
	}
	return nil
}
