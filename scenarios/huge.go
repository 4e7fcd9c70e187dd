package scenarios

import (
	"errors"
	"strconv"
	"strings"
)

// hugeInt is a whole number that TOML's 64 bits do not hold, as it is written. The decoder would
// refuse the whole text for it; so it is kept from the decoder, and refused by the key it is for,
// along with all other mistakes.
type hugeInt string

// isHuge says whether a value is a whole number beyond 64 bits.
func isHuge(text string) bool {
	const shortest = len("0x8000000000000000")
	if len(text) < shortest || strings.Trim(text[:1], "+-0123456789") != "" {
		return false
	}
	_, err := strconv.ParseInt(text, 0, 64)
	return errors.Is(err, strconv.ErrRange)
}

// maskHuge puts a string of the same length in the place of each whole number beyond 64 bits, so
// that all places stay what they are.
func (d *document) maskHuge(text string) string {
	var spans []span
	for i := range d.statements {
		spans = d.statements[i].value.huge(text, spans)
	}
	if len(spans) == 0 {
		return text
	}
	masked := []byte(text)
	for _, sp := range spans {
		fill := strings.Repeat("9", sp.end-sp.start-2)
		copy(masked[sp.start:sp.end], `"`+fill+`"`)
	}
	return string(masked)
}

// huge appends the spans of such numbers in a value.
func (v *located) huge(text string, spans []span) []span {
	for i := range v.elems {
		spans = v.elems[i].huge(text, spans)
	}
	for i := range v.fields {
		spans = v.fields[i].value.huge(text, spans)
	}
	if v.form == formScalar && isHuge(text[v.start:v.end]) {
		spans = append(spans, v.span)
	}
	return spans
}
