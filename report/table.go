package report

import "strings"

// cell is one value of a table; mark is a footnote mark that does not count for the alignment.
type cell struct {
	text, mark string
	ink        ink
}

// column is a column of a table: heading lines, and values aligned right unless left is set.
// Neighbours of one group stand under a common heading, which may be a blank, and are never torn apart.
type column struct {
	head  []string
	group string
	left  bool
	cells []cell

	width, markWidth int
}

// table is a row of labels and columns of values. One that is wider than the page becomes several
// tables below each other, each with the labels.
type table struct {
	stub []cell
	cols []*column
	// longest is the length of the longest label, longestLabel if 0. least is how short labels may be cut to
	// keep the table in one part; 0: they are not.
	longest, least int
}

// gapWidth is the space between columns.
const gapWidth = 2

// column adds a column with its heading lines.
func (t *table) column(head ...string) *column {
	c := &column{head: head}
	t.cols = append(t.cols, c)
	return c
}

// put adds a value to the column.
func (c *column) put(text string) { c.cells = append(c.cells, cell{text: text}) }

// Longest labels and headings; names beyond it are cut in the middle, for names that are alike
// often differ at their ends.
const (
	longestLabel = 32
	longestHead  = 24
	longestClass = 46 // an exception with the name of its code
)

// cut shortens labels and headings.
func (t *table) cut() {
	longest := t.longest
	if longest == 0 {
		longest = longestLabel
	}
	for i := range t.stub {
		t.stub[i].text = brief(t.stub[i].text, longest)
	}
	for _, c := range t.cols {
		for i, h := range c.head {
			c.head[i] = brief(h, longestHead)
		}
	}
}

// brief cuts the middle out of a text of more than so many columns.
func brief(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	front, back := most/2, (most-1)/2
	return string(r[:front]) + "…" + string(r[len(r)-back:])
}

// measure finds the width of the column.
func (c *column) measure() {
	for _, h := range c.head {
		c.width = max(c.width, runes(h))
	}
	for _, v := range c.cells {
		c.width = max(c.width, runes(v.text))
		c.markWidth = max(c.markWidth, runes(v.mark))
	}
}

// total is the space that the column takes on a line.
func (c *column) total() int { return gapWidth + c.width + c.markWidth }

// table writes t, in as many parts as the width of the page asks for.
func (p *page) table(t *table) {
	if p.blocks != nil {
		p.blocks.table(t)
		return
	}
	t.cut()
	for _, c := range t.cols {
		c.measure()
	}
	widenGroups(t.cols)
	stub := t.fitLabels(p.opt.width())
	for i, part := range split(t.cols, p.opt.width()-stub) {
		if i > 0 {
			p.gap()
		}
		p.tablePart(t.stub, stub, part)
	}
}

// fitLabels cuts labels that are too long for the page beside any of the columns, or beside all of them if
// that keeps the table in one part, and returns the width of the longest.
func (t *table) fitLabels(width int) int {
	const shortest = 8
	whole, widest := 0, 0
	for cols := t.cols; len(cols) > 0; {
		n, group := groupLen(cols), 0
		for _, c := range cols[:n] {
			group += c.total()
		}
		whole, widest, cols = whole+group, max(widest, group), cols[n:]
	}
	most := max(width-widest, shortest)
	switch room := width - whole; {
	case t.least == 0:
	case room >= t.least:
		most = room
	default:
		most = min(most, max(t.least, width/2-2*gapWidth)) // it takes several parts: let them be few
	}
	stub := 0
	for i := range t.stub {
		t.stub[i].text = brief(t.stub[i].text, most)
		stub = max(stub, runes(t.stub[i].text))
	}
	return stub
}

// widenGroups makes room for headings that are wider than the columns under them.
func widenGroups(cols []*column) {
	for i := 0; i < len(cols); {
		n := groupLen(cols[i:])
		have := -gapWidth
		for _, c := range cols[i : i+n] {
			have += c.total()
		}
		if lack := runes(cols[i].group) - have; lack > 0 {
			cols[i].width += lack
		}
		i += n
	}
}

// groupLen is the number of columns at the front that belong together.
func groupLen(cols []*column) int {
	n := 1
	for n < len(cols) && cols[0].group != "" && cols[n].group == cols[0].group {
		n++
	}
	return n
}

// split cuts columns into parts that fit a width, at least one group each.
func split(cols []*column, width int) [][]*column {
	var parts [][]*column
	used := 0
	for len(cols) > 0 {
		n := groupLen(cols)
		need := 0
		for _, c := range cols[:n] {
			need += c.total()
		}
		if len(parts) == 0 || used+need > width {
			parts = append(parts, nil)
			used = 0
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], cols[:n]...)
		used += need
		cols = cols[n:]
	}
	return parts
}

// tablePart writes headings and rows of some columns.
func (p *page) tablePart(stub []cell, stubWidth int, cols []*column) {
	lines := 0
	grouped := false
	for _, c := range cols {
		lines = max(lines, len(c.head))
		grouped = grouped || strings.TrimSpace(c.group) != ""
	}
	indent := strings.Repeat(" ", stubWidth)
	if grouped {
		p.line(p.paint(indent+groupLine(cols), bold))
	}
	for l := range lines {
		s := indent
		for _, c := range cols {
			head := ""
			if i := l - (lines - len(c.head)); i >= 0 {
				head = c.head[i]
			}
			s += c.lay(cell{text: head}, head)
		}
		k := bold
		if l > 0 || grouped {
			k = dim
		}
		p.line(p.paint(strings.TrimRight(s, " "), k))
	}
	for r, label := range stub {
		s := p.paint(label.text, label.ink) + strings.Repeat(" ", stubWidth-runes(label.text))
		for _, c := range cols {
			s += c.lay(c.cells[r], p.paint(c.cells[r].text, c.cells[r].ink))
		}
		p.line(s)
	}
}

// groupLine is the line of headings over groups, each at the right end of its columns.
func groupLine(cols []*column) string {
	s := ""
	for i := 0; i < len(cols); {
		n := groupLen(cols[i:])
		width := 0
		for _, c := range cols[i : i+n] {
			width += c.total()
		}
		mark := cols[i+n-1].markWidth
		s += pad(cols[i].group, width-mark, true) + strings.Repeat(" ", mark)
		i += n
	}
	return strings.TrimRight(s, " ")
}

// lay puts a value, already painted, in its place.
func (c *column) lay(v cell, painted string) string {
	fill := strings.Repeat(" ", c.width-runes(v.text))
	mark := pad(v.mark, c.markWidth, false)
	if c.left {
		return strings.Repeat(" ", gapWidth) + painted + mark + fill
	}
	return strings.Repeat(" ", gapWidth) + fill + painted + mark
}
