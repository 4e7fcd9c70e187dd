package ensemble

import (
	"math"

	"simrun/internal/result"
)

// ofFault is a metric of one fault: NaN if it cannot come, +∞ if it had not come when the run ended.
func ofFault(metric string, r *result.Run, f *result.Fault) float64 {
	ended := f.Began && f.ToNS < r.SimulatedNS
	switch metric {
	case "time_to_detect":
		return slowest(f, f.Began, func(e *result.FaultEffect) result.Spread { return e.Detect })
	case "time_to_avoid":
		return slowest(f, f.Began, func(e *result.FaultEffect) result.Spread { return e.Avoid })
	case "time_to_route_removal":
		return slowest(f, f.Began, func(e *result.FaultEffect) result.Spread { return e.RouteGone })
	case "time_to_return":
		return slowest(f, ended, func(e *result.FaultEffect) result.Spread { return e.Return })
	case "starved_time":
		return starved(f, ended)
	case "isolation_per_fault":
		x, ok := f.IsolationPerFault()
		return some(x, ok && f.Began)
	case "bytes_lost":
		var lost int64
		for i := range f.Effects {
			lost += f.Effects[i].BytesLost
		}
		return some(float64(lost), f.Began && len(f.Effects) > 0)
	case "time_to_baseline_success":
		return back(f, func(b *result.Baseline) *int64 { return b.SuccessNS })
	case "time_to_baseline_p99":
		return back(f, func(b *result.Baseline) *int64 { return b.P99NS })
	case "time_to_baseline_share":
		if len(f.Effects) == 0 {
			return math.NaN() // it strikes no broker
		}
		return back(f, func(b *result.Baseline) *int64 { return b.ShareNS })
	}
	panic("ensemble: metric " + metric + " is registered but not measured")
}

// slowest is the maximum over the brokers of a fault: +∞ if one never came.
func slowest(f *result.Fault, can bool, of func(*result.FaultEffect) result.Spread) float64 {
	most := math.NaN()
	if !can {
		return most
	}
	for i := range f.Effects {
		s := of(&f.Effects[i])
		switch {
		case s.Instances == 0:
			continue
		case s.MaxNS == nil:
			return math.Inf(1)
		case !(most >= float64(*s.MaxNS)): // also when most is NaN
			most = float64(*s.MaxNS)
		}
	}
	return most
}

// starved is the starvation after a fault, of the broker with most of it.
func starved(f *result.Fault, ended bool) float64 {
	most := math.NaN()
	if !ended {
		return most
	}
	for i := range f.Effects {
		if x, ok := f.Effects[i].StarvedPerInstance(); ok && !(most >= x) {
			most = x
		}
	}
	return most
}

// back is the way back to normal.
func back(f *result.Fault, of func(*result.Baseline) *int64) float64 {
	if f.Baseline == nil || f.Baseline.Reason != "" {
		return math.NaN()
	}
	if ns := of(f.Baseline); ns != nil {
		return float64(*ns)
	}
	return math.Inf(1)
}
