package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/sim"
	"simrun/strategy"
)

// behaviour describes one field of a profile P to overrides and to the table of the documentation.
type behaviour[P any] struct {
	key string
	// values are the words it can be; nil for one that set parses.
	values []string
	get    func(*P) string
	set    func(*P, string) error
}

// behaviourList is every field of a profile, in the order of the documentation.
type behaviourList[P any] []behaviour[P]

// choice is a field that is an enumeration.
func choice[P any, E ~uint8](key string, values []string, field func(*P) *E) behaviour[P] {
	return behaviour[P]{
		key: key, values: values,
		get: func(p *P) string { return values[*field(p)] },
		set: func(p *P, value string) error {
			i := slices.Index(values, value)
			if i < 0 {
				return fmt.Errorf("want one of %s", strings.Join(values, ", "))
			}
			*field(p) = E(i)
			return nil
		},
	}
}

// flag is a field that is one of two things: no when it is false, yes when it is true.
func flag[P any](key, no, yes string, field func(*P) *bool) behaviour[P] {
	values := []string{no, yes}
	return behaviour[P]{
		key: key, values: values,
		get: func(p *P) string {
			if *field(p) {
				return yes
			}
			return no
		},
		set: func(p *P, value string) error {
			if value != no && value != yes {
				return fmt.Errorf("want one of %s", strings.Join(values, ", "))
			}
			*field(p) = value == yes
			return nil
		},
	}
}

// span is a field that is a time, "5s" or "5ms", of at least least.
func span[P any](key string, least sim.Duration, field func(*P) *sim.Duration) behaviour[P] {
	return behaviour[P]{
		key: key,
		get: func(p *P) string { return formatSpan(*field(p)) },
		set: func(p *P, value string) error {
			d, ok := parseSpan(value)
			if !ok || d < least {
				return fmt.Errorf("want a time such as 5s or 5ms, at least %s", formatSpan(least))
			}
			*field(p) = d
			return nil
		},
	}
}

// formatSpan writes whole seconds as "5s", other times as "5ms"; profiles have no finer ones.
func formatSpan(d sim.Duration) string {
	if d%sim.Second == 0 {
		return strconv.FormatInt(int64(d/sim.Second), 10) + "s"
	}
	return strconv.FormatInt(int64(d/sim.Millisecond), 10) + "ms"
}

// parseSpan reads what formatSpan writes.
func parseSpan(word string) (d sim.Duration, ok bool) {
	digits, unit := word, sim.Duration(0)
	if s, is := strings.CutSuffix(word, "ms"); is {
		digits, unit = s, sim.Millisecond
	} else if s, is := strings.CutSuffix(word, "s"); is {
		digits, unit = s, sim.Second
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	return sim.Duration(n) * unit, err == nil && unit > 0
}

// keys lists the names.
func (l behaviourList[P]) keys() []string {
	keys := make([]string, 0, len(l))
	for i := range l {
		keys = append(keys, l[i].key)
	}
	return keys
}

// find is the behaviour of a name, nil if there is none.
func (l behaviourList[P]) find(key string) *behaviour[P] {
	for i := range l {
		if l[i].key == key {
			return &l[i]
		}
	}
	return nil
}

// with is p with behaviours replaced, each "name=value". An unknown name or value is an error that
// lists the valid ones. Names that elsewhere knows are left to it; it may be nil.
func (l behaviourList[P]) with(p P, overrides []string, elsewhere []string) (P, error) {
	for _, o := range overrides {
		key, value := cutBehaviour(o)
		b := l.find(key)
		switch {
		case b != nil:
			if err := b.set(&p, value); err != nil {
				return p, fmt.Errorf("behaviour %s = %q: %w", key, value, err)
			}
		case !slices.Contains(elsewhere, key):
			return p, fmt.Errorf("no behaviour %q; there are %s", key,
				strings.Join(slices.Concat(elsewhere, l.keys()), ", "))
		}
	}
	return p, nil
}

// cutBehaviour splits "name=value".
func cutBehaviour(text string) (key, value string) {
	key, value, _ = strings.Cut(text, "=")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// clientBehaviours are the client's on the wire; its names and those of package strategy differ.
var clientBehaviours = behaviourList[clientProfile]{
	choice("fail_fast", failFastNames, func(p *clientProfile) *failFast { return &p.failFast }),
	choice("close_on_timeout", closeOnTimeoutNames,
		func(p *clientProfile) *closeOnTimeout { return &p.closeOnTimeout }),
	flag("connect_time", "extra", "deducted",
		func(p *clientProfile) *bool { return &p.deductsConnect }),
	flag("zero_budget", "refused", "written",
		func(p *clientProfile) *bool { return &p.writesAtZero }),
	flag("name_server_failure", "no-route", "throws",
		func(p *clientProfile) *bool { return &p.nameServerThrows }),
}

// brokerBehaviours are the broker's.
var brokerBehaviours = behaviourList[brokerProfile]{
	span("cluster_poll", 0, func(p *brokerProfile) *sim.Duration { return &p.clusterPoll }),
	flag("register", "at-once", "in-turn", func(p *brokerProfile) *bool { return &p.registersInTurn }),
	span("register_timeout", sim.Millisecond,
		func(p *brokerProfile) *sim.Duration { return &p.registerTimeout }),
	flag("send_threads", "cores-to-4", "1", func(p *brokerProfile) *bool { return &p.fewSendThreads }),
	flag("put", "blocks", "async", func(p *brokerProfile) *bool { return &p.asyncPut }),
	flag("waits", "together", "in-turn", func(p *brokerProfile) *bool { return &p.waitsInTurn }),
	choice("disk_wait", diskWaitNames, func(p *brokerProfile) *diskWait { return &p.diskWait }),
	flag("late_wait", "counts", "fails", func(p *brokerProfile) *bool { return &p.lateWaitFails }),
	choice("replica_check", replicaCheckNames,
		func(p *brokerProfile) *replicaCheck { return &p.replicaCheck }),
	choice("replica_wait", replicaWaitNames,
		func(p *brokerProfile) *replicaWait { return &p.replicaWait }),
	choice("shorter_master", shorterMasterNames,
		func(p *brokerProfile) *shorterMaster { return &p.shorterMaster }),
	span("first_report", 0, func(p *brokerProfile) *sim.Duration { return &p.firstReport }),
	flag("flush", "woken", "timed", func(p *brokerProfile) *bool { return &p.flushTimed }),
	flag("put_wakes_flush", "no", "yes", func(p *brokerProfile) *bool { return &p.putsWakeFlush }),
	{
		key: "page_cache_busy", values: []string{"1", "2"},
		get: func(p *brokerProfile) string { return strconv.Itoa(p.pageCacheBusyCode) },
		set: func(p *brokerProfile, value string) error {
			code, err := strconv.Atoi(value)
			if err != nil || code != strategy.CodeSystemError && code != strategy.CodeSystemBusy {
				return fmt.Errorf("want one of %d, %d", strategy.CodeSystemError, strategy.CodeSystemBusy)
			}
			p.pageCacheBusyCode = code
			return nil
		},
	},
	flag("unregister", "last", "first", func(p *brokerProfile) *bool { return &p.unregistersFirst }),
	span("store_shutdown", 0, func(p *brokerProfile) *sim.Duration { return &p.storeShutdown }),
	span("scheduler_shutdown", 0, func(p *brokerProfile) *sim.Duration { return &p.schedulerShutdown }),
	flag("broker_permission", "narrows", "replaces",
		func(p *brokerProfile) *bool { return &p.permissionReplaces }),
}

// nameServerBehaviours are the name server's.
var nameServerBehaviours = behaviourList[nameServerProfile]{
	span("scan", sim.Millisecond, func(p *nameServerProfile) *sim.Duration { return &p.scan }),
	span("first_scan", 0, func(p *nameServerProfile) *sim.Duration { return &p.firstScan }),
	flag("add_write_perm", "unknown", "known",
		func(p *nameServerProfile) *bool { return &p.addsWritePerm }),
}

// ProducerBehaviours lists the names that Producer.Behaviours may replace, in the order of the
// documentation: those of package strategy, and the client's own on the wire.
func ProducerBehaviours() []string {
	return slices.Concat(strategy.Behaviours(), clientBehaviours.keys())
}

// BrokerBehaviours lists the names that Broker.Behaviours may replace.
func BrokerBehaviours() []string { return brokerBehaviours.keys() }

// NameServerBehaviours lists the names that NameServer.Behaviours may replace.
func NameServerBehaviours() []string { return nameServerBehaviours.keys() }

// BehaviourValues lists the values of a behaviour of a kind of process, nil if it takes a time, a
// list, or does not exist.
func BehaviourValues(kind TargetKind, key string) []string {
	switch kind {
	case BrokerTarget:
		return brokerBehaviours.values(key)
	case NameServerTarget:
		return nameServerBehaviours.values(key)
	default:
		if values := clientBehaviours.values(key); values != nil {
			return values
		}
		return strategy.BehaviourValues(key)
	}
}

func (l behaviourList[P]) values(key string) []string {
	if b := l.find(key); b != nil {
		return slices.Clone(b.values)
	}
	return nil
}

// CheckBehaviours says what is wrong with behaviours, each "name=value", of a kind of process. An
// unknown name or value is an error that lists the valid ones; so is a name that is there twice.
func CheckBehaviours(kind TargetKind, behaviours []string) (err error) {
	switch kind {
	case BrokerTarget:
		_, err = (&Broker{Release: newestRelease(), Behaviours: behaviours}).profile()
	case NameServerTarget:
		_, err = (&NameServer{Release: newestRelease(), Behaviours: behaviours}).profile()
	default:
		p := &Producer{Release: newestRelease(), Behaviours: behaviours}
		if _, err = p.wire(); err == nil {
			_, err = p.Profile()
		}
	}
	if err != nil {
		return err
	}
	var named []string
	for _, b := range behaviours {
		key, _ := cutBehaviour(b)
		if slices.Contains(named, key) {
			return fmt.Errorf("%s is there twice", key)
		}
		named = append(named, key)
	}
	return nil
}

func newestRelease() string {
	known := strategy.Releases()
	return known[len(known)-1]
}

// profile is the release's with the behaviours replaced. Its error names what is wrong.
func (b *Broker) profile() (brokerProfile, error) {
	p, err := brokerTable.lookup(b.Release)
	if err != nil {
		return p, err
	}
	return brokerBehaviours.with(p, b.Behaviours, nil)
}

// profile is the release's with the behaviours replaced. Its error names what is wrong.
func (n *NameServer) profile() (nameServerProfile, error) {
	p, err := nameServerTable.lookup(n.Release)
	if err != nil {
		return p, err
	}
	return nameServerBehaviours.with(p, n.Behaviours, nil)
}

// wire is what the client's release does on the wire, with the behaviours replaced. Its error names
// what is wrong; behaviours of package strategy are left to Profile.
func (p *Producer) wire() (clientProfile, error) {
	c, err := clientTable.lookup(p.Release)
	if err != nil {
		return c, err
	}
	return clientBehaviours.with(c, p.Behaviours, strategy.Behaviours())
}

// VersionTable is the table of releases of a kind of process as text, in the layout of
// strategy.VersionTable: each behaviour, its values, and the releases that have them. For a producer
// it is what the client does on the wire.
func VersionTable(kind TargetKind) string {
	switch kind {
	case BrokerTarget:
		return versionTable(brokerBehaviours, brokerTable)
	case NameServerTarget:
		return versionTable(nameServerBehaviours, nameServerTable)
	default:
		return versionTable(clientBehaviours, clientTable)
	}
}

func versionTable[P any](behaviours behaviourList[P], table profileTable[P]) string {
	var b strings.Builder
	for i := range behaviours {
		b.WriteString(strategy.BehaviourLines(behaviours[i].key, func(release string) string {
			p, err := table.lookup(release)
			if err != nil {
				panic(err) // a release of the table is in the table
			}
			return behaviours[i].get(&p)
		}))
	}
	return b.String()
}
