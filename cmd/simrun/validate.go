package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"simrun/report"
	"simrun/scenarios"
)

// validated is what validate found out about one scenario.
type validated struct {
	Scenario string `json:"scenario"`
	Valid    bool   `json:"valid"`
	// Problems are mistakes, or the warnings of a valid scenario.
	Problems []scenarios.Problem `json:"problems"`
	info     scenarios.Info
	err      error
}

func (a *app) validateCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "check scenarios without simulating them",
		Example: `  simrun validate ./my.toml                   every mistake at once
  simrun validate ./my.toml --json            the same for an editor
  simrun validate quickstart --set producer.*.threads=4`,
		RunE: func(cmd *cobra.Command, refs []string) error {
			if len(refs) == 0 {
				return usagef("validate needs a scenario: a file, or a name that simrun list shows")
			}
			return a.validate(cmd.Context(), f, refs)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarioCompletions(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.set, "set", setUsage)
	flags.BoolVar(&f.json, "json", false, "JSON on stdout: a list with an object for each scenario")
	return cmd
}

func (a *app) validate(ctx context.Context, f *runFlags, refs []string) error {
	var list []validated
	for _, ref := range refs {
		v := validated{Scenario: ref, Problems: []scenarios.Problem{}}
		s, err := load(ctx, ref, &f.loadFlags)
		if errors.Is(err, errInterrupted) {
			return err
		}
		var invalid *scenarios.Invalid
		switch {
		case err == nil:
			v.Valid, v.info = true, s.Info()
			v.Problems = append(v.Problems, s.Warnings...)
		case errors.As(err, &invalid):
			v.Problems = append(v.Problems, invalid.Problems...)
			v.err = err
		default:
			v.err = err
			v.Problems = append(v.Problems, scenarios.Problem{File: ref, Message: err.Error()})
		}
		list = append(list, v)
	}
	if f.json {
		return a.validatedJSON(list)
	}
	for _, v := range list {
		if v.err != nil {
			a.fail(v.err)
			continue
		}
		for i := range v.Problems {
			a.console.print(a.painted(v.Problems[i].Render()))
		}
		valid := "is valid"
		if a.env.colour(a.color) {
			valid = inkGood + valid + inkOff
		}
		a.stdout.print(fmt.Sprintf("%s %s: %s\n", v.Scenario, valid, infoText(v.info)))
	}
	return nil
}

func (a *app) validatedJSON(list []validated) error {
	for _, v := range list {
		if v.err != nil {
			a.codes = append(a.codes, codeOf(v.err))
		}
	}
	data, err := report.JSON(list)
	if err != nil {
		return err
	}
	a.stdout.print(string(data))
	return nil
}
