package main

import (
	"github.com/spf13/cobra"

	"simrun/internal/result"
)

func (a *app) versionCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "what was built, from which commit",
		Example: `  simrun version
  simrun version --json | jq -r .commit`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				a.stdout.print(buildText(build()) + "\n")
				return nil
			}
			data, err := result.JSON(build())
			if err != nil {
				return err
			}
			a.stdout.print(string(data))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON on stdout")
	return cmd
}
