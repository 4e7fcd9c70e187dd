package sim

// arity is the number of children of a node. Four halve the depth of a binary heap, and
// four events lie on two cache lines.
const arity = 4

// heap is a heap of events, the earliest first.
type heap []event

// push adds an event.
func (h *heap) push(ev event) {
	*h = append(*h, ev)
	a := *h
	i := len(a) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if a[parent].before(ev) {
			break
		}
		a[i] = a[parent]
		i = parent
	}
	a[i] = ev
}

// pop removes the earliest event and returns it.
func (h *heap) pop() event {
	a := *h
	first, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) > 0 {
		a.down(0, last)
	}
	return first
}

// filter removes the events for which keep is false.
func (h *heap) filter(keep func(event) bool) {
	kept := (*h)[:0]
	for _, ev := range *h {
		if keep(ev) {
			kept = append(kept, ev)
		}
	}
	*h = kept
	if len(kept) < 2 {
		return
	}
	for i := (len(kept) - 2) / arity; i >= 0; i-- {
		kept.down(i, kept[i])
	}
}

// down puts ev at the free place i or below it.
func (h heap) down(i int, ev event) {
	for {
		first := arity*i + 1
		if first+arity > len(h) {
			break
		}
		c := (*[arity]event)(h[first:])
		left, right := c[1].less(c[0]), 2+c[3].less(c[2])
		best := left + (right-left)&-c[right&3].less(c[left&3])
		child := c[best&3]
		if ev.before(child) {
			h[i] = ev
			return
		}
		h[i] = child
		i = first + best
	}
	// The last node may have fewer children; they have none.
	if first := arity*i + 1; first < len(h) {
		best := first
		for c := first + 1; c < len(h); c++ {
			if h[c].before(h[best]) {
				best = c
			}
		}
		if h[best].before(ev) {
			h[i] = h[best]
			i = best
		}
	}
	h[i] = ev
}
