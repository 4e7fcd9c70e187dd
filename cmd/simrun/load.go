package main

import (
	"context"
	"errors"
	"os"

	"simrun/report"
	"simrun/scenarios"
)

// loadFlags are the flags that change what is loaded.
type loadFlags struct {
	seed seedValue
	set  setValue
	// setFrom names those of set that other flags gave.
	setFrom []string
	// noExpect leaves the expectations out.
	noExpect bool
}

// source is a scenario to be run.
type source struct {
	*scenarios.Scenario
	ref  string
	text []byte // as its author wrote it
}

// loadAll loads all scenarios, or reports what is wrong with all of them and returns nil.
func (a *app) loadAll(ctx context.Context, refs []string, f *loadFlags) []*source {
	var out []*source
	failed := false
	for _, ref := range refs {
		s, err := load(ctx, ref, f)
		if errors.Is(err, errInterrupted) {
			a.fail(err)
			return nil
		}
		if err != nil {
			a.fail(err)
			failed = true
			continue
		}
		out = append(out, s)
	}
	if failed {
		return nil
	}
	return out
}

// errInterrupted is an interrupt while nothing is simulated yet.
var errInterrupted = errors.New("interrupted; nothing was simulated")

// load loads a scenario. An interrupt does not wait for it: nothing is half done yet.
func load(ctx context.Context, ref string, f *loadFlags) (*source, error) {
	type loaded struct {
		s   *source
		err error
	}
	done := make(chan loaded, 1)
	go func() {
		s, err := loadWhole(ref, f)
		done <- loaded{s, err}
	}()
	select {
	case l := <-done:
		if ctx.Err() == nil {
			return l.s, l.err
		}
	case <-ctx.Done():
	}
	return nil, errInterrupted
}

func loadWhole(ref string, f *loadFlags) (*source, error) {
	s := &source{ref: ref}
	opt := scenarios.Options{Set: f.set, SetFrom: f.setFrom, ReadBeside: scenarios.ReadRegular}
	opt.ReadFile = func(name string) ([]byte, error) {
		data, err := scenarios.ReadScenario(name)
		if s.text == nil {
			s.text = data
		}
		return data, err
	}
	if f.seed.set {
		opt.Seed = &f.seed.seed
	}
	sc, err := scenarios.Load(ref, opt)
	if err != nil {
		return nil, err
	}
	if sc.Path == "" {
		if s.text, err = scenarios.Source(sc.Name); err != nil {
			return nil, err
		}
	}
	if f.noExpect {
		plain := *sc
		plain.Expectations = nil
		sc = &plain
	}
	s.Scenario = sc
	return s, nil
}

// writable finds out before the work whether its results can be kept.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &report.IOError{Err: err}
	}
	probe, err := os.CreateTemp(dir, ".simrun-*")
	if err != nil {
		return &report.IOError{Err: err}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
