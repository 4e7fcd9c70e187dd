package main

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

//go:embed hangs.toml
var hangsScenario []byte

// medians are the delays that are measured; the fourth is the default of timer_wakeup.
var medians = []time.Duration{
	0, 300 * time.Microsecond, 600 * time.Microsecond, defaultMedian, 1200 * time.Microsecond,
	1500 * time.Microsecond, 2 * time.Millisecond, 2500 * time.Microsecond, 3 * time.Millisecond,
}

// defaultMedian is the median of the default of timer_wakeup.
const defaultMedian = 900 * time.Microsecond

// point is what a median of the delay came to.
type point struct {
	median      time.Duration
	hangs, ties int
}

func (p point) share() float64 { return float64(p.ties) / float64(p.hangs) }

// scatter is the standard error of the share, if the true one is x.
func (p point) scatter(x float64) float64 { return math.Sqrt(x * (1 - x) / float64(p.hangs)) }

// measureAll measures every median.
func measureAll() ([]point, error) {
	var all []point
	for _, m := range medians {
		p, err := measure(m)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// measure runs the scenario with a median, and others changes.
func measure(median time.Duration, set ...string) (point, error) {
	cfg, err := configure(wakeup(median), set...)
	if err != nil {
		return point{}, err
	}
	p, err := count(cfg)
	p.median = median
	return p, err
}

// wakeup is the value of timer_wakeup with a median, in the shape of the default.
func wakeup(median time.Duration) string {
	if median == 0 {
		return `"0s"`
	}
	return fmt.Sprintf(`{ dist = "lognormal", median = "%v", p99 = "%v" }`, median,
		time.Duration(math.Round(float64(median)*p99Factor)))
}

// configure reads the scenario. An empty wakeup leaves the default.
func configure(wakeup string, set ...string) (*config.Config, error) {
	if wakeup != "" {
		set = append(set, "producer.p.timer_wakeup="+wakeup)
	}
	sc, err := scenarios.Load("./hangs.toml", scenarios.Options{
		Set:      set,
		ReadFile: func(string) ([]byte, error) { return hangsScenario, nil },
	})
	if err != nil {
		return nil, err
	}
	return &sc.Config, nil
}

// count runs a configuration and counts its hangs.
func count(cfg *config.Config) (point, error) {
	h := &hangs{}
	w := model.New(*cfg, h)
	if err := w.RunUntil(sim.Time(cfg.Duration)); err != nil {
		return point{}, err
	}
	if h.hangs == 0 {
		return point{}, fmt.Errorf("no send hangs")
	}
	return h.point, w.Check()
}

// hangs counts the sends whose first attempt waited for an answer until it timed out, and of those the
// ones that went on to another attempt: only a tie does.
type hangs struct {
	model.NopObserver
	point
}

func (h *hangs) Answered(a *model.Answer) {
	if a.FirstOutcome != strategy.OutcomeTimeout {
		return
	}
	h.hangs++
	if a.Attempts > 1 {
		h.ties++
	}
}
