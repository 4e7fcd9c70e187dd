// Package stat holds the statistics of paired runs, by which comparisons and sweeps are judged: medians
// with exact intervals, tests that flip signs, Holm's correction, shares of rare events, Pareto fronts, and
// how much of a spread a parameter explains. Every function is a pure function of its arguments and repeats
// to the bit. docs/statistics.md says what they mean together, and shows how often they are wrong.
//
// A value that does not exist is NaN and is left out; one that never came is infinite and takes part.
package stat
