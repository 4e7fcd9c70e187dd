package trace

import (
	"strconv"

	"simrun/sim"
)

const (
	// ownLanes is how many instances of a group have lanes of their own; the others share theirs.
	ownLanes = 16
	// mostLanes is how many sends of an instance, or of all that share, are drawn beside each other.
	mostLanes = 256
)

// lane is one thread of a process in a trace: stretches that follow each other.
type lane struct {
	tid  int
	last sim.Time
}

// lanes are those of one producer group. Stretches come in the order in which they end.
type lanes struct {
	of    [ownLanes + 1][]lane
	count int
}

// take finds a lane for a stretch: the one that was used last of those that are free, or a new one. It
// returns the number of the lane, whether it is new, and how many the instance had; 0 if there is no room.
func (l *lanes) take(instance int32, from, to sim.Time) (tid int, isNew bool, nth int) {
	set := &l.of[min(int(instance), ownLanes)]
	best := -1
	for i := range *set {
		last := (*set)[i].last
		if last <= from && (best < 0 || last > (*set)[best].last) {
			best = i
		}
	}
	if best >= 0 {
		(*set)[best].last = to
		return (*set)[best].tid, false, best
	}
	if len(*set) == mostLanes {
		return 0, false, 0
	}
	l.count++
	*set = append(*set, lane{tid: l.count, last: to})
	return l.count, true, len(*set) - 1
}

// laneName is what a lane is called, laneOrder where it stands.
func laneName(producer string, instance int32, nth int) string {
	name := producer + "#" + strconv.Itoa(int(min(instance, ownLanes)))
	if instance >= ownLanes {
		name += "…"
	}
	if nth > 0 {
		name += " (" + strconv.Itoa(nth+1) + ")"
	}
	return name
}

func laneOrder(instance int32, nth int) int { return int(min(instance, ownLanes))*mostLanes + nth }
