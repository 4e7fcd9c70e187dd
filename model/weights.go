package model

import "simrun/model/config"

// A batch of n messages is one send with one record, and the ledger counts sends. weights keep the sends
// of groups that send batches apart, so that a snapshot counts messages.
type weights struct {
	// by group: nil if it sends plain messages.
	batches []*batchAccount
}

// batchAccount is the account of one group: n-1 is what each of its sends counts more.
type batchAccount struct {
	more  int64
	cells [numAnswers][numFates]int64
	sent  int64
	extra int64
}

func newWeights(cfg *config.Config) weights {
	w := weights{batches: make([]*batchAccount, len(cfg.Producers))}
	for g := range cfg.Producers {
		if n := cfg.Producers[g].Batch; n > 1 {
			w.batches[g] = &batchAccount{more: int64(n - 1)}
		}
	}
	return w
}

// weight is how many messages a send of a group carries.
func (l *ledger) weight(group int32) int64 {
	if b := l.batches[group]; b != nil {
		return 1 + b.more
	}
	return 1
}

// opens counts a send that comes into being.
func (l *ledger) opens(group int32) {
	l.sent++
	l.cells[answerInFlight][NeverStored]++
	if b := l.batches[group]; b != nil {
		b.sent++
		b.cells[answerInFlight][NeverStored]++
	}
}

// moves takes a send to another answer or fate.
func (l *ledger) moves(r *message, answer uint8, fate Fate) {
	l.cells[r.answer][r.fate]--
	l.cells[answer][fate]++
	if b := l.batches[r.Group]; b != nil {
		b.cells[r.answer][r.fate]--
		b.cells[answer][fate]++
	}
}

// copied counts a copy beyond the first of a send.
func (l *ledger) copied(group int32) {
	l.extra++
	if b := l.batches[group]; b != nil {
		b.extra++
	}
}

// messages is the ledger in messages.
func (l *ledger) messages() (cells [numAnswers][numFates]int64, sent, extra int64) {
	cells, sent, extra = l.cells, l.sent, l.extra
	for _, b := range l.batches {
		if b == nil {
			continue
		}
		sent += b.more * b.sent
		extra += b.more * b.extra
		for a := range b.cells {
			for f, n := range b.cells[a] {
				cells[a][f] += b.more * n
			}
		}
	}
	return cells, sent, extra
}
