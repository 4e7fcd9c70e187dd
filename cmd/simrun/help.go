package main

import (
	"fmt"
	"slices"
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
		Use:   "help [COMMAND | TOPIC | METRIC]",
		Short: "help for a command, a topic or a metric",
		Example: `  simrun help run                             the same as simrun run --help
  simrun help exit-codes
  simrun help metrics latency                 the metrics with that word in them
  simrun help latency_p99                     one of them`,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			of, rest, err := root.Find(args)
			if len(args) > 1 && args[0] == "metrics" {
				text, err := metricsHelp(args[1:])
				fmt.Fprint(cmd.OutOrStdout(), text) //nolint:errcheck // stdout remembers its first error
				return err
			}
			if err == nil && len(rest) > 0 && of != root {
				return usagef("help is for one command or topic: after %s comes nothing, but got %q", of.Name(),
					rest[0])
			}
			if err != nil || len(rest) > 0 {
				if text := metricHelp(args); text != "" {
					fmt.Fprint(cmd.OutOrStdout(), text) //nolint:errcheck // as above
					return nil
				}
				if near := nearestCommand(root, args[0]); near != "" {
					return usagef("no help for %q; did you mean %q?", args[0], near)
				}
				if _, err := metricsHelp(args); err == nil {
					return usagef("no help for %q; some metrics are about it: simrun help metrics %s",
						args[0], strings.Join(args, " "))
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
	metrics, _ := metricsHelp(nil)
	return []*cobra.Command{
		{Use: "exit-codes", Short: "what simrun ends with", Long: exitHelp()},
		{Use: "params", Short: "how simrun sweep --param is written", Long: paramsHelp},
		{
			Use: "metrics", Short: "what the numbers mean, and what an expectation can be on",
			Example: `  simrun help metrics latency                 those with that word in them
  simrun help metrics outage fault            those with both`,
			Long: metrics,
		},
	}
}

// metricsHelp is the registry of metrics for people, or those with some words in them. Where none has, the
// error names those that are nearly called so.
func metricsHelp(words []string) (string, error) {
	var b strings.Builder
	b.WriteString("Metrics of [expect.NAME] tables. \"Undecided\" is what keeps one from a verdict.\n")
	found := 0
	for _, m := range result.Metrics() {
		if !mentions(&m, words) {
			continue
		}
		found++
		b.WriteString("\n" + metricText(&m))
	}
	if found == 0 {
		hint := "see simrun help metrics"
		if near := nearMetrics(words); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, ", ") + "?"
		}
		return "", usagef("no metric has %q in its name or meaning; %s", strings.Join(words, " "), hint)
	}
	return b.String(), nil
}

// metricText is what the registry has of a metric.
func metricText(m *result.Metric) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s%s)\n", m.Name, m.Unit, betterText(m.Better))
	for _, line := range []string{
		m.Help, "Formula: " + m.Formula, "Undecided: " + m.Undecided, "Keys: " + scopeText(m.Scope),
	} {
		b.WriteString(wrap(line, 76, "    "))
	}
	return b.String()
}

// metricHelp is the help for a metric that is called by its name alone; empty if there is no such.
func metricHelp(args []string) string {
	for _, m := range result.Metrics() {
		if len(args) == 1 && m.Name == args[0] {
			return metricText(&m)
		}
	}
	return ""
}

// mentions says whether a metric has all words in its name or its meaning.
func mentions(m *result.Metric, words []string) bool {
	text := strings.ToLower(m.Name + " " + strings.ReplaceAll(m.Name, "_", " ") + " " + m.Help)
	return !slices.ContainsFunc(words, func(w string) bool {
		return !strings.Contains(text, strings.ToLower(w))
	})
}

// nearMetrics are the metrics with a word in their names that is nearly one of the given.
func nearMetrics(words []string) []string {
	const most = 5
	var names []string
	for _, m := range result.Metrics() {
		parts := append(strings.Split(m.Name, "_"), m.Name)
		near := slices.ContainsFunc(words, func(w string) bool {
			return nearest(strings.ToLower(w), parts) != ""
		})
		if near && len(names) < most {
			names = append(names, m.Name)
		}
	}
	return names
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
