// Package lint warns of settings that are each allowed and contradict each other. A lint names the inequality
// with both values, what follows from it and, where there is one, the remedy. What only matters if a send can
// hang is said only of configurations in which a planned fault makes one hang.
//
// [Check] is a pure function of a configuration in which config.Config.Validate finds no mistake. Package
// scenarios asks it when it has loaded a file. The package imports model/config, model/releases, sim and
// strategy.
package lint
