package ensemble

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"simrun/internal/result"
	"simrun/internal/stat"
)

// Input is one variant of a comparison: what it is called and changes, and its runs.
type Input struct {
	Name, Story string
	Settings    []result.VariantSetting
	Notes       []string
	// Members are its runs in the order in which their seeds were asked for. One that is nil or was
	// interrupted is missing.
	Members []*Member
}

// Options of [Compare].
type Options struct {
	// Reference is the index of the variant that the others are held against.
	Reference int
	// Rows are those that were named before the runs, and so are tested; nil: [Places.DefaultRows] of the
	// reference.
	Rows []Row
	// Asked is how many seeds were asked for; 0: as many as the reference has members.
	Asked int
	// Alpha is the error allowed, 0 for [Alpha]; see [Precise.Alpha].
	Alpha float64
	// Precision says how seeds were added, nil if they were not.
	Precision *result.Precision
}

// Compare holds variants of one scenario against one of them, seed by seed: see [result.Comparison]. A seed
// that lacks a run of any variant is left out of all. It is nil if no seed is left.
//
// All rows that were named are tested together, in all variants: Holm's correction is over rows times
// variants, so that the chance of any false verdict among the rows is at most alpha, however many variants
// there are. What should never happen is a family of its own.
func Compare(inputs []Input, opt Options) *result.Comparison {
	seeds := commonSeeds(inputs, opt.Reference)
	if len(seeds) == 0 {
		return nil
	}
	c := &comparing{opt: opt, seeds: seeds}
	for _, in := range inputs {
		v := variant{Input: in, members: membersOf(in, seeds)}
		v.places = v.members[0].Places()
		c.variants = append(c.variants, v)
	}
	c.reference = &c.variants[opt.Reference]
	if c.opt.Alpha == 0 {
		c.opt.Alpha = Alpha
	}
	if c.opt.Asked == 0 {
		c.opt.Asked = len(c.reference.Members)
	}
	c.named = opt.Rows
	if c.named == nil {
		c.named = c.reference.places.DefaultRows()
	}
	c.others = c.otherRows()
	return c.comparison()
}

// comparing is a comparison that comes into being.
type comparing struct {
	opt       Options
	seeds     []uint64
	variants  []variant
	reference *variant
	// named are the rows that are tested, others those that are shown besides.
	named, others []Row
}

// variant is an input with what all have in common.
type variant struct {
	Input
	members []*Member // by seed of the comparison
	places  Places
}

func (c *comparing) comparison() *result.Comparison {
	first := c.reference.members[0].run
	out := &result.Comparison{
		Schema: result.Schema, Scenario: first.Scenario, Story: first.Story, DurationNS: first.DurationNS,
		Complete: len(c.seeds) == c.opt.Asked, Asked: c.opt.Asked, Seeds: c.seeds,
		Reference: c.opt.Reference, Alpha: c.opt.Alpha, Precision: c.opt.Precision,
	}
	rows := slices.Concat(c.named, c.others) // of all there are the values behind the differences, seed by seed
	for i := range c.variants {
		v := &c.variants[i]
		out.Variants = append(out.Variants, result.ComparedVariant{
			Name: v.Name, Story: v.Story, Notes: v.Notes,
			Settings: append([]result.VariantSetting{}, v.Settings...),
			Set:      NewSet(v.members, len(c.seeds), rows...),
		})
	}
	out.Key, out.Digest = c.key(out)
	out.SeedsNeeded = stat.SeedsNeeded(len(c.named)*(len(c.variants)-1), c.opt.Alpha)
	c.rows(out)
	c.events(out)
	out.Warnings = c.warnings(out)
	return out
}

// key hashes what was asked, digest what came of it.
func (c *comparing) key(out *result.Comparison) (key, digest string) {
	keys, digests := sha256.New(), sha256.New()
	for _, v := range out.Variants {
		keys.Write([]byte(v.Name + "\n" + v.Set.Key + "\n"))
		digests.Write([]byte(v.Set.Digest + "\n"))
	}
	keys.Write([]byte("against " + c.reference.Name + "\n"))
	for _, r := range c.named {
		keys.Write([]byte(r.String() + "\n"))
	}
	return hex.EncodeToString(keys.Sum(nil))[:8], hex.EncodeToString(digests.Sum(nil))[:16]
}

// commonSeeds are those of which every variant has a whole run, in the order of the reference.
func commonSeeds(inputs []Input, reference int) []uint64 {
	var seeds []uint64
	for _, m := range inputs[reference].Members {
		if whole(m) && !slices.Contains(seeds, m.Seed()) && !slices.ContainsFunc(inputs, func(in Input) bool {
			return in.find(m.Seed()) == nil
		}) {
			seeds = append(seeds, m.Seed())
		}
	}
	return seeds
}

func whole(m *Member) bool { return m != nil && m.Complete() }

// find is the whole run with a seed, nil if there is none.
func (in *Input) find(seed uint64) *Member {
	for _, m := range in.Members {
		if whole(m) && m.Seed() == seed {
			return m
		}
	}
	return nil
}

func membersOf(in Input, seeds []uint64) []*Member {
	out := make([]*Member, len(seeds))
	for i, s := range seeds {
		out[i] = in.find(s)
	}
	return out
}
