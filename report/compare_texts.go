package report

import "simrun/internal/result"

// PairedTexts are a row of a comparison as its text shows it: the median of a variant, the median of its
// differences from the reference, and the ends of its interval, both empty of the reference itself.
func PairedTexts(
	c *result.Comparison, r *result.PairedRow, variant int,
) (median, difference, interval string) {
	median = seedValueText(r, r.Medians[variant])
	if variant == c.Reference {
		return median, "", ""
	}
	texts := differenceTexts(r, r.Medians[c.Reference], &r.Against[variant])
	return median, texts[0], texts[1]
}

// SeedValueText is a value of one seed in such a row, as its text shows it.
func SeedValueText(r *result.PairedRow, v result.SeedValue) string { return seedValueText(r, v) }
