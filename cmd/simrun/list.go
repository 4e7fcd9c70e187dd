package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"simrun/internal/result"
	"simrun/scenarios"
)

func (a *app) listCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "the scenarios that come with simrun",
		Example: `  simrun list                                 names, worlds and stories
  simrun list --json | jq -r '.[].name'       for a script`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.list(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON on stdout")
	return cmd
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func (a *app) list(asJSON bool) error {
	list := scenarios.List()
	if asJSON {
		data, err := result.JSON(list)
		if err != nil {
			return err
		}
		a.stdout.print(string(data))
		return nil
	}
	for i, s := range list {
		if i > 0 {
			a.stdout.print("\n")
		}
		a.stdout.print(s.Name + "\n")
		a.stdout.print(wrap(s.Story, a.env.width(), "    "))
		a.stdout.print(wrap(infoText(s), a.env.width(), "    "))
		for _, v := range s.Variants {
			a.stdout.print(wrap(variantTitle(v), a.env.width(), "    "))
		}
	}
	return nil
}

// infoText is a scenario in figures.
func infoText(s scenarios.Info) string {
	parts := []string{
		s.Duration.String(), plural(s.Brokers, "broker"), plural(s.Producers, "producer instance"),
	}
	if len(s.Faults) == 0 {
		parts = append(parts, "no fault")
	}
	parts = append(parts, s.Faults...)
	return strings.Join(append(parts, plural(s.Expectations, "expectation")), ", ")
}

// variantTitle is a variant with what it is about, if it says so.
func variantTitle(v scenarios.VariantInfo) string {
	if v.Story == "" {
		return "variant " + v.Name
	}
	return "variant " + v.Name + ": " + v.Story
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
