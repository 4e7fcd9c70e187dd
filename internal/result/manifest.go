package result

// Manifest is manifest.json: what is needed to make the same results again, and what made these.
// All of it but Host is the same for two runs of one scenario, seed and binary.
type Manifest struct {
	Schema   int    `json:"schema"`
	Simrun   Build  `json:"simrun"`
	Scenario Source `json:"scenario"`
	// Variant is the name of the variant that was run; empty: the scenario as it stands. VariantFlags are the
	// --variant arguments about it, "NAME" or "NAME:KEY=VALUE", in their order.
	Variant      string   `json:"variant,omitempty"`
	VariantFlags []string `json:"variant_flags,omitempty"`
	// Overrides are the --set arguments, "path.to.key=value", in their order.
	Overrides []string `json:"overrides"`
	// NoExpect: the expectations of the scenario were left out (--no-expect).
	NoExpect bool   `json:"no_expect,omitempty"`
	Seed     uint64 `json:"seed"`
	// Seeds are those of a set; Seed is 0 then.
	Seeds []uint64 `json:"seeds,omitempty"`
	// Key, Digest and Complete are those of the Run.
	Key      string `json:"key"`
	Digest   string `json:"digest"`
	Complete bool   `json:"complete"`
	// Events is the number of events the engine ran.
	Events      int64 `json:"events"`
	DurationNS  int64 `json:"duration_ns"`
	SimulatedNS int64 `json:"simulated_ns"`
	// Stored are the files of a comparison or a sweep that the others are drawn from.
	Stored []StoredFile `json:"stored,omitempty"`
	// Host is about the machine and the moment.
	Host Host `json:"host"`
}

// StoredFile is a file that must be as it was written: its path below the directory, with slashes, and its
// SHA-256 in lower-case hex.
type StoredFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	// Rows is how many a table has, without its header.
	Rows int `json:"rows,omitempty"`
}

// Build is the binary that ran.
type Build struct {
	Version string `json:"version"`
	// Commit is the revision it was built from, Dirty whether files had changed; both are absent if
	// that is unknown.
	Commit string `json:"commit,omitempty"`
	Dirty  *bool  `json:"dirty,omitempty"`
	// Go is the version of the toolchain.
	Go     string `json:"go"`
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
}

// Source is the scenario that was run. Hashes are SHA-256 in lower-case hex.
type Source struct {
	Name string `json:"name"`
	// Shipped: it comes with the program, under that name.
	Shipped bool `json:"shipped,omitempty"`
	// SourceSHA256 is of the file as written by its author.
	SourceSHA256 string `json:"source_sha256"`
	// EffectiveSHA256 is of scenario.toml in the results: defaults filled in, overrides applied.
	EffectiveSHA256 string `json:"effective_sha256"`
}

// Host is the one part of the results that differs from machine to machine and from run to run.
type Host struct {
	// ScenarioPath is the file that was read, or the name of a shipped scenario.
	ScenarioPath string `json:"scenario_path"`
	// ResultsPath is the directory the results were written to.
	ResultsPath string `json:"results_path"`
	// StartedAt is the wall time of the start, RFC 3339.
	StartedAt string `json:"started_at,omitempty"`
	// WallNS is how long the run took.
	WallNS int64 `json:"wall_ns"`
	// CPUs is the number of CPUs, Jobs how many runs were made at once.
	CPUs int `json:"cpus,omitempty"`
	Jobs int `json:"jobs,omitempty"`
}

// Flags are the flags of simrun that make the same of the scenario again, seed apart, a word each:
// "--variant", "ours", "--set", "broker.a.slaves=2".
func (m *Manifest) Flags() []string {
	var words []string
	flags := m.VariantFlags
	if m.Variant != "" && len(flags) == 0 {
		flags = []string{m.Variant}
	}
	for _, v := range flags {
		words = append(words, "--variant", v)
	}
	for _, set := range m.Overrides {
		words = append(words, "--set", set)
	}
	return words
}
