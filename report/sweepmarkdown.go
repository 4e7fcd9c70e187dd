package report

import (
	"io"
	"strings"

	"simrun/internal/result"
)

// SweepMarkdown writes what [SweepText] does as Markdown with tables, as GitHub reads them.
func SweepMarkdown(w io.Writer, s *result.Sweep) error {
	var m markdown
	m.paragraph("## " + escaped(strings.Join(append(sweepHead(s), seconds(s.DurationNS)+" each"), " · ")))
	m.paragraph(escaped(s.Story))
	if text := sweepLack(s); text != "" {
		m.paragraph("**" + escaped(text) + "**")
	}
	for _, b := range htmlOf("", func(p *page) { p.sweepBody(s) }) {
		if b.Table != nil {
			m.table(b.Table)
			continue
		}
		m.text(b.Text)
	}
	if words := FairCompare(s); words != nil {
		m.paragraph(escaped(upperFirst(fairWords(s))))
		m.paragraph("```sh\n" + strings.Join(words, " \\\n    ") + "\n```")
	}
	if text := fairLack(s); text != "" && FairCompare(s) == nil {
		m.paragraph(escaped(upperFirst(text) + "."))
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}
