// Package ensemble says what several runs say together: those of one scenario with several seeds ([NewSet]),
// variants of it against each other on the same seeds ([Compare]) and how many seeds that takes ([Precise]),
// and the points of a sweep ([Sweep]). It is pure: results in, results out.
//
// Seeds are the replications of a scenario, for a fault is a transient: numbers over them are medians and
// ranges of what each run says by itself, and differences are taken seed by seed.
package ensemble
