package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"simrun/internal/result"
)

// Help starts with examples: most readers look for the one that is nearly what they want.
const helpTemplate = `{{.CommandPath}}: {{.Short}}
{{if .Example}}
{{.Example}}
{{end}}{{with .Long}}
{{.}}
{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`

const usageTemplate = `
usage: {{.UseLine}}{{if .HasAvailableSubCommands}} COMMAND

commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name 11}} {{.Short}}{{end}}{{end}}

topics, with simrun help TOPIC:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad .Name 11}} {{.Short}}{{end}}{{end}}{{end}}

flags:
{{flagUsages .}}
`

func init() {
	// All flags in one list, those of every command last.
	cobra.AddTemplateFunc("flagUsages", func(cmd *cobra.Command) string {
		cmd.LocalFlags() // merges those of the root into Flags
		return strings.TrimRight(cmd.Flags().FlagUsagesWrapped(80), "\n")
	})
}

// helpCommand is simrun help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "help for a command or a topic",
		Example: `  simrun help run                             the same as simrun run --help
  simrun help exit-codes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				if near := nearestCommand(root, args[0]); near != "" {
					return usagef("no help for %q; did you mean %q?", args[0], near)
				}
				return usagef("no help for %q; see simrun --help", args[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// helpTopics are pages of help that belong to no command.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "what simrun ends with", Long: exitHelp()},
		{
			Use: "metrics", Short: "what the numbers mean, and what an expectation can be on",
			Long: metricsHelp(),
		},
	}
}

// metricsHelp is the registry of metrics for people.
func metricsHelp() string {
	var b strings.Builder
	b.WriteString("Metrics of [expect.NAME] tables. \"Undecided\" is what keeps one from a verdict.\n")
	for _, m := range result.Metrics() {
		fmt.Fprintf(&b, "\n%s (%s%s)\n", m.Name, m.Unit, betterText(m.Better))
		for _, line := range []string{
			m.Help, "Formula: " + m.Formula, "Undecided: " + m.Undecided, "Keys: " + scopeText(m.Scope),
		} {
			b.WriteString(wrap(line, 76, "    "))
		}
	}
	return b.String()
}

func betterText(d result.Direction) string {
	switch d {
	case result.LowerIsBetter:
		return ", lower is better"
	case result.HigherIsBetter:
		return ", higher is better"
	case result.Neutral:
	}
	return ""
}

func scopeText(s result.Scope) string {
	switch s {
	case result.ScopeMessages:
		return "during, or from and to; producer or topic"
	case result.ScopeBroker:
		return "broker; during, or from and to"
	case result.ScopeFault:
		return "fault; broker"
	case result.ScopeCluster:
		return "during, or from and to"
	case result.ScopeBalance:
		return "topic; during, or from and to"
	case result.ScopeRecovery:
		return "fault"
	}
	return ""
}

// wrap breaks a text into lines of at most width columns behind an indent. A word that does not fit
// stands on a line of its own.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
			b.WriteString(indent)
		case column+1+n > width-len(indent):
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
	return b.String()
}
