package result

// Title names what was run: the scenario, and the variant of it, as its directory does: "gc-pause/ours".
func (r *Run) Title() string { return title(r.Scenario, r.Variant) }

// Title is as that of a run.
func (s *SeedSet) Title() string { return title(s.Scenario, s.Variant) }

// Title is as that of a run.
func (s *Story) Title() string { return title(s.Scenario, s.Variant) }

// Title is as that of a run.
func (s *Snapshot) Title() string { return title(s.Scenario, s.Variant) }

// Title is as that of a run.
func (d *Divergence) Title() string { return title(d.Scenario, d.Variant) }

func title(scenario, variant string) string {
	if variant == "" {
		return scenario
	}
	return scenario + "/" + variant
}
