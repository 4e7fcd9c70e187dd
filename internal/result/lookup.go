package result

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// StatsOf is the row of all messages of a phase; false if there is none.
func (r *Run) StatsOf(phase string) (Stats, bool) {
	for _, s := range r.Stats {
		if s.Phase == phase && s.Dim == DimAll {
			return s, true
		}
	}
	return Stats{}, false
}

// AvailabilityOf is how the service of a phase looked to all callers, the zero value if the run has no such
// phase.
func (r *Run) AvailabilityOf(phase string) Availability {
	for _, a := range r.Availability {
		if a.Phase == phase && a.Dim == DimAll {
			return a
		}
	}
	return Availability{}
}

// BrokerNames are the brokers in the order of the scenario.
func (r *Run) BrokerNames() []string {
	if len(r.Setup.Brokers) == 0 {
		return r.Series.Brokers
	}
	names := make([]string, len(r.Setup.Brokers))
	for i, b := range r.Setup.Brokers {
		names[i] = b.Name
	}
	return names
}

// FaultedBrokers names the brokers that some planned fault strikes, in the order of the scenario.
func (r *Run) FaultedBrokers() []string {
	var names []string
	for _, b := range r.BrokerNames() {
		if slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.HasTarget(b) }) {
			names = append(names, b)
		}
	}
	return names
}

// HasTarget says whether a fault has the broker among its targets.
func (f *Fault) HasTarget(broker string) bool {
	for _, e := range f.Effects {
		if e.Broker == broker {
			return true
		}
	}
	for _, t := range f.Targets {
		// Others are "name_server:n1" and "producer:p#3".
		if name, id, ok := strings.Cut(t, ":"); ok && name == broker && isNumber(id) {
			return true
		}
	}
	return false
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// Repeats says whether a fault can strike more than once.
func (f *Fault) Repeats() bool { return len(f.Spans) > 0 }

// AvoidanceOff says whether no producer has a fault table.
func (s *Setup) AvoidanceOff() bool {
	return len(s.Producers) > 0 &&
		!slices.ContainsFunc(s.Producers, func(g SetupProducer) bool { return g.Avoidance })
}

// FewestBeyond is how many messages have to lie beyond a quantile for it to be worth a look.
const FewestBeyond = 10

// ThinQuantile says whether fewer messages of n than that lie beyond a quantile in thousandths.
func ThinQuantile(milli, n int64) bool { return n-(milli*n+999)/1000 < FewestBeyond }

// LeastMedianMost are the minimum, nearest-rank median and maximum of the values that exist (that are not
// NaN), and their number; NaN of none.
func LeastMedianMost(values []float64) (least, median, most float64, n int) {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return math.NaN(), math.NaN(), math.NaN(), 0
	}
	slices.Sort(v)
	return v[0], v[(len(v)-1)/2], v[len(v)-1], len(v)
}
