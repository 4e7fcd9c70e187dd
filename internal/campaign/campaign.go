package main

import (
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// campaign runs scenarios of consecutive seeds on several workers.
type campaign struct {
	first    uint64
	n        int
	until    time.Time // zero: all n
	workers  int
	progress io.Writer
	stop     <-chan os.Signal
	known    *grammar

	mu        sync.Mutex
	begun     int
	scenarios int
	runs      int
	messages  int64
	events    uint64
	checks    int
	repeated  int
	baselines map[string]int
	kinds     map[string]int
	failures  []failure
}

// failure is a scenario that broke a rule.
type failure struct {
	seed           uint64
	problem        string
	doc, shrunken  *document
	shrunkenSaying string
}

// maxFailures ends a campaign: there is enough to do.
const maxFailures = 5

// run works until all scenarios are done, the time is up, or enough failed.
func (c *campaign) run() {
	c.baselines, c.kinds = map[string]int{}, map[string]int{}
	began := time.Now()
	done := make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(10 * time.Second):
				c.tell(began)
			}
		}
	})
	var wg sync.WaitGroup
	for range c.workers {
		wg.Go(func() {
			for {
				seed, ok := c.next()
				if !ok {
					return
				}
				c.scenario(seed)
			}
		})
	}
	wg.Wait()
	close(done)
	told.Wait()
	slices.SortFunc(c.failures, func(a, b failure) int { return int(int64(a.seed) - int64(b.seed)) })
}

// next hands out seeds.
func (c *campaign) next() (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.stop:
		c.n = 0
	default:
	}
	if c.begun >= c.n || len(c.failures) >= maxFailures ||
		!c.until.IsZero() && time.Now().After(c.until) {
		return 0, false
	}
	c.begun++
	return c.first + uint64(c.begun) - 1, true
}

// scenario draws and judges one scenario.
func (c *campaign) scenario(seed uint64) {
	doc, sc, err := draw(seed, c.known)
	if err != nil {
		c.book(doc, verdict{}, &failure{seed: seed, problem: "loader: " + err.Error(), doc: doc})
		return
	}
	v := judge(sc, seed)
	if v.problem == "" {
		c.book(doc, v, nil)
		return
	}
	f := &failure{seed: seed, problem: v.problem, doc: doc, shrunken: shrink(doc, seed, v.problem)}
	if sc, err := load(f.shrunken.text()); err == nil {
		f.shrunkenSaying = judge(sc, seed).problem
	}
	c.book(doc, v, f)
}

func (c *campaign) book(doc *document, v verdict, f *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scenarios++
	c.runs += v.runs
	c.messages += v.messages
	c.events += v.events
	c.checks += v.checks
	if v.repeated {
		c.repeated++
	}
	if v.baseline != "" {
		c.baselines[v.baseline]++
	}
	for i := range doc.tables {
		if t := &doc.tables[i]; t.kind() == "fault" {
			c.kinds[t.get("kind")]++
		}
	}
	if f != nil {
		c.failures = append(c.failures, *f)
		say(c.progress, "campaign: seed %d FAILED %s\n", f.seed, f.problem)
	}
}

func (c *campaign) tell(began time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	say(c.progress, "campaign: %v, %d scenarios, %.1f M events, %d failures\n",
		time.Since(began).Round(time.Second), c.scenarios, float64(c.events)/1e6, len(c.failures))
}

// report says what was run and what came of it.
func (c *campaign) report(out io.Writer) {
	say(out, "%d scenarios (seeds %d to %d) in %d runs: %d messages, %d events, %d checks\n",
		c.scenarios, c.first, c.first+uint64(c.begun)-1, c.runs, c.messages, c.events, c.checks)
	say(out, "%d scenarios run twice, and twice through the fold, to the same digest\n", c.repeated)
	counts(out, "baseline", c.baselines)
	counts(out, "faults", c.kinds)
	refused := map[string]int{}
	for what, n := range c.known.refused {
		refused[what+": "+c.known.words[what]] = n
	}
	counts(out, "taken out because the loader refuses it", refused)
	for i := range c.failures {
		c.failures[i].print(out)
	}
	say(out, "%d scenarios failed\n", len(c.failures))
}

func counts(out io.Writer, title string, m map[string]int) {
	if len(m) == 0 {
		return
	}
	say(out, "%s:\n", title)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		say(out, "%8d  %s\n", m[k], k)
	}
}

// print shows a failure and how to see it again.
func (f *failure) print(out io.Writer) {
	say(out, "\nFAILED seed %d: %s\n", f.seed, f.problem)
	say(out, "again: go run ./internal/campaign -n 1 -seed %d\n", f.seed)
	if f.shrunken == nil {
		return
	}
	say(out, "shrunken (%s): go run ./internal/campaign -seed %d - <<'END'\n%sEND\n",
		f.shrunkenSaying, f.seed, f.shrunken.text())
}
