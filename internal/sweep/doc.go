// Package sweep plans which points of the settings of a scenario are run, and keeps what came of them in a
// journal that survives the process.
//
// A plan is made of the --param flags of simrun sweep. Each is an axis:
//
//	KEY=v1,v2,v3      a list of values, as --set takes them
//	KEY=a..b/step     from a in steps, up to b
//	KEY=a..b*factor   from a, each so many times the one before, up to b
//	KEY=a..b          anything between, for a design that fills the space; a..b@log evenly by ratios
//	KEY~scale=...     the numbers that a value consists of, times that: of a list, each
//	KEY~shape=...     bends a list: d becomes max * (d / max)^shape, so 1 leaves it as it is
//	KEY&KEY=...       several keys with one value
package sweep
