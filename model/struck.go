package model

import "slices"

// Struck are the processes that feel a fault: its targets, and whatever else runs on their hosts if it
// strikes hosts.
func (c *Config) Struck(f *Fault) []Target {
	if !f.Kind.onHosts() {
		return f.Targets
	}
	var out []Target
	for _, t := range f.Targets {
		for _, u := range c.hostMates(t) {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// hostMates are the processes on the host of a process, itself among them.
func (c *Config) hostMates(t Target) []Target {
	for i := range c.Hosts {
		if slices.Contains(c.Hosts[i].Runs, t) {
			return c.Hosts[i].Runs
		}
	}
	return []Target{t}
}

// OnLinks says whether faults of this kind are of the network: the processes are well, what they send
// and get is not.
func (k FaultKind) OnLinks() bool { return k.onLinks() }

// Repeats says whether a fault can strike more than once, or its targets one after the other.
func (f *Fault) Repeats() bool {
	return f.Period > 0 || f.Rate > 0 || f.Kind == RollingRestart
}
