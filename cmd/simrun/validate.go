package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"simrun/internal/result"
	"simrun/scenarios"
)

// validated is what validate found out about one scenario.
type validated struct {
	Scenario string `json:"scenario"`
	Valid    bool   `json:"valid"`
	// Problems are mistakes, or the warnings of a valid scenario.
	Problems []scenarios.Problem `json:"problems"`
	// Variants of a valid scenario, those of the file and of flags.
	Variants []validatedVariant `json:"variants"`
	info     scenarios.Info
	err      error
}

// validatedVariant is what validate found out about a variant of a valid scenario.
type validatedVariant struct {
	Name  string `json:"name"`
	Story string `json:"story,omitempty"`
	// Settings are what it has otherwise, Notes what it drops, Warnings those that the scenario as it stands
	// does not have.
	Settings []result.VariantSetting `json:"settings"`
	Notes    []string                `json:"notes"`
	Warnings []scenarios.Problem     `json:"warnings"`
}

func (a *app) validateCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "check scenarios and their variants without simulating them",
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
	variantFlag(cmd, &f.loadFlags)
	flags.BoolVar(&f.json, "json", false, "JSON on stdout: a list with an object for each scenario")
	return cmd
}

func (a *app) validate(ctx context.Context, f *runFlags, refs []string) error {
	var list []validated
	for _, ref := range refs {
		v := validated{Scenario: ref, Problems: []scenarios.Problem{}, Variants: []validatedVariant{}}
		all, err := loadWith(ctx, ref, &f.loadFlags, scenarios.LoadVariants)
		if errors.Is(err, errInterrupted) {
			return err
		}
		var invalid *scenarios.Invalid
		switch {
		case err == nil:
			v.Valid = true
			v.variants(all)
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
	for i := range list {
		a.validated(&list[i])
	}
	return nil
}

// variants notes what there is to say of the variants of a scenario; the first is the scenario as it stands.
func (v *validated) variants(all []*source) {
	base := all[0]
	v.info = base.Info()
	v.Problems = append(v.Problems, base.Warnings...)
	for _, s := range all[1:] {
		one := validatedVariant{
			Name: s.Variant, Story: s.VariantStory, Settings: s.Differs,
			Notes: append([]string{}, s.Notes...), Warnings: append([]scenarios.Problem{}, s.VariantWarnings...),
		}
		for _, p := range s.Warnings {
			same := func(b scenarios.Problem) bool { return b.String() == p.String() }
			if !slices.ContainsFunc(base.Warnings, same) {
				one.Warnings = append(one.Warnings, p)
			}
		}
		v.Variants = append(v.Variants, one)
	}
}

// validated shows what was found out about one scenario.
func (a *app) validated(v *validated) {
	if v.err != nil {
		a.fail(v.err)
		return
	}
	problems := slices.Clone(v.Problems)
	for _, one := range v.Variants {
		problems = append(problems, one.Warnings...)
	}
	for i := range problems {
		a.console.print(a.painted(problems[i].Render()))
	}
	valid := "is valid"
	if a.env.colour(a.color) {
		valid = inkGood + valid + inkOff
	}
	a.stdout.print(fmt.Sprintf("%s %s: %s\n", v.Scenario, valid, infoText(v.info)))
	for _, one := range v.Variants {
		title := variantTitle(scenarios.VariantInfo{Name: one.Name, Story: one.Story})
		a.stdout.print(wrap(title, a.env.width(), "  "))
		for _, s := range one.Settings {
			a.stdout.print(wrap(settingText(s), a.env.width(), "    "))
		}
		for _, n := range one.Notes {
			a.stdout.print(wrap("note: "+n, a.env.width(), "    "))
		}
	}
}

// settingText is a setting of a variant in words.
func settingText(s result.VariantSetting) string {
	switch {
	case s.Text == "":
		return fmt.Sprintf("%s is not set, instead of %s", s.Path, s.Base)
	case s.Base == "":
		return fmt.Sprintf("%s = %s, which is not set", s.Path, s.Text)
	}
	return fmt.Sprintf("%s = %s instead of %s", s.Path, s.Text, s.Base)
}

func (a *app) validatedJSON(list []validated) error {
	for _, v := range list {
		if v.err != nil {
			a.codes = append(a.codes, codeOf(v.err))
		}
	}
	data, err := result.JSON(list)
	if err != nil {
		return err
	}
	a.stdout.print(string(data))
	return nil
}
