package scenarios

import (
	"fmt"
	"math"
	"strings"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// limitKind is a limit in the unit of the metric, which the table knows.
var limitKind = anyKind("limit",
	`a number, a duration such as "4s" or a percentage such as "99.9%", as the metric has it`)

func (a *assembly) expectations() {
	for _, t := range a.tables(tableExpect) {
		e := expectation{a: a, t: t, Expectation: Expectation{
			Name:  t.name,
			Fault: -1, Broker: -1, Producer: -1, Topic: -1,
		}}
		e.read()
		a.s.Expectations = append(a.s.Expectations, e.Expectation)
	}
}

// expectation reads one [expect.NAME] table.
type expectation struct {
	Expectation
	a *assembly
	t *table
}

func (e *expectation) read() {
	known := e.metric()
	e.names()
	if known {
		e.keys()
		e.limits()
	}
	e.window(known)
	e.condition()
	e.where()
}

// fail reports a problem of a key of the table.
func (e *expectation) fail(name, format string, args ...any) {
	path := joinPath(e.t.path, name)
	e.a.l.spoil(path)
	e.a.l.failAt(path, "%s %s", path, fmt.Sprintf(format, args...))
}

// written is the node of a key that was given and is no error yet; nil otherwise.
func (e *expectation) written(name string) *node {
	if v := e.t.vals[name]; !v.bad {
		return v.node
	}
	return nil
}

func (e *expectation) metric() bool {
	n := e.written("metric")
	if n == nil {
		return false
	}
	name := get[string](e.t, "metric")
	m, ok := result.LookupMetric(name)
	if !ok {
		var all []string
		for _, m := range result.Metrics() {
			all = append(all, m.Name)
		}
		p := e.a.l.fail(n, "%s: there is no metric %q", n.path, name)
		e.a.l.spoil(n.path)
		if near := nearestMetric(name, all); near != "" {
			p.Hint = fmt.Sprintf("did you mean %q?", near)
		} else {
			p.Hint = "it can be " + orList(all)
		}
	}
	e.Metric = m
	return ok
}

// nearestMetric also knows the ways in which people write quantiles.
func nearestMetric(name string, all []string) string {
	if near := nearest(name, all); near != "" {
		return near
	}
	for _, m := range all {
		_, q, ok := strings.Cut(m, "_p")
		if ok && fold(name) == "p"+q || fold(name) == "p"+q+"latency" {
			return m
		}
	}
	return ""
}

// names looks up what the expectation refers to.
func (e *expectation) names() {
	look := func(key, kind string) int {
		if n := e.written(key); n != nil {
			return e.a.reference(n, key, e.a.names(kind))
		}
		return -1
	}
	e.Fault = look("fault", tableFault)
	e.Broker = look("broker", tableBroker)
	e.Producer = look("producer", tableProducer)
	e.Topic = look("topic", tableTopic)
}

// keys checks that the keys suit the metric's scope.
func (e *expectation) keys() {
	allowed := map[result.Scope][]string{
		result.ScopeMessages: {"during", "from", "to", "producer", "topic"},
		result.ScopeBroker:   {"during", "from", "to", "broker"},
		result.ScopeFault:    {"fault", "broker"},
		result.ScopeCluster:  {"during", "from", "to"},
		result.ScopeBalance:  {"during", "from", "to", "topic"},
		result.ScopeRecovery: {"fault"},
	}[e.Metric.Scope]
	for _, name := range []string{"fault", "during", "from", "to", "broker", "producer", "topic"} {
		n := e.written(name)
		if n == nil || strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+name+" ") {
			continue
		}
		p := e.a.l.failKey(n, "%s does not go with metric %q", n.path, e.Metric.Name)
		p.Hint = "it takes " + andList(allowed)
		if name == "fault" {
			p.Hint = fmt.Sprintf("write during = %s", quote(result.FaultPrefix+get[string](e.t, "fault")))
		}
		if name == "during" && e.Metric.Scope.OfFault() {
			during := strings.TrimPrefix(get[string](e.t, "during"), result.FaultPrefix)
			p.Hint = fmt.Sprintf("write fault = %s", quote(during))
		}
		e.a.l.spoil(n.path)
	}
	switch {
	case e.Metric.Scope.OfFault() && e.t.vals["fault"].node == nil &&
		e.t.vals["during"].node == nil:
		e.fail("fault", "is missing; metric %q is about one fault", e.Metric.Name)
	case e.Metric.Scope == result.ScopeBroker && e.t.vals["broker"].node == nil:
		e.fail("broker", "is missing; metric %q is about one broker", e.Metric.Name)
	case e.written("producer") != nil && e.written("topic") != nil:
		e.fail("topic", "cannot stand beside producer; a breakdown is by one of them")
	}
	if e.Metric.Scope.OfFault() && e.Fault >= 0 {
		e.checkFault()
	}
}

// checkFault checks that the fault can show what the metric measures.
func (e *expectation) checkFault() {
	c := &e.a.s.Config
	f := &c.Faults[e.Fault]
	if e.Metric.Scope == result.ScopeFault {
		e.strikes(f)
	}
	if e.Metric.AfterFault() && faultEnd(f, c.Duration) == c.Duration &&
		!e.a.l.spoiled("duration") && !e.a.l.spoiled("fault."+f.Name) {
		e.a.l.failAt(e.t.path+".metric", "%s: fault %s lasts to the end of the run, so %s is undecided",
			e.t.path, f.Name, e.Metric.Name).Warning = true
	}
}

// strikes reports a fault that strikes no broker, or not the one that the expectation is about.
func (e *expectation) strikes(f *config.Fault) {
	if len(f.Targets) == 0 {
		return // they are wrong, and reported
	}
	struck := false
	for _, t := range e.a.s.Config.Struck(f) {
		if t.Kind != config.BrokerTarget {
			continue
		}
		if e.Broker < 0 || t.Index == e.Broker {
			return
		}
		struck = true
	}
	if struck {
		e.fail("broker", "is not struck by fault %s", f.Name)
		return
	}
	e.fail("fault", "is %s, which strikes no broker; %s is about its brokers", f.Name, e.Metric.Name)
}

// limits reads min and max in the metric's unit.
func (e *expectation) limits() {
	e.Min, e.Max = e.limit("min"), e.limit("max")
	switch {
	case e.t.vals["min"].node == nil && e.t.vals["max"].node == nil:
		e.a.l.failTable(e.t, "%s has neither min nor max", e.t.label()).Hint = "it is one limit or both"
		e.a.l.spoil(e.t.path + ".max")
	case e.Min != nil && e.Max != nil && *e.Min > *e.Max:
		e.fail("max", "(%s) is below min (%s)", unquoted(e.t.vals["max"].text),
			unquoted(e.t.vals["min"].text))
	}
}

func (e *expectation) limit(name string) *float64 {
	n := e.written(name)
	if n == nil {
		return nil
	}
	v := e.t.vals[name]
	x, text, ok := readLimit(e.a.l, n, e.Metric)
	if !ok {
		v.bad = true
		e.a.l.spoil(n.path)
		return nil
	}
	v.text = text
	return &x
}

// readLimit reads a limit in the base unit of a metric.
func readLimit(l *loader, n *node, m result.Metric) (x float64, text string, ok bool) {
	switch m.Unit {
	case result.UnitNS:
		v, text, ok := durationKind.read(l, n)
		if !ok {
			return 0, "", false
		}
		return float64(v.(sim.Duration)), text, true
	case result.UnitRatio:
		return readRatio(l, n)
	}
	if s, isText := n.scalar.(string); isText && strings.HasSuffix(s, "%") {
		l.fail(n, "%s is a percentage (%s); %s is %s", n.path, quote(s), m.Name, unitWords(m.Unit))
		return 0, "", false
	}
	v, text, ok := floatKind.read(l, n)
	if !ok {
		return 0, "", false
	}
	x = v.(float64)
	switch {
	case x < 0:
		l.fail(n, "%s is %s; %s is never negative", n.path, text, m.Name)
	case m.Unit == result.UnitCount && x != math.Trunc(x):
		l.fail(n, "%s is %s; %s is a whole number", n.path, text, m.Name)
	default:
		return x, text, true
	}
	return 0, "", false
}

// readRatio reads 0.999 or "99.9%".
func readRatio(l *loader, n *node) (x float64, text string, ok bool) {
	if s, isText := n.scalar.(string); isText {
		ratio, err := parseRatio(s)
		if err != nil {
			l.fail(n, "%s: %q %v", n.path, s, err)
			return 0, "", false
		}
		x = ratio
	} else {
		v, _, ok := floatKind.read(l, n)
		if !ok {
			return 0, "", false
		}
		x = v.(float64)
	}
	if x < 0 || x > 1 {
		p := l.fail(n, "%s is %s; a ratio is from 0 to 1", n.path, n.raw())
		if _, isText := n.scalar.(string); !isText && x <= 100 && x > 1 {
			p.Hint = fmt.Sprintf("write \"%s%%\"", n.raw())
		}
		return 0, "", false
	}
	return x, formatFloat(x), true
}

func unitWords(u result.Unit) string {
	if u == result.UnitCount {
		return "a count"
	}
	return "a plain number"
}

// window reads during, or from and to.
func (e *expectation) window(known bool) {
	if known && e.Metric.Scope.OfFault() {
		return
	}
	during, from, to := e.written("during"), e.written("from"), e.written("to")
	switch {
	case during != nil && (from != nil || to != nil):
		e.fail("during", "cannot stand beside from and to; it is one window")
	case from != nil && e.t.vals["to"].node == nil:
		e.fail("to", "is missing; a window has from and to")
	case to != nil && e.t.vals["from"].node == nil:
		e.fail("from", "is missing; a window has from and to")
	case from != nil && to != nil:
		e.From = sim.Time(get[sim.Duration](e.t, "from"))
		e.To = sim.Time(get[sim.Duration](e.t, "to"))
		e.checkWindow()
	case during != nil:
		e.Phase = get[string](e.t, "during")
		e.checkPhase(during)
	case e.t.vals["during"].node == nil && e.t.vals["from"].node == nil && e.t.vals["to"].node == nil:
		e.Phase = result.PhaseAll
	}
}

func (e *expectation) checkWindow() {
	end := sim.Time(e.a.s.Config.Duration)
	switch {
	case e.From >= e.To:
		e.fail("to", "(%s) is not after from (%s)", unquoted(e.t.vals["to"].text),
			unquoted(e.t.vals["from"].text))
	case e.To > end:
		e.fail("to", "(%s) is after the end of the run (%s)", unquoted(e.t.vals["to"].text),
			formatDuration(e.a.s.Config.Duration))
	}
}

// checkPhase reports a phase that the run does not have.
func (e *expectation) checkPhase(n *node) {
	var names []string
	for _, p := range e.a.s.Phases {
		if p.Name == e.Phase {
			e.cutPhase(n)
			return
		}
		names = append(names, p.Name)
	}
	l := e.a.l
	l.spoil(n.path)
	faults := e.a.names(tableFault)
	for _, prefix := range []string{result.FaultPrefix, result.RecoveryPrefix} {
		name, ok := strings.CutPrefix(e.Phase, prefix)
		if !ok {
			continue
		}
		for _, f := range faults {
			if f != name {
				continue
			}
			if !l.spoiled("fault."+f) && !l.spoiled("duration") {
				l.fail(n, "%s: there is no %s; another fault, or the end of the run, follows at once",
					n.path, e.Phase)
			}
			return
		}
	}
	p := l.fail(n, "%s: there is no phase %q", n.path, e.Phase)
	if near := nearest(e.Phase, names); near != "" {
		p.Hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(faults) > 0 && e.Phase != result.PhaseWarmup && e.Phase != result.PhaseBefore {
		p.Hint = "it can be " + orList(names)
	} else {
		p.Hint = "a phase without a length is left out; it can be " + orList(names)
	}
}

// condition decides whether the expectation's "for" holds: for each process it is about.
func (e *expectation) condition() {
	for _, c := range get[[]condition](e.t, "for") {
		for _, release := range e.releases(c.subject) {
			if !c.holds(release) {
				e.Skipped = true
			}
		}
	}
}

// releases are those of the processes that a condition is about.
func (e *expectation) releases(subject string) (releases []string) {
	c := &e.a.s.Config
	switch subject {
	case "client":
		for i := range c.Producers {
			if e.Producer < 0 || e.Producer == i {
				releases = append(releases, releaseOf(&c.Producers[i]))
			}
		}
	case "broker":
		for i := range c.Brokers {
			if e.Broker < 0 || e.Broker == i {
				releases = append(releases, c.Brokers[i].Release)
			}
		}
	default:
		for i := range c.NameServers {
			releases = append(releases, c.NameServers[i].Release)
		}
	}
	return releases
}

// releaseOf is a producer's release of RocketMQ; "" for the Go client, which has its own.
func releaseOf(p *config.Producer) string {
	if p.Client == config.GoClient {
		return ""
	}
	return p.Release
}

// where says in words what the expectation is measured over.
func (e *expectation) where() {
	c := &e.a.s.Config
	var parts []string
	if e.Broker >= 0 {
		parts = append(parts, "broker "+c.Brokers[e.Broker].Name)
	}
	if e.Producer >= 0 {
		parts = append(parts, "producer "+c.Producers[e.Producer].Name)
	}
	if e.Topic >= 0 {
		parts = append(parts, "topic "+c.Topics[e.Topic].Name)
	}
	switch {
	case e.Fault >= 0:
		parts = append(parts, "fault "+c.Faults[e.Fault].Name)
	case e.Phase != "":
		parts = append(parts, "during "+e.Phase)
	default:
		parts = append(parts, fmt.Sprintf("from %s to %s", formatDuration(sim.Duration(e.From)),
			formatDuration(sim.Duration(e.To))))
	}
	e.Where = strings.Join(parts, ", ")
}
