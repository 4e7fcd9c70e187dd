package model

import "fmt"

// checkCopies verifies that each record's fate follows from its copies, and that the copies at risk
// by the records are those in the logs.
func (w *World) checkCopies() error {
	var wrong error
	var atRisk, have int64
	look := func(r *message) {
		atRisk += int64(r.atRisk)
		settled := r.atRisk + r.durable + r.stranded
		if wrong == nil && (r.fate != r.bestFate() || settled > r.copies || r.stored > r.attempts) {
			wrong = fmt.Errorf("model: message %d of group %d is %v at %v: %d at risk, %d durable, "+
				"%d stranded of %d copies, the newest by attempt %d of %d", r.Number, r.Group, r.fate, w.Now(),
				r.atRisk, r.durable, r.stranded, r.copies, r.stored, r.attempts)
		}
	}
	parked := func(list *fifo[logCopy]) {
		for i := range list.len() {
			if c := list.at(i); c.msg == none {
				look(&c.parked)
			}
		}
	}
	for i, used := range w.msgs.used() {
		if used {
			look(&w.msgs.items[i])
		}
	}
	for b := range w.logs {
		ml := &w.logs[b]
		have += int64(ml.unflushed.len())
		parked(&ml.unflushed)
		parked(&ml.kept)
		for i := range ml.orphans {
			if ml.orphans[i].state == copyAtRisk {
				have++
			}
		}
	}
	if wrong == nil && atRisk != have {
		wrong = fmt.Errorf("model: %d copies at risk by their records, %d in the logs at %v", atRisk, have,
			w.Now())
	}
	return wrong
}
