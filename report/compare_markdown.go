package report

import (
	"io"
	"strings"

	"simrun/internal/result"
)

// CompareMarkdown writes what [CompareText] does as Markdown with tables, as GitHub reads them.
func CompareMarkdown(w io.Writer, c *result.Comparison) error {
	var m markdown
	m.title(c)
	for _, b := range htmlOf("", func(p *page) { p.comparedBody(c) }) {
		if b.Table != nil {
			m.table(b.Table)
			continue
		}
		m.text(b.Text)
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// markdown collects a document.
type markdown struct{ b strings.Builder }

// paragraph writes a block and an empty line after it.
func (m *markdown) paragraph(text string) {
	if text != "" {
		m.b.WriteString(text + "\n\n")
	}
}

// title says what is compared: the heading, and a list of the variants.
func (m *markdown) title(c *result.Comparison) {
	m.paragraph("## " + escaped(strings.Join(comparedHead(c), " · ")))
	m.paragraph(escaped(c.Story))
	if text := comparedMissing(c); text != "" {
		m.paragraph("**" + text + "**")
	}
	for i, v := range c.Variants {
		words := append(variantWords(c, i), v.Notes...)
		m.b.WriteString("- **" + escaped(v.Name) + "**: " + escaped(strings.Join(words, "; ")) + "\n")
	}
	m.b.WriteByte('\n')
}

// text writes a line: a heading if all of it is bold.
func (m *markdown) text(t inkedText) {
	line := escaped(strings.TrimSpace(t.String()))
	if len(t) == 1 && t[0].Class == inkClass(bold) {
		line = "### " + line
	}
	m.paragraph(line)
}

// table writes a table under its caption.
func (m *markdown) table(t *htmlTable) {
	for _, c := range t.Caption {
		if text := strings.TrimSpace(c.String()); text != "" {
			m.paragraph("### " + escaped(text))
		}
	}
	head, rule := "| |", "|---|"
	for i, h := range t.Heads {
		head += " " + escaped(strings.TrimPrefix(t.groupOf(i)+", "+h.Text, ", ")) + " |"
		if h.Left {
			rule += "---|"
		} else {
			rule += "---:|"
		}
	}
	m.b.WriteString(head + "\n" + rule + "\n")
	for _, r := range t.Rows {
		label := escaped(r.Label)
		if r.Heading {
			label = "**" + label + "**"
		}
		line := "| " + label + " |"
		for _, c := range r.Cells {
			line += " " + escaped(strings.TrimSpace(c.Text+c.Mark)) + " |"
		}
		m.b.WriteString(line + "\n")
	}
	m.b.WriteByte('\n')
}

// escaped is a text in which nothing means anything to Markdown.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`",
		"[", `\[`).Replace(s)
}
