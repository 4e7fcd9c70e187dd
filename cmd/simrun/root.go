package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"simrun/experiment"
	"simrun/report"
	"simrun/scenarios"
)

// app is one call of the program.
type app struct {
	env env
	// stdout remembers its first error; console is stderr.
	stdout  *stickyWriter
	console *console
	// Flags of every command.
	color string
	quiet bool
	// codes are the causes for the exit code so far.
	codes []exitCode
}

// Values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// run is the program: it reads the arguments, does what they say and returns the exit code.
func run(ctx context.Context, e env) (code int) {
	a := &app{env: e, stdout: &stickyWriter{w: e.Stdout}, console: newConsole(e)}
	defer func() {
		if p := recover(); p != nil {
			a.console.clear()
			a.reportBug(&experiment.InternalError{Cause: fmt.Errorf("%v", p), Stack: debug.Stack()})
			code = int(exitBug)
		}
	}()
	root := a.root()
	root.SetArgs(e.Args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		a.fail(err)
	}
	if err := a.stdout.err; err != nil {
		a.codes = append(a.codes, exitIO)
		if !errors.Is(err, syscall.EPIPE) { // a reader that has seen enough is no news
			a.console.errorf("standard output: %v", err)
		}
	}
	return int(worst(a.codes...))
}

// fail reports an error and books its exit code.
func (a *app) fail(err error) {
	a.console.clear()
	a.codes = append(a.codes, codeOf(err))
	var (
		invalid *scenarios.Invalid
		bug     *experiment.InternalError
	)
	switch {
	case errors.As(err, &invalid):
		var b strings.Builder
		_ = invalid.Render(&b)
		a.console.print(a.painted(b.String()))
	case errors.As(err, &bug):
		a.reportBug(bug)
	default:
		a.console.errorf("%v", err)
	}
}

// reportBug says all there is to say about a bug.
func (a *app) reportBug(bug *experiment.InternalError) {
	var b strings.Builder
	fmt.Fprintf(&b, "simrun: this is a bug in simrun: %v\n", bug.Cause)
	if bug.Scenario != "" {
		fmt.Fprintf(&b, "  in %s, seed %d, at virtual time %v\n", bug.Scenario, bug.Seed, bug.At)
	}
	fmt.Fprintf(&b, "  %s\n", buildText(build()))
	if bug.Scenario != "" {
		fmt.Fprintf(&b, "  to repeat it: %s\n", a.repeatCommand(bug.Seed))
	}
	if len(bug.Stack) > 0 {
		fmt.Fprintf(&b, "\n%s", bug.Stack)
	}
	a.console.print(b.String())
}

// repeatCommand is the command line of this call, for one seed.
func (a *app) repeatCommand(seed uint64) string {
	words := []string{"simrun"}
	skip := false
	for _, arg := range a.env.Args {
		switch {
		case skip:
			skip = false
		case arg == "--seed" || arg == "--seeds" || arg == "-s":
			skip = true
		case strings.HasPrefix(arg, "--seed=") || strings.HasPrefix(arg, "--seeds=") ||
			strings.HasPrefix(arg, "-s") && !strings.HasPrefix(arg, "--"):
		default:
			words = append(words, shellQuote(arg))
		}
	}
	flag := "--seed"
	if slices.Contains(words, "compare") || slices.Contains(words, "sweep") {
		flag = "--seeds" // they have no other
	}
	return fmt.Sprintf("%s %s %d", strings.Join(words, " "), flag, seed)
}

// shellQuote writes a word so that a shell reads it back.
func shellQuote(word string) string { return report.ShellQuote(word) }

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "simrun",
		Short: "simulate how a RocketMQ producer avoids faulty brokers",
		Example: `  simrun list                                 the scenarios that come with it
  simrun run quickstart                       simulate one, see what came of it
  simrun run quickstart --seeds 1..5          the same with five seeds
  simrun validate ./my.toml                   check a scenario of your own
  simrun help metrics                         what the numbers mean`,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE:              unknownCommand,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.PersistentFlags().Var(&choice{&a.color, []string{colorAuto, colorAlways, colorNever}},
		"color", "colours: auto, always or never; NO_COLOR and FORCE_COLOR too")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "nothing on stderr but errors")
	a.color = colorAuto
	root.SetOut(deafWriter{a.stdout}) // cobra has words of its own for errors
	root.SetErr(a.env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	cobra.EnableCommandSorting = false
	root.AddCommand(a.runCommand(), a.compareCommand(), a.sweepCommand(), a.explainCommand(), a.reportCommand(),
		a.verifyCommand(), a.exportCommand(), a.validateCommand(), a.listCommand(), a.versionCommand())
	root.AddCommand(helpTopics()...)
	root.SetHelpCommand(helpCommand())
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			a.fail(unknownCommand(cmd, words)) // simrun rnu --help
			return
		}
		help(cmd, args)
	})
	return root
}

// unknownCommand is what simrun does without a command: help if there is nothing else on the line.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if near := nearestCommand(cmd, args[0]); near != "" {
		return usagef("unknown command %q; did you mean %q?", args[0], near)
	}
	if isScenario(args[0]) {
		return usagef("unknown command %q; did you mean \"simrun run %s\"?", args[0], args[0])
	}
	return usagef("unknown command %q; see simrun --help", args[0])
}

func isScenario(name string) bool {
	_, err := scenarios.Source(name)
	return err == nil || strings.HasSuffix(name, ".toml")
}

// flagError puts an error of the flags into our words.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		name, _, _ = strings.Cut(name, "=")
		if near := nearestFlag(cmd, name); near != "" {
			return usagef("unknown flag --%s; did you mean --%s?", name, near)
		}
		return usagef("unknown flag --%s; see %s --help", name, cmd.CommandPath())
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		why := errors.Unwrap(invalid).Error()
		if want := plainFlags[invalid.GetFlag().Value.Type()]; want != "" {
			why = fmt.Sprintf("%q is not %s", invalid.GetValue(), want)
		}
		return usagef("--%s: %s", invalid.GetFlag().Name, why)
	}
	return usagef("%s; see %s --help", text, cmd.CommandPath())
}

// plainFlags are what values of the flags that the library reads have to be, by type; its own words are Go's.
var plainFlags = map[string]string{
	"bool": "true or false", "int": "a whole number",
	"duration": "a time with a unit, as 25s or 20.4113s",
}

// nearestFlag is the flag of a command whose name is nearest to one that does not exist, if any is.
func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return nearest(name, names)
}

// nearestCommand is the same for commands and topics of help.
func nearestCommand(root *cobra.Command, name string) string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return nearest(name, names)
}

// nearest is the name that was perhaps meant: one that the given one begins, or at most two slips
// away. Short names allow fewer slips.
func nearest(name string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		d := distance(name, n)
		if len(name) >= 3 && strings.HasPrefix(n, name) {
			d = 0
		}
		if d < least && d < len(name) {
			best, least = n, d
		}
	}
	return best
}

// distance is the number of characters to insert, drop or change to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// choice is a flag with a fixed set of values.
type choice struct {
	value  *string
	values []string
}

func (c *choice) Set(text string) error {
	for _, v := range c.values {
		if v == text {
			*c.value = text
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %s", text, strings.Join(c.values, ", "))
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Type() string { return "WHEN" }
