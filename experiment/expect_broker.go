package experiment

import (
	"fmt"

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
		return compare(e, float64(p.messages), fmt.Sprintf("%d bytes at most", p.bytes))
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
	all, onBroker, made, failed := int64(0), int64(0), int64(0), int64(0)
	if r := j.ranged[i]; r != nil {
		all, onBroker, made, failed = r.attempts, r.onBroker, r.madeOnBroker, r.failedOnBroker
	} else {
		nb := len(j.fold.cfg.Brokers)
		for p := range j.fold.cursor.phases {
			if !j.fold.cursor.within(p, e.Phase) {
				continue
			}
			for b := range nb {
				all += j.fold.brokers.rows[p*nb+b].sent()
			}
			row := &j.fold.brokers.rows[p*nb+e.Broker]
			onBroker += row.sent()
			made += row.attempts
			failed += row.failed
		}
	}
	if all == 0 && (made == 0 || e.Metric.Name == "broker_share") {
		return undecided("no attempt in the window")
	}
	switch e.Metric.Name {
	case "broker_share":
		return compare(e, float64(onBroker)/float64(all),
			fmt.Sprintf("%d of %d attempts", onBroker, all))
	case "broker_attempts_failed":
		return compare(e, float64(failed), fmt.Sprintf("of %d attempts", made))
	}
	panic("experiment: metric " + e.Metric.Name + " is registered but not measured")
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
		return compare(e, row.utilisation(), fmt.Sprintf("%d send threads", row.threads))
	case "broker_queue_mean":
		return compare(e, row.queue(), "")
	}
	return compare(e, float64(row.busyReplies), "")
}
