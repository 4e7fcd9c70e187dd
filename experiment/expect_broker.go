package experiment

import (
	"simrun/sim"
)

// clusterFinding decides an expectation on the cluster.
func (j *judge) clusterFinding(i int, now sim.Time) finding {
	e := &j.list[i]
	var p peak
	if r := j.peaks[i]; r != nil {
		r.changes(min(now, r.to), &j.fold.exposure.now)
		p = r.peak
	} else {
		p = j.fold.peakOf(e.Phase)
	}
	switch e.Metric.Name {
	case "at_risk_max":
		return compare(e, float64(p.messages), words("%v bytes at most", p.bytes))
	case "bytes_at_risk_max":
		return compare(e, float64(p.bytes), words("%v messages at most", p.messages))
	case "unreadable_max":
		return compare(e, float64(p.unreadable), "")
	}
	panic("experiment: metric " + e.Metric.Name + " is registered but not measured")
}

// brokerFinding decides an expectation on the attempts to one broker.
func (j *judge) brokerFinding(i int) finding {
	e := &j.list[i]
	if loadMetric(e.Metric.Name) {
		return j.loadFinding(i)
	}
	all, row := int64(0), &brokerRow{}
	if r := j.ranged[i]; r != nil {
		all, row = r.sent, &r.row
	} else {
		nb := len(j.fold.cfg.Brokers)
		for p := range j.fold.cursor.phases {
			if !j.fold.cursor.within(p, e.Phase) {
				continue
			}
			for b := range nb {
				all += j.fold.brokers.rows[p*nb+b].sent()
			}
			row.merge(&j.fold.brokers.rows[p*nb+e.Broker])
		}
	}
	if of, ok := brokerCounts[e.Metric.Name]; ok {
		return compare(e, float64(of(row)), "")
	}
	onBroker, made, failed := row.sent(), row.attempts, row.failed
	if all == 0 && (made == 0 || e.Metric.Name == "broker_share") {
		return undecided("no attempt in the window")
	}
	switch e.Metric.Name {
	case "broker_share":
		return compare(e, float64(onBroker)/float64(all),
			words("%v of %v attempts", onBroker, all))
	case "broker_attempts_failed":
		return compare(e, float64(failed), words("of %v attempts", made))
	}
	panic("experiment: metric " + e.Metric.Name + " is registered but not measured")
}

// brokerCounts are the metrics that are a number of a broker as it stands.
var brokerCounts = map[string]func(*brokerRow) int64{
	"broker_attempts":       (*brokerRow).sent,
	"fallbacks":             func(r *brokerRow) int64 { return r.fallbacks },
	"isolations":            func(r *brokerRow) int64 { return r.isolations },
	"false_isolations":      func(r *brokerRow) int64 { return r.falsely },
	"avoided_time":          func(r *brokerRow) int64 { return int64(r.avoided) },
	"probes":                func(r *brokerRow) int64 { return r.probes },
	"probes_failed":         func(r *brokerRow) int64 { return r.probesFailed },
	"probe_time":            func(r *brokerRow) int64 { return int64(r.probing) },
	"unsynced_bytes_max":    func(r *brokerRow) int64 { return r.exposed.unsyncedBytes },
	"broker_unreadable_max": func(r *brokerRow) int64 { return r.exposed.unreadable },
}

// loadMetric says whether a metric is about the load of a broker.
func loadMetric(name string) bool {
	return name == "broker_utilisation" || name == "broker_queue_mean" || name == "busy_replies"
}

// loadFinding decides an expectation on the load of a broker.
func (j *judge) loadFinding(i int) finding {
	e := &j.list[i]
	row := &loadRow{}
	if r := j.loads[i]; r != nil {
		row = &r.row
	} else {
		nb := len(j.fold.cfg.Brokers)
		for p := range j.fold.cursor.phases {
			if j.fold.cursor.within(p, e.Phase) {
				row.add(&j.fold.load.rows[p*nb+e.Broker])
			}
		}
	}
	switch e.Metric.Name {
	case "broker_utilisation":
		return compare(e, row.utilisation(), words("%v send threads", row.threads))
	case "broker_queue_mean":
		return compare(e, row.queue(), "")
	}
	return compare(e, float64(row.busyReplies), "")
}
