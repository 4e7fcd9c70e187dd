// Package rate is a rate that changes: a [Shape] of points as a scenario gives it, and a [Curve], the shape
// with its integral. Arrivals that are steady in the curve's own time follow the shape: who draws the gaps
// adds them up there, and [Curve.Pass] gives back the moments.
//
// The arithmetic is written to round alike on all architectures. The package imports sim only.
package rate
