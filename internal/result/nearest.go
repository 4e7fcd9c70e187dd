package result

import "strings"

// Nearest finds the candidate that was perhaps meant by name: the same but for case and
// punctuation, or at most two edits away (fewer for short names, which are all near each other).
// It returns "" if there is none.
func Nearest(name string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if Fold(name) == Fold(c) {
			return c
		}
		d := distance(name, c)
		if d < least && d <= (max(len(name), len(c))-1)/2 {
			best, least = c, d
		}
	}
	return best
}

// Fold drops case and punctuation.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance is the number of edits (insert, delete, replace, swap of neighbours) between a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > 2 || d < -2 {
		return 3 // far enough not to matter
	}
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(y)]
}
