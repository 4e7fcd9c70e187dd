package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/internal/trace"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
	"simrun/sim"
)

// exportFormat is one of the formats of simrun export.
type exportFormat struct {
	name string
	// file is the name that it has in a directory of results.
	file string
	// streamed: it is written while the run is simulated.
	streamed bool
	// compared: it is of comparisons and sweeps only.
	compared bool
}

var exportFormats = []exportFormat{
	{name: "json", file: report.SummaryFile},
	{name: "timeseries-csv", file: report.SeriesFile},
	{name: "latency-hgrm", file: report.HGRMFile},
	{name: "junit", file: report.JUnitFile},
	{name: "expect-json", file: report.ExpectFile},
	{name: "sends-csv", file: report.SendsFile, streamed: true},
	{name: "faulttable-csv", file: report.FaultTableFile, streamed: true},
	{name: "trace", file: report.TraceFile, streamed: true},
	{name: "csv", file: report.CompareCSVFile, compared: true},
	{name: "md", file: report.CompareMarkdownFile, compared: true},
}

// exportFlags are the flags of simrun export.
type exportFlags struct {
	format    string
	from, to  time.Duration
	out       string
	loadFlags // seed and set
}

const exportLong = `Writes a run in a format that other tools read, to stdout unless -o says where:
json (summary.json), timeseries-csv, latency-hgrm (for HdrHistogram's plotter),
junit and expect-json (the expectations); and all that happened, one by one:
sends-csv (a row for each attempt), faulttable-csv (one for each change of a
fault table) and trace (for Perfetto and chrome://tracing), of which --from and
--to cut out a part. Of a directory of results it writes what is stored; what is
not, it gets by making the run again, whose digest must be the same. Of the
directory of a comparison: json, csv (a row for each metric and variant) and md;
of a sweep, also of one that is not finished, the same (csv: a row for each run
and metric).`

func (a *app) exportCommand() *cobra.Command {
	f := &exportFlags{}
	var names []string
	for _, format := range exportFormats {
		names = append(names, format.name)
	}
	cmd := &cobra.Command{
		Use:   "export SCENARIO | RESULTDIR",
		Short: "write a run in a format that other tools read",
		Example: `  simrun export results/latest --format sends-csv | head -3
  simrun export quickstart --format trace --from 19s --to 22s -o trace.json
  simrun export results/latest --format latency-hgrm -o latency.hgrm`,
		Long: exportLong,
		RunE: func(cmd *cobra.Command, args []string) error { return a.export(cmd, f, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&choice{&f.format, names}, "format", "`FORMAT`, one of those above")
	flags.StringVarP(&f.out, "out", "o", "-", "the `FILE`, device or pipe to write; - is stdout")
	flags.DurationVar(&f.from, "from", 0, "leave out what was before this simulated `TIME`, as 118s")
	flags.DurationVar(&f.to, "to", 0, "leave out what was at this `TIME` or later")
	flags.VarP(&f.seed, "seed", "s", "the seed, instead of the scenario's own")
	flags.Var(&f.set, "set", setUsage)
	variantFlag(cmd, &f.loadFlags)
	return cmd
}

// export is simrun export.
func (a *app) export(cmd *cobra.Command, f *exportFlags, args []string) error {
	format, err := f.check(cmd, args)
	if err != nil {
		return err
	}
	x := &exporter{app: a, format: format, ref: args[0]}
	unfinished, isUnfinished := unfinishedSweep(x.ref)
	if isUnfinished {
		x.ref = unfinished
	}
	switch known := format.compared || format.name == formatJSON; {
	case (isUnfinished || report.IsSweep(x.ref)) && !known:
		return usagef("%s is a sweep: it can be written as json, csv or md", x.ref)
	case isUnfinished || report.IsSweep(x.ref):
		return x.write(f.out, func(w io.Writer) error { return x.sweep(cmd.Context(), w) })
	case report.IsComparison(x.ref) && !known:
		return usagef("%s is a comparison: it can be written as json, csv or md", x.ref)
	case report.IsComparison(x.ref):
		return x.write(f.out, x.comparison)
	case format.compared:
		return usagef("%s is a format of comparisons and sweeps, and %s is none; run simrun compare or sweep "+
			"first", format.name, x.ref)
	}
	x.window = trace.Window{From: sim.Time(f.from), To: sim.Time(f.to)}
	if isResults(x.ref) {
		if f.seed.set || len(f.set)+len(f.variants) > 0 {
			return usagef("--seed, --set and --variant change the run: export a scenario with them, not results")
		}
		if x.manifest, err = x.storedManifest(); err != nil {
			return err
		}
		if !format.streamed || x.window == (trace.Window{}) && store.Has(x.ref, format.file) {
			return x.write(f.out, x.copyStored)
		}
		x.sc, err = storedScenario(cmd.Context(), x.ref, x.manifest)
	} else {
		var s *source
		if s, err = load(cmd.Context(), x.ref, &f.loadFlags); err == nil {
			x.sc = s.Scenario
		}
	}
	if err != nil {
		return err
	}
	if end := x.sc.Config.Duration; f.from >= end {
		return usagef("--from %s is not before the end of the run (duration = %q)", secondsText(f.from),
			secondsText(end))
	}
	return x.write(f.out, func(w io.Writer) error { return x.run(cmd.Context(), w) })
}

// check finds mistakes on the command line.
func (f *exportFlags) check(cmd *cobra.Command, args []string) (exportFormat, error) {
	var format exportFormat
	var names []string
	for _, e := range exportFormats {
		names = append(names, e.name)
		if e.name == f.format {
			format = e
		}
	}
	cut := cmd.Flags().Changed("from") || cmd.Flags().Changed("to")
	switch {
	case len(args) != 1:
		return format, usagef("export needs one scenario or directory of results")
	case f.format == "":
		return format, usagef("export needs --format, one of %s", strings.Join(names, ", "))
	case cut && !format.streamed:
		return format, usagef("--from and --to cut sends-csv, faulttable-csv and trace; "+
			"%s is of all of the run", f.format)
	case f.from < 0, cut && f.to < 0, f.to > 0 && f.from >= f.to, cmd.Flags().Changed("to") && f.to == 0:
		return format, usagef("--from %s --to %s: there is nothing between them", secondsText(f.from),
			secondsText(f.to))
	}
	return format, nil
}

// comparison writes a stored comparison.
func (x *exporter) comparison(w io.Writer) error {
	c, err := loadComparison(x.ref)
	if err != nil {
		return err
	}
	data, err := x.comparisonAs(x.format.name, c)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// sweep writes a stored sweep, or what there is of one.
func (x *exporter) sweep(ctx context.Context, w io.Writer) error {
	var digests [][]string
	s, err := report.LoadSweep(x.ref)
	if !report.IsSweep(x.ref) {
		s, digests, err = x.unfinished(ctx)
	}
	if err != nil {
		return err
	}
	var data []byte
	if x.format.name == formatCSV && s.Complete {
		data, err = os.ReadFile(filepath.Join(x.ref, report.SweepCSVFile))
	} else {
		data, err = x.sweepAs(x.format.name, s, digests)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// unfinished is what there is of a sweep that lacks cells, and the digests of its runs.
func (x *exporter) unfinished(ctx context.Context) (*result.Sweep, [][]string, error) {
	s := &sweeping{app: x.app, flags: &sweepFlags{}}
	if err := s.planned(ctx, x.ref); err != nil {
		return nil, nil, err
	}
	cells, _, err := s.storedCells(x.ref)
	if err != nil {
		return nil, nil, err
	}
	swept, files, err := s.result(cells)
	return swept, files.CellDigests, err
}

// exporter writes one run in one format.
type exporter struct {
	*app
	format exportFormat
	window trace.Window
	ref    string
	sc     *scenarios.Scenario
	// manifest is that of the results, nil of a scenario.
	manifest *result.Manifest
}

// storedManifest is the manifest of the results. What an interrupted run left can be written as far as it is
// stored.
func (x *exporter) storedManifest() (*result.Manifest, error) {
	m, err := manifestOf(x.ref)
	if err != nil {
		return nil, err
	}
	if x.format.streamed && !m.Complete && !store.Has(x.ref, x.format.file) {
		return nil, usagef("%s is of an interrupted run, and has no %s; to make all of it: %s --trace",
			x.ref, x.format.file, remake(&m))
	}
	return &m, nil
}

// copyStored writes what is stored in the results.
func (x *exporter) copyStored(w io.Writer) error {
	if x.format.streamed {
		f, err := os.Open(filepath.Join(x.ref, x.format.file))
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // it was only read
		_, err = io.Copy(w, f)
		return err
	}
	run, _, err := loadResults(x.ref)
	if err != nil {
		return err
	}
	return x.render(w, run)
}

// render writes what is drawn from a run.
func (x *exporter) render(w io.Writer, run *result.Run) error {
	data, err := report.File(x.format.file, run)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return usagef("no message was answered after the warm-up: there is no %s", x.format.name)
	}
	_, err = w.Write(data)
	return err
}

// errCut is the end of a run that an interrupt, or a reader who has seen enough, has cut short.
var errCut = errors.New("interrupted; nothing is kept")

// run makes the run, and writes it while it is made or afterwards.
func (x *exporter) run(ctx context.Context, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	job := experiment.Job{Scenario: x.sc}
	var sink trace.Sink
	if x.format.streamed {
		sink = newSink[x.format.file](&x.sc.Config, &cutter{w, cancel}, x.window)
		job.Options.Witness = func() (experiment.Witness, error) { return sink, nil }
	}
	jobs := []experiment.Job{job}
	if !x.env.StdoutTTY {
		x.watch(jobs, x.sc.Config.Duration)
	}
	var made *result.Run
	err := x.env.RunAll(ctx, jobs, 1, func(_ int, run *result.Run) error {
		made = run
		return nil
	})
	x.console.clear()
	switch {
	case err != nil:
		return err
	case made == nil || !made.Complete:
		if sink != nil && made != nil {
			if err := sink.Finish(made); err != nil {
				return err // which is what has cut it short
			}
		}
		return errCut
	}
	if m := x.manifest; m != nil && m.Digest != made.Digest {
		x.codes = append(x.codes, exitIrreproduced)
		x.console.errorf("%s was made with digest %s, the run made again has %s: "+
			"what is written is another run (simrun %s then)", x.ref, m.Digest, made.Digest, m.Simrun.Version)
	}
	if sink != nil {
		return sink.Finish(made)
	}
	return x.render(w, made)
}

// cutter ends a run that nobody takes the output of.
type cutter struct {
	io.Writer
	cut func()
}

func (c *cutter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil {
		c.cut()
	}
	return n, err
}

// write has something written to a file, which is there when it is whole or not at all, into what else has
// that name, as a pipe, or to stdout. A reader that has seen enough is no error.
func (x *exporter) write(path string, write func(io.Writer) error) error {
	var err error
	if path == "-" {
		err = store.Buffered(x.stdout, write)
	} else if err = store.WriteFile(path, write); err == nil {
		x.say("wrote %s\n", path)
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		x.stdout.err = nil
	case errors.Is(err, errCut):
		x.codes = append(x.codes, exitInterrupted)
		x.console.errorf("%v", err)
	case err != nil && x.stdout.err == nil: // else it is told at the end
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
