package stat

// Look is one of the times at which one looks at the seeds so far.
type Look struct {
	Seeds int
	// Alpha is this look's part of the error allowed: its intervals have 1 - Alpha, and if seeds end with it,
	// rows are judged at Alpha.
	Alpha float64
}

// firstLook is how many seeds the first look takes; every further one takes twice as many as the last.
const firstLook = 10

// Looks are those that a budget of seeds allows: after 10, 20, 40, 80 … seeds, the last at the budget itself.
// They share alpha evenly (Bonferroni), so that whichever look ends the adding of seeds, and for whatever
// reason, its interval holds the true median with at least 1 - alpha. An even split costs little: six looks
// make an interval a third wider than one would. Nil without a budget.
func Looks(budget int, alpha float64) []Look {
	var out []Look
	if budget < 1 {
		return nil
	}
	for n := firstLook; n < budget; n *= 2 {
		out = append(out, Look{Seeds: n})
	}
	out = append(out, Look{Seeds: budget})
	for i := range out {
		out[i].Alpha = alpha / float64(len(out))
	}
	return out
}
