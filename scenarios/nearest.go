package scenarios

import (
	"strings"

	"simrun/internal/result"
)

// nearest finds the candidate that was perhaps meant by name, "" if there is none.
func nearest(name string, candidates []string) string { return result.Nearest(name, candidates) }

// fold drops case and punctuation.
func fold(s string) string { return result.Fold(s) }

// snake turns a Java name into snake_case: sendMsgTimeout, retryAnotherBrokerWhenNotStoreOK.
func snake(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			lower := func(k int) bool { return k >= 0 && k < len(name) && (name[k] < 'A' || name[k] > 'Z') }
			if i > 0 && (lower(i-1) || lower(i+1)) {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}
