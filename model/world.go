package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// World is one simulated run.
type World struct{}

// New builds a world in the middle of its life.
func New(cfg Config, obs Observer) *World { panic("stub") }

// RunUntil simulates up to and including t.
func (w *World) RunUntil(t sim.Time) error { panic("stub") }

// Now is the current simulation time.
func (w *World) Now() sim.Time { panic("stub") }

// Events is the number of events executed so far.
func (w *World) Events() uint64 { panic("stub") }

// Avoiding is the number of instances of a group whose fault table refuses a broker now.
func (w *World) Avoiding(group, broker int) int { panic("stub") }

// Routed is the number of instances of a group whose publish list has a broker now.
func (w *World) Routed(group, broker int) int { panic("stub") }

// Ledger is the account of all messages so far.
func (w *World) Ledger() Ledger { panic("stub") }

// Check verifies the invariants that hold at every instant, the ledger's above all.
func (w *World) Check() error { panic("stub") }

// Problem is a mistake in a Config. Path uses the scenario's keys: "broker.a.slaves".
type Problem struct {
	Path    string
	Message string
	Hint    string
	Warning bool
}

// Validate returns every mistake, in the order of the configuration.
func (c *Config) Validate() []Problem { return nil }

// AnswerClass is what a caller was told, as the ledger counts it: index 0 is "in flight".
type AnswerClass struct {
	InFlight bool
	Result   strategy.Result
}

// Ledger is a snapshot: what callers were told against what became of the messages.
type Ledger struct {
	Sent        int64
	Rows        []LedgerRow
	ExtraCopies int64
}

// LedgerRow is one answer ("in flight", a send status, or an exception's name) by fate.
type LedgerRow struct {
	Answer string
	ByFate [numFates]int64
}
