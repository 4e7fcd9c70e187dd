package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// columnsOfText is how wide lines of the page are, but for tables and commands.
const columnsOfText = 118

// thousands are where a number has a space, at which no line is to be broken.
var thousands = regexp.MustCompile(`((?:^|[^\pL\d.])\d{1,3}) (\d{3})\b`)

// filled breaks the paragraphs of a page anew: numbers that were filled in have made their lines uneven.
// Everything else stays as it is, but that numbers are kept together.
func filled(page string) string {
	const together = "${1}\u00a0${2}"
	page = thousands.ReplaceAllString(thousands.ReplaceAllString(page, together), together)
	var out, words []string
	flush := func() {
		line, width := "", 0
		for _, w := range words {
			n := utf8.RuneCountInString(w)
			if line != "" && width+1+n > columnsOfText {
				out, line, width = append(out, line), "", 0
			}
			if line != "" {
				line, width = line+" ", width+1
			}
			line, width = line+w, width+n
		}
		if line != "" {
			out = append(out, line)
		}
		words = nil
	}
	code := false
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code && line != "" && !strings.ContainsRune("|#<!-$ ", rune(line[0])) {
			words = append(words, strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })...)
			continue
		}
		flush()
		if line != "" || len(out) == 0 || out[len(out)-1] != "" {
			out = append(out, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}
