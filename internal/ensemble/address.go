package ensemble

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
)

// Row names a metric of all messages of a phase, or of a fault: one of Phase and Fault is empty.
type Row struct {
	Metric, Phase, Fault string
}

// String is the address of the row: METRIC@PHASE or METRIC@FAULT.
func (r Row) String() string { return r.Metric + "@" + r.Phase + r.Fault }

// Places are what a row can be of: the phases and faults of a scenario, in its order.
type Places struct {
	Phases, Faults []string
}

// NewPlaces are those of a scenario with such phases and faults.
func NewPlaces(phases []result.Phase, faults []string) Places {
	p := Places{Faults: faults}
	for _, ph := range phases {
		p.Phases = append(p.Phases, ph.Name)
	}
	return p
}

// Places are those of the run.
func (m *Member) Places() Places {
	var faults []string
	for _, f := range m.run.Faults {
		faults = append(faults, f.Name)
	}
	return NewPlaces(m.run.Phases, faults)
}

// has says whether a row is of one of the places.
func (p Places) has(r Row) bool {
	if r.Fault != "" {
		return slices.Contains(p.Faults, r.Fault)
	}
	return slices.Contains(p.Phases, r.Phase)
}

// DefaultRows are compared where nobody names others: success, failed sends, the 99th percentile and how
// evenly brokers are used, of all messages, and the time to avoid of each fault.
func (p Places) DefaultRows() []Row {
	rows := []Row{
		{Metric: "success_rate", Phase: result.PhaseAll},
		{Metric: "failed", Phase: result.PhaseAll},
		{Metric: "latency_p99", Phase: result.PhaseAll},
	}
	for _, f := range p.Faults {
		rows = append(rows, Row{Metric: "time_to_avoid", Fault: f})
	}
	return append(rows, Row{Metric: "broker_imbalance", Phase: result.PhaseAll})
}

// Rows are those that addresses name, in their order and each once: METRIC@PHASE for messages, METRIC@FAULT
// for a metric of a fault. METRIC alone is of all messages, or of every fault. The error has a line for each
// address that names none, with what to write instead.
func (p Places) Rows(addresses ...string) ([]Row, error) {
	var rows []Row
	var errs []error
	for _, text := range addresses {
		named, err := p.parse(text)
		if err != nil {
			errs = append(errs, err)
		}
		for _, r := range named {
			if !slices.Contains(rows, r) {
				rows = append(rows, r)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return rows, nil
}

// parse reads one address.
func (p Places) parse(text string) ([]Row, error) {
	name, place, at := strings.Cut(text, "@")
	if name == "" {
		return nil, fmt.Errorf("%q names no metric; write METRIC, METRIC@PHASE or METRIC@FAULT", text)
	}
	m, ok := result.LookupMetric(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("no metric %q%s", name, meant(nearestMetric(name)))
	case m.Scope == result.ScopeBroker:
		return nil, fmt.Errorf("%s is of one broker, rows are of all messages of a phase or of a fault; "+
			"an expectation can be on it, and %s says how uneven brokers are", name, balanceMetric)
	case notAPlace(place) != "":
		return nil, p.narrower(m, place)
	case at && place == "":
		return nil, fmt.Errorf("%q has no place after the @; leave it away for %s", text, p.everywhere(m))
	case m.Scope.OfFault():
		return p.faultRows(name, place)
	}
	return p.phaseRows(name, place)
}

// balanceMetric is the row that says how brokers fare beside each other.
const balanceMetric = "broker_imbalance"

// notAPlace is the kind of what expectations can narrow down to and rows cannot: "broker" of broker:a. Empty:
// it is none.
func notAPlace(place string) string {
	kind, _, ok := strings.Cut(place, ":")
	if ok && slices.Contains([]string{"broker", "producer", "topic", "instance", "queue"}, kind) {
		return kind
	}
	return ""
}

// narrower refuses a row of one broker, producer or topic, and says what comes near it.
func (p Places) narrower(m result.Metric, place string) error {
	kind := notAPlace(place)
	text := fmt.Sprintf("%s@%s: rows are of all messages of a phase or of a fault, not of one %s; write %s",
		m.Name, place, kind, p.instead(m))
	switch {
	case kind == "broker" && m.Scope.OfFault():
		text += ", which is that of its slowest broker"
	case kind == "broker" || kind == "queue":
		text += ", or " + balanceMetric
	}
	return errors.New(text + "; simrun run shows each " + kind)
}

// instead is an address that there is: of the first fault, for that is where one looks.
func (p Places) instead(m result.Metric) string {
	switch {
	case m.Scope.OfFault() && len(p.Faults) > 0:
		return m.Name + "@" + p.Faults[0]
	case len(p.Faults) > 0 && slices.Contains(p.Phases, result.FaultPrefix+p.Faults[0]):
		return m.Name + "@" + result.FaultPrefix + p.Faults[0]
	}
	return m.Name
}

func (p Places) faultRows(metric, fault string) ([]Row, error) {
	if len(p.Faults) == 0 {
		return nil, fmt.Errorf("%s is of a fault, and the scenario has none", metric)
	}
	if fault == "" {
		rows := make([]Row, len(p.Faults))
		for i, f := range p.Faults {
			rows[i] = Row{Metric: metric, Fault: f}
		}
		return rows, nil
	}
	if slices.Contains(p.Faults, fault) {
		return []Row{{Metric: metric, Fault: fault}}, nil
	}
	for _, prefix := range []string{result.FaultPrefix, result.RecoveryPrefix} {
		if f, ok := strings.CutPrefix(fault, prefix); ok && slices.Contains(p.Faults, f) {
			return nil, fmt.Errorf("%s is of a fault, not of a phase; write %s@%s", metric, metric, f)
		}
	}
	return nil, fmt.Errorf("%s@%s: no fault %q%s", metric, fault, fault, among(fault, p.Faults))
}

func (p Places) phaseRows(metric, phase string) ([]Row, error) {
	if phase == "" {
		phase = result.PhaseAll
	}
	if slices.Contains(p.Phases, phase) {
		return []Row{{Metric: metric, Phase: phase}}, nil
	}
	if slices.Contains(p.Faults, phase) {
		return nil, fmt.Errorf("%s is of messages, not of a fault; write %s@%s%s", metric, metric,
			result.FaultPrefix, phase)
	}
	return nil, fmt.Errorf("%s@%s: no phase %q%s", metric, phase, phase, among(phase, p.Phases))
}

// everywhere is what a metric without a place is of.
func (p Places) everywhere(m result.Metric) string {
	if m.Scope.OfFault() {
		return "every fault"
	}
	return "all messages"
}

// nearestMetric is the metric that was perhaps meant, by its name or the end of it.
func nearestMetric(name string) string {
	var names []string
	for _, m := range slices.Concat(phaseMetrics, faultMetrics) {
		names = append(names, m.Name)
	}
	if near := result.Nearest(name, names); near != "" {
		return near
	}
	for _, n := range names {
		if strings.HasSuffix(n, "_"+name) {
			return n
		}
	}
	return ""
}

// meant asks for the name that was perhaps meant.
func meant(near string) string {
	if near == "" {
		return "; docs/metrics.md lists them"
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// among says which names there are, and which of them was perhaps meant.
func among(name string, names []string) string {
	const most = 12
	text := "; there are " + strings.Join(names[:min(len(names), most)], ", ")
	if rest := len(names) - most; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	if near := result.Nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}
