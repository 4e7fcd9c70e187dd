package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/report"
)

// withExemplars has runs come with two exemplars, whatever they chose themselves.
func (c *call) withExemplars() *call {
	c.env.RunAll = func(ctx context.Context, jobs []experiment.Job, workers int,
		done func(int, *result.Run) error,
	) error {
		for i := range jobs {
			keep := jobs[i].Keep
			jobs[i].Keep = func(run *result.Run) {
				run.Exemplars = nil
				for _, number := range []uint64{40, 7} {
					run.Exemplars = append(run.Exemplars, result.Exemplar{
						Kind: result.ExemplarSlowest, Producer: run.Setup.Producers[0].Name, Message: number,
						Fate: "durable", Copies: 1,
					})
				}
				keep(run)
			}
		}
		return experiment.RunAll(ctx, jobs, workers, done)
	}
	return c
}

// only is the one directory of results.
func only(t *testing.T) string {
	t.Helper()
	list, err := filepath.Glob("results/quick/s*")
	if err != nil || len(list) != 1 {
		t.Fatalf("results: %v, %v", list, err)
	}
	return list[0]
}

// Goal: "the slowest, lost, failed and duplicated messages (exemplars chosen while simulating, bounded) each
// with its explanation" are kept with the results, in the exemplars' order, after the summary is shown; and
// again they are the same. Without the page nobody tells them.
func TestRunTellsStories(t *testing.T) {
	c := newCall(t, "run", "./quick.toml", "--plots", "none").withExemplars()
	const said = "telling the stories of 2 messages"
	if code := c.run(t); code != exitOK || !strings.Contains(c.stderr.String(), said) {
		t.Fatalf("exit code %d, stderr %s", code, c.stderr.String())
	}
	run, err := report.Load(only(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Stories) != 2 || run.Stories[0].Message != 40 || run.Stories[1].Message != 7 ||
		len(run.Stories[0].Entries) < 5 || run.Stories[0].Fate != "durable" {
		t.Errorf("%+v", run.Stories)
	}
	for _, args := range [][]string{{"--html"}, {"--html=false"}, {"--seeds", "1..2"}} {
		c := newCallHere(append([]string{"run", "./quick.toml", "--plots", "none"}, args...)...)
		c.withExemplars()
		code := c.run(t)
		text := c.stderr.String()
		if code != exitOK || !strings.Contains(text, "unchanged results") {
			t.Errorf("%v: exit code %d, stderr %s", args, code, text)
		}
		if told := strings.Contains(text, "telling"); told != (args[0] == "--html") {
			t.Errorf("%v: stderr %s", args, text)
		}
	}
}

// cancelAt interrupts when a text is written.
type cancelAt struct {
	to     *bytes.Buffer
	text   string
	cancel func()
}

func (c cancelAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return c.to.Write(p)
}

// Goal: an interrupt while stories are told, or before that, once the run itself has come to its end, leaves
// whole results without them, and says so.
func TestInterruptWhileTelling(t *testing.T) {
	for _, text := range []string{"telling", "wrote results"} {
		t.Run(text, func(t *testing.T) { interruptAt(t, text) })
	}
}

func interruptAt(t *testing.T, text string) {
	t.Helper()
	c := newCall(t, "run", "./quick.toml", "--plots", "none").withExemplars()
	ctx, cancel := context.WithCancel(t.Context())
	c.env.Stderr = cancelAt{&c.stderr, text, cancel}
	if code := exitCode(run(ctx, c.env)); code != exitInterrupted {
		t.Errorf("exit code %d, stderr %s", code, c.stderr.String())
	}
	dir := only(t)
	if run, err := report.Load(dir); err != nil || !run.Complete || len(run.Stories) > 0 {
		t.Errorf("%v, %v", run, err)
	}
	if _, err := os.Stat(filepath.Join(dir, report.StoriesFile)); err == nil {
		t.Error("there are stories")
	}
	if !strings.Contains(c.stderr.String(), "but for the stories") {
		t.Errorf("stderr %s", c.stderr.String())
	}
}
