// Package experiment makes runs: it takes a scenario and a seed, simulates the world of package model,
// watches it, and folds what it sees into a [result.Run]. [RunAll] makes many runs at once.
//
// # One run
//
// [Run] is a function of the scenario and its seed. It steps through the windows of the run's time
// series; between two of them it looks whether it was interrupted, samples the fault tables and
// routes, and reports progress. At the end it compares its own account of the messages with the
// model's ledger, so that a message that got lost between the two is an [InternalError] and not a
// wrong number.
//
// # The fold
//
// The observer of a run is on the hot path and keeps no message but a choice of them, bounded whatever
// the load: a sample of sends for a scatter plot, the isolations of some fault tables, and exemplars,
// a few messages of each kind of trouble and reason. A message is counted once, in
// the leaf of its phase, producer group and topic; what is shown is a sum of leaves. A send of a batch
// counts as the messages it carries. A message belongs to the phase in which it was scheduled, but if
// it is in flight when a fault begins, to the fault: so each leaf keeps its messages in flight apart,
// and a fault that begins takes them over. Whatever becomes of a message later is booked in the leaf
// that its times determine, however long ago that was. Attempts belong to the phase in which they
// began.
//
// # Expectations
//
// Verdicts are exact. Counters and sums are compared as they are; a quantile q is compared with a
// limit x by counting: it is at most x if no more than n − ⌈qn⌉ of n latencies lie above x (nearest
// rank). Histograms are for what is shown. An expectation that the run can't decide is undecided,
// which is not the same as failed.
package experiment
