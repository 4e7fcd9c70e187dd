package report

import (
	"slices"

	"simrun/internal/result"
)

// SelectionShare draws which share of the sends went to each broker, with the share that each would have if
// nothing were avoided, and marks the windows in which a producer found nothing but brokers that its fault
// table refuses. It is nil if nothing was sent or there is only one broker.
func SelectionShare(r *result.Run) *Figure {
	sent := slices.ContainsFunc(r.Series.Windows, func(w result.Window) bool { return sum(w.Sends, nil) > 0 })
	if len(r.Series.Brokers) < 2 || !sent {
		return nil
	}
	t := newTimeline(r)
	const height = 190
	p := t.shares(height, true)
	p.title += ", " + t.windowWords()
	marks := rug{style: line(okabeVermilion, 1)}
	var fallbacks int64
	for _, w := range r.Series.Windows {
		if w.Fallbacks > 0 {
			x0, x1 := t.span(w)
			marks.at = append(marks.at, (x0+x1)/2)
			fallbacks += w.Fallbacks
		}
	}
	if fallbacks > 0 {
		p.plot.Y.Max = 104 // room for the marks
		p.plot.Add(marks)
		t.foot = append(t.foot, legendEntry{
			text: "sent to a broker that the fault table refused, for there was no other: " + count(fallbacks) +
				" in all", mark: marks.style,
		})
	}
	t.panels = []panel{p}
	return t.figure("selection-share", "Where producers send: the share of each broker", shareCaption(r))
}

// shareCaption says what the broker that was avoided most got all the same.
func shareCaption(r *result.Run) string {
	fair := fairShares(r)
	worst, most := -1, 0.0
	for b := range r.Series.Brokers {
		avoided := 0.0
		for _, w := range r.Series.Windows {
			avoided += w.Avoided[b]
		}
		if avoided > most {
			worst, most = b, avoided
		}
	}
	const half = 0.5
	if worst >= 0 {
		var got, all int64
		for _, w := range r.Series.Windows {
			if w.Avoided[worst] >= half {
				got += w.Sends[worst]
				all += sum(w.Sends, nil)
			}
		}
		if all > 0 {
			return r.Series.Brokers[worst] + " received " + percent(float64(got)/float64(all), 1) +
				" of the sends while at least half of the producers avoided it; its fair share is " +
				percent(fair[worst], 1) + "."
		}
	}
	total := make([]int64, len(r.Series.Brokers))
	for _, w := range r.Series.Windows {
		for b, n := range w.Sends {
			total[b] += n
		}
	}
	top := 0
	for b, n := range total {
		if n > total[top] {
			top = b
		}
	}
	return "The largest share of the sends of the whole run is " +
		percent(float64(total[top])/float64(max(1, sum(total, nil))), 1) + ", of " + r.Series.Brokers[top] +
		"; its fair share is " + percent(fair[top], 1) + "."
}
