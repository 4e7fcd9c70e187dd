// Package report turns the results of runs into what people read: a terminal summary within 80
// columns, figures, and a directory of files that other tools read. It never runs anything.
//
// Everything it writes is a function of the [result.Run] alone, byte for byte: no clock, no path
// and no map order leaks into a file. The one exception is the host section of manifest.json.
//
// # The three ways out
//
// [Summary] and [SeedsText] write text; the verdict is their last line, because a terminal shows
// the end. [Timeline] draws the figure that has the whole story in it. [Save] puts all of that into
// a directory, and [Load] reads it back, so that every text and figure can be drawn again ([Rerender]).
//
// # How numbers are shown
//
// A duration has the digits that mean something: 412µs, 38.4ms, 1.003s, 128.9s. A ratio is never
// rounded up to 100 % nor down to 0 %: one failure in a million messages reads 99.9999%. A number
// that does not exist is a dash, never a zero. A quantile with fewer than ten messages beyond it
// carries a footnote. Quantiles and medians are nearest rank: values that did occur.
package report
