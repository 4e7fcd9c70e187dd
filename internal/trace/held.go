package trace

import (
	"cmp"
	"slices"

	"simrun/model"
)

// messageID is a message of a run.
type messageID struct {
	group  int32
	number uint64
}

// held keeps the attempts of each message until its answer is there.
type held struct {
	of   map[messageID][]model.Attempt
	free [][]model.Attempt
}

func newHeld() held { return held{of: map[messageID][]model.Attempt{}} }

// add keeps an attempt.
func (h *held) add(a *model.Attempt) {
	id := messageID{a.Group, a.Number}
	list, ok := h.of[id]
	if !ok && len(h.free) > 0 {
		list = h.free[len(h.free)-1]
		h.free = h.free[:len(h.free)-1]
	}
	h.of[id] = append(list, *a)
}

// take returns the attempts of a message, for the caller to give back, and forgets them.
func (h *held) take(m *model.Message) []model.Attempt {
	id := messageID{m.Group, m.Number}
	list := h.of[id]
	delete(h.of, id)
	return list
}

// give takes a list back that take returned.
func (h *held) give(list []model.Attempt) {
	if cap(list) > 0 {
		h.free = append(h.free, list[:0])
	}
}

// left are the attempts of the messages that have no answer yet, by group and number.
func (h *held) left() [][]model.Attempt {
	var out [][]model.Attempt
	for _, list := range h.of {
		out = append(out, list)
	}
	slices.SortFunc(out, func(a, b []model.Attempt) int {
		return cmp.Or(cmp.Compare(a[0].Group, b[0].Group), cmp.Compare(a[0].Number, b[0].Number))
	})
	return out
}
