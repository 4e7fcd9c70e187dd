package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"simrun/report/store"
	"simrun/scenarios"
)

// loadFlags are the flags that change what is loaded.
type loadFlags struct {
	seed seedValue
	set  setValue
	// over are laid over the scenario as a variant is, overFrom names the flags that they are of.
	over, overFrom []string
	// variants are the --variant flags.
	variants setValue
	// noExpect leaves the expectations out.
	noExpect bool
}

// source is a scenario to be run.
type source struct {
	*scenarios.Scenario
	ref  string
	text []byte // as its author wrote it
}

// loadAll loads all scenarios, each as all variants that are named, or reports what is wrong with all of them
// and returns nil.
func (a *app) loadAll(ctx context.Context, refs []string, f *loadFlags) []*source {
	var out []*source
	failed := false
	for _, ref := range refs {
		list, err := loadWith(ctx, ref, f, scenarios.LoadNamed)
		if errors.Is(err, errInterrupted) {
			a.fail(err)
			return nil
		}
		if err != nil {
			a.fail(err)
			failed = true
			continue
		}
		out = append(out, list...)
	}
	if failed {
		return nil
	}
	return out
}

// errInterrupted is an interrupt while nothing is simulated yet.
var errInterrupted = errors.New("interrupted; nothing was simulated")

// load loads one scenario, or the one variant of it that is named.
func load(ctx context.Context, ref string, f *loadFlags) (*source, error) {
	list, err := loadWith(ctx, ref, f, scenarios.LoadNamed)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 1:
		var names []string
		for _, s := range list {
			names = append(names, s.variantName())
		}
		return nil, usagef("--variant names %s; one at a time", strings.Join(names, " and "))
	}
	return list[0], nil
}

// loader is one of those of package scenarios: of the variants that flags name, or of all.
type loader func(ref string, opt scenarios.Options) ([]*scenarios.Scenario, error)

// loadWith loads variants of a scenario. An interrupt does not wait for it: nothing is half done yet.
func loadWith(ctx context.Context, ref string, f *loadFlags, with loader) ([]*source, error) {
	type loaded struct {
		list []*source
		err  error
	}
	done := make(chan loaded, 1)
	go func() {
		list, err := loadWhole(ref, f, with)
		done <- loaded{list, err}
	}()
	select {
	case l := <-done:
		if ctx.Err() == nil {
			return l.list, l.err
		}
	case <-ctx.Done():
	}
	return nil, errInterrupted
}

// options are those of package scenarios.
func (f *loadFlags) options() scenarios.Options {
	opt := scenarios.Options{
		Set: f.set, Over: f.over, OverFrom: f.overFrom, Variants: f.variants, ReadBeside: scenarios.ReadRegular,
		NoExpect: f.noExpect,
	}
	if f.seed.set {
		opt.Seed = &f.seed.seed
	}
	return opt
}

func loadWhole(ref string, f *loadFlags, with loader) ([]*source, error) {
	var text []byte
	opt := f.options()
	opt.ReadFile = func(name string) ([]byte, error) {
		data, err := scenarios.ReadScenario(name)
		if text == nil {
			text = data
		}
		return data, err
	}
	list, err := with(ref, opt)
	if err != nil {
		return nil, err
	}
	var out []*source
	for _, sc := range list {
		if sc.Path == "" {
			if text, err = scenarios.Source(sc.Name); err != nil {
				return nil, err
			}
		}
		out = append(out, &source{Scenario: sc, ref: ref, text: text})
	}
	return out, nil
}

// variantName is the name of the variant, base for the scenario as it stands.
func (s *source) variantName() string {
	if s.Variant == "" {
		return scenarios.BaseName
	}
	return s.Variant
}

// flagsOf are the --variant flags about one variant.
func (f *loadFlags) flagsOf(variant string) (flags []string) {
	for _, text := range f.variants {
		if name, _, _ := strings.Cut(text, ":"); name == variant {
			flags = append(flags, text)
		}
	}
	return flags
}

// writable finds out before the work whether its results can be kept.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return &store.IOError{Err: err}
	}
	probe, err := os.CreateTemp(dir, ".simrun-*")
	if err != nil {
		return &store.IOError{Err: err}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
