package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/scenarios"
)

// defaultSeeds are those of every variant unless told otherwise.
const defaultSeeds = 20

// comparison is one call of simrun compare on a scenario.
type comparison struct {
	*app
	flags     *compareFlags
	variants  []*source
	reference int
	rows      []ensemble.Row
	// seeds are those asked for; with --until-precise the budget, of which a part is used.
	seeds   []uint64
	precise *ensemble.Precise
	inputs  []ensemble.Input
	// Of the runs so far.
	began       time.Time
	made        int
	interrupted bool
	estimated   bool
}

// compareScenario runs variants of a scenario and compares them.
func (a *app) compareScenario(ctx context.Context, f *compareFlags, ref string) error {
	all := func(ref string, opt scenarios.Options) ([]*scenarios.Scenario, error) {
		opt.Versions, opt.BrokerVersions, opt.Policies = f.versions, f.brokerVersions, f.policies
		return scenarios.LoadVariants(ref, opt)
	}
	list, err := loadWith(ctx, ref, &f.loadFlags, all)
	if err != nil {
		return err
	}
	c := &comparison{app: a, flags: f, variants: list}
	if err := c.plan(ref); err != nil {
		return err
	}
	if err := writable(f.out); err != nil {
		return err
	}
	for _, s := range list {
		for i := range s.VariantWarnings {
			a.say("%s", a.painted(s.VariantWarnings[i].Render()))
		}
	}
	if err := c.run(ctx); err != nil {
		return err
	}
	return c.finish()
}

// plan finds out what is compared, before anything is run.
func (c *comparison) plan(ref string) error {
	f := c.flags
	var names []string
	for _, s := range c.variants {
		names = append(names, s.variantName())
		c.inputs = append(c.inputs, ensemble.Input{
			Name: s.variantName(), Story: s.VariantStory, Settings: s.Differs, Notes: s.Notes,
		})
	}
	switch {
	case len(names) == 1 && names[0] == scenarios.BaseName && len(f.variants) > 0:
		return usagef("--variant %s is %s as it stands, and there is nothing to hold against it; name a "+
			"variant, too", names[0], ref)
	case len(names) == 1 && names[0] != scenarios.BaseName:
		return usagef("these flags make one variant of %s, %s, and nothing to hold it against; make another, or "+
			"take the scenario as it stands with --variant %s", ref, names[0], scenarios.BaseName)
	case len(names) < 2:
		return usagef("%s has no variants to compare: write [variant.NAME] tables, or give --variant "+
			"NAME:KEY=VALUE, --versions, --broker-versions or --policies (two or more)", ref)
	}
	var err error
	if c.reference, err = f.referenceOf(names); err != nil {
		return err
	}
	places := placesOf(c.variants[c.reference].Scenario)
	if c.rows, err = f.rowsOf(places); err != nil {
		return err
	}
	c.seeds = f.seeds.seeds
	if len(c.seeds) == 0 {
		n := defaultSeeds
		if f.until.set {
			n = f.maxSeeds
		}
		for s := range n {
			c.seeds = append(c.seeds, uint64(s+1))
		}
	}
	if !f.until.set {
		return nil
	}
	row, err := f.until.row(places)
	if err != nil {
		return err
	}
	if c.precise, err = ensemble.NewPrecise(row, f.until.target, c.seeds); err != nil {
		return usagef("--until-precise: %v", err)
	}
	return nil
}

// run makes the runs: all of them, or as many as the row takes that is to be precise.
func (c *comparison) run(ctx context.Context) error {
	c.began = c.env.Now()
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		c.console.interrupted("stopping; seeds that every variant has are kept (once more to quit at once)")
		close(said)
	})
	defer func() {
		if !unwatch() {
			<-said
		}
	}()
	if c.precise == nil {
		return c.batch(ctx, c.seeds)
	}
	for next := c.precise.Next(); len(next) > 0; next = c.precise.Next() {
		if err := c.batch(ctx, next); err != nil || c.interrupted {
			return err
		}
		look := c.precise.Look(c.inputs, c.reference)
		row := c.precise.Result().Addressed()
		if look.HalfWidth == nil {
			c.say("%s: nothing known of %s: %s\n", plural(look.Seeds, "seed"), row, look.Reason)
			continue
		}
		c.say("%s: %s of %s, wanted %s\n", plural(look.Seeds, "seed"), report.HalfWidth(*look.HalfWidth), row,
			report.HalfWidth(c.flags.until.target))
	}
	return nil
}

// batch makes the runs of some more seeds: seed by seed, so that an interrupt leaves whole pairs.
func (c *comparison) batch(ctx context.Context, seeds []uint64) error {
	var jobs []experiment.Job
	members := make([]*ensemble.Member, len(seeds)*len(c.variants))
	var total time.Duration
	for _, seed := range seeds {
		for _, s := range c.variants {
			i := len(jobs)
			sc := s.WithSeed(seed)
			total += sc.Config.Duration
			jobs = append(jobs, experiment.Job{Scenario: sc, Keep: func(run *result.Run) {
				members[i] = ensemble.Of(run)
				lean(run)
			}})
		}
	}
	c.announce(len(seeds), total)
	c.watchVariants(jobs, total)
	done := 0
	err := c.env.RunAll(ctx, jobs, c.flags.jobs, func(job int, run *result.Run) error {
		if run.Complete {
			done++
			c.made++
		}
		c.inputs[job%len(c.variants)].Members = append(c.inputs[job%len(c.variants)].Members, members[job])
		members[job] = nil
		if c.flags.verbose {
			c.say("%s: seed %d, digest %s\n", c.inputs[job%len(c.variants)].Name, run.Seed, run.Digest)
		}
		c.estimate(done, len(jobs))
		return nil
	})
	c.console.clear()
	if err == nil && done < len(jobs) {
		c.interrupted = true
		c.codes = append(c.codes, exitInterrupted)
	}
	return err
}

// lean leaves out of a run what was taken from it: runs that wait for their turn are small.
func lean(run *result.Run) {
	run.Series, run.Spectra, run.Sample = result.Series{}, nil, result.SendSample{}
	run.Isolations, run.Queues, run.Instances, run.Stats, run.Brokers = nil, nil, nil, nil, nil
}

// announce says how much there is to do.
func (c *comparison) announce(seeds int, total time.Duration) {
	if c.made > 0 {
		return // the looks tell
	}
	var names []string
	for _, in := range c.inputs {
		names = append(names, in.Name)
	}
	c.say("comparing %s: %s × %s = %s, %s simulated, %d at once\n", strings.Join(names, ", "),
		plural(len(names), "variant"), plural(seeds, "seed"), plural(len(names)*seeds, "run"), whole(total),
		c.flags.jobs)
}

// estimate says once, after the first runs, how long the others will take, if that is long.
func (c *comparison) estimate(done, of int) {
	const worthTelling = 10 * time.Second
	if c.estimated || done < max(len(c.variants), c.flags.jobs) || done == of {
		return
	}
	c.estimated = true
	left := c.env.Now().Sub(c.began) / time.Duration(done) * time.Duration(of-done)
	if left > worthTelling {
		c.say("about %s to go\n", left.Round(time.Second))
	}
}

// watchVariants shows how far the runs are, on simulated time.
func (c *comparison) watchVariants(jobs []experiment.Job, total time.Duration) {
	p := &progress{console: c.console, now: c.env.Now, total: total}
	n := len(jobs)
	p.at, p.began, p.ended = make([]time.Duration, n), make([]time.Time, n), make([]time.Time, n)
	for i := range jobs {
		which := fmt.Sprintf("%s seed %d ", c.inputs[i%len(c.inputs)].Name, jobs[i].Scenario.Config.Seed)
		jobs[i].Options.Progress = func(x experiment.Progress) { p.report(i, which, x) }
	}
	if !c.quiet {
		c.console.begin(total)
	}
}

// finish compares, keeps and shows.
func (c *comparison) finish() error {
	opt := ensemble.Options{Reference: c.reference, Rows: c.rows, Asked: len(c.seeds)}
	used := c.seeds
	if c.precise != nil {
		opt.Alpha, opt.Precision = c.precise.Alpha(), c.precise.Result()
		n := 0
		for _, in := range c.inputs {
			n = max(n, len(in.Members))
		}
		used = c.seeds[:n]
		opt.Asked = n
	}
	out := ensemble.Compare(c.inputs, opt)
	if out == nil {
		c.say("no seed has the runs of all variants: there is nothing to compare, and nothing is kept\n")
		return nil
	}
	if c.interrupted {
		out.Complete = false
	}
	out.Key = c.key(used)
	files := report.CompareFiles{
		Manifest: c.manifest(), Plots: c.flags.plots.formats, HTML: c.flags.html,
	}
	for _, s := range c.variants {
		files.Variants = append(files.Variants, report.VariantFiles{
			ScenarioTOML: s.Effective(), Beside: besideFiles(s.Scenario),
		})
	}
	more := "the same with"
	if c.precise != nil {
		more = "the same without --until-precise, with" // which stops when the row is precise, verdict or not
	}
	return c.keepComparison(c.flags, out, used, files, more)
}

// key is of what was asked: it is known before the runs, so that what an interrupt leaves has the name of
// what it would have become.
func (c *comparison) key(seeds []uint64) string {
	h := sha256.New()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format+"\n", args...) }
	for i, s := range c.variants {
		say("%s", c.inputs[i].Name)
		for _, seed := range seeds {
			say("%s", s.WithSeed(seed).Key())
		}
	}
	say("against %s", c.inputs[c.reference].Name)
	for _, r := range c.rows {
		say("%s", r)
	}
	if c.precise != nil {
		p := c.precise.Result()
		say("until %s %v of %d", p.Addressed(), p.Target, len(c.seeds))
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}

func (c *comparison) manifest() result.Manifest {
	s := c.variants[c.reference]
	return result.Manifest{
		Simrun:    build(),
		Scenario:  result.Source{SourceSHA256: sha256Hex(s.text), Shipped: s.Path == ""},
		Overrides: c.flags.set, NoExpect: c.flags.noExpect,
		Host: result.Host{
			ScenarioPath: s.ref, StartedAt: c.began.UTC().Format(time.RFC3339),
			WallNS: int64(c.env.Now().Sub(c.began)), CPUs: c.env.CPUs, Jobs: c.flags.jobs,
		},
	}
}
