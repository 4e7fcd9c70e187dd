package result

import (
	"strconv"
	"strings"
)

// Thousands is a whole number for people, its thousands apart: "1 435 168".
func Thousands(n int64) string { return Group(strconv.FormatInt(n, 10), ' ') }

// Group puts sep between the thousands of a whole number.
func Group(digits string, sep rune) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune(sep)
		}
		b.WriteRune(d)
	}
	return b.String()
}
