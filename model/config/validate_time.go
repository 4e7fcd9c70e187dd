package config

import "simrun/sim"

// warn adds what can be run but hardly means what was wanted.
func (c *checker) warn(path, format string, args ...any) {
	c.say(false, path, format, args...)
	c.problems[len(c.problems)-1].Warning = true
}

// neverUp warns of a process that a fault strikes again before it has started.
func (c *checker) neverUp(path string, f *Fault) {
	if !f.Kind.Ends() {
		return
	}
	for _, t := range c.cfg.Struck(f) {
		up := c.cfg.StartupOf(t)
		switch {
		case up == 0:
		case f.Period > 0 && f.Down > 0 && f.Down < f.Period && f.Down+up >= f.Period:
			c.warn(path+"period", "%s never comes up between strikes: down for %v and startup of %v take "+
				"the whole period of %v", c.cfg.TargetName(t), f.Down, up, f.Period)
			return
		case f.Rate > 0 && float64(up)*f.Rate >= float64(sim.Second):
			c.warn(path+"rate", "%s hardly ever comes up between strikes: its startup takes %v, and the "+
				"next strike comes after %v in the mean", c.cfg.TargetName(t), up,
				sim.Duration(float64(sim.Second)/f.Rate))
			return
		}
	}
}

// rollReaches warns of the first target that a rolling restart does not reach before its end, or that
// of the run, even if each shutdown takes no time.
func (c *checker) rollReaches(path string, f *Fault) {
	left := c.cfg.Duration - f.At
	up, lead := sim.Duration(0), sim.Duration(0) // the last port opened, and how long after it comes SIGTERM
	if f.Wipe {
		lead = f.WipeBefore
	}
	for i, t := range f.Targets {
		if i > 0 {
			lead = f.Gap
			if f.Wipe {
				lead = max(lead, f.WipeBefore)
			}
		}
		late := i > 0 && f.Duration > 0 && up >= f.Duration
		if late || up >= left || lead >= left-up {
			end := "the run"
			if late {
				end = "the fault"
			}
			c.warn(path+"target", "%s is never struck: %s ends before its turn comes", c.cfg.TargetName(t), end)
			return
		}
		up += lead
		step := min(f.Down, MaxDelay) + min(c.cfg.StartupOf(t), MaxDelay)
		up += min(step, left-up)
	}
}
