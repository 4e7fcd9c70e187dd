// Package config is one simulated world as a value: [Config], everything that a run depends on besides the
// binary, and what can be said of it without running it. [Config.Validate] finds every mistake, and methods
// of its parts answer what their readers would otherwise each work out: which processes a fault strikes
// ([Config.Struck]), what their releases do ([Producer.Wire], [Broker.Profile]).
//
// Names are RocketMQ's. Durations are sim.Duration (nanoseconds), rates are events per second, sizes are
// bytes. The package imports sim, strategy, model/rate and model/releases. Package model runs what it
// describes, package scenarios reads it from a file.
package config
