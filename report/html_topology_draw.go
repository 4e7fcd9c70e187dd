package report

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Where things are in the drawing of the topology.
const (
	topologyWidth = 960
	groupWidth    = 216 // a producer group
	groupHeight   = 66
	brokersLeft   = 304
	brokersWidth  = topologyWidth - brokersLeft
	cardColumns   = 4
	cardGap       = 12
	cardWidth     = (brokersWidth - (cardColumns-1)*cardGap) / cardColumns
	cardHeight    = 96
	chipColumns   = 8
	chipGap       = 8
	chipWidth     = (brokersWidth - (chipColumns-1)*chipGap) / chipColumns
	chipHeight    = 26
	mostCards     = 12 // brokers beyond it are chips
	mostChips     = 64 // and beyond that a number
	mostGroups    = 6
	mostServers   = 8
	badgeRadius   = 8
	nameText      = 13
	smallText     = 11
)

// topologyDrawing is an SVG in the making.
type topologyDrawing struct {
	*topology
	b strings.Builder
}

func (d *topologyDrawing) draw() string {
	left := d.producers(24)
	servers := d.servers(24)
	brokersTop := servers + 30
	d.label(brokersLeft, brokersTop-8, d.brokersHead())
	bottom := d.brokers(brokersTop)
	d.wires(left, brokersTop, bottom)
	height := max(left, bottom, brokersTop) + 4
	return fmt.Sprintf(`<svg class="topology" role="img" aria-labelledby="topology-title topology-desc" `+
		`viewBox="-1 0 %d %d"><title id="topology-title">Topology</title><desc id="topology-desc">%s</desc>`,
		topologyWidth+2, height, html.EscapeString(d.describe())) + d.b.String() + "</svg>"
}

// text writes a line that is cut to a width.
func (d *topologyDrawing) text(x, y int, class, s string, width int) {
	size, bold := vg.Length(smallText), false
	if class == "name" {
		size, bold = nameText, true
	}
	s = squeeze(textStyle(size, bold, black), s, vg.Length(width))
	fmt.Fprintf(&d.b, `<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, html.EscapeString(s))
}

// squeeze cuts the middle out of a text that is wider than a width: names often differ at their ends.
func squeeze(sty draw.TextStyle, text string, width vg.Length) string {
	r := []rune(text)
	for most := len(r) - 1; sty.Width(text) > width && most > 1; most-- {
		text = brief(string(r), most)
	}
	return text
}

func (d *topologyDrawing) label(x, y int, s string) { d.text(x, y, "small", s, brokersWidth) }

func (d *topologyDrawing) box(x, y, w, h int, m marks) {
	class := "box"
	if len(m.struck) > 0 {
		class = "box struck"
	}
	fmt.Fprintf(&d.b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4" />`, class, x, y, w, h)
}

// badges draws the numbers of faults from right to left and returns the room that they took.
func (d *topologyDrawing) badges(right, y int, m marks) int {
	const most, step = 3, 2*badgeRadius + 3
	type badge struct{ class, text string }
	var list []badge
	for _, i := range m.struck {
		list = append(list, badge{"badge-mark", faultMark(i)})
	}
	for _, i := range m.other {
		list = append(list, badge{"badge-mark hollow", faultMark(i)})
	}
	if len(list) > most {
		more := "+" + strconv.Itoa(len(list)-most+1)
		list = append(list[:most-1:most-1], badge{"badge-mark hollow", more})
	}
	for i, b := range list {
		x := right - badgeRadius - (len(list)-1-i)*step
		fmt.Fprintf(&d.b, `<circle class="%s" cx="%d" cy="%d" r="%d" /><text class="%s" x="%d" y="%d">%s</text>`,
			b.class, x, y, badgeRadius, b.class, x, y+4, b.text)
	}
	return len(list) * step
}

// producers draws the producer groups and returns where they end.
func (d *topologyDrawing) producers(y int) int {
	d.label(0, y-10, "producers")
	groups := d.run.Setup.Producers
	shown := groups
	if len(groups) > mostGroups {
		shown = groups[:mostGroups-1]
	}
	const pad = 12
	for _, g := range shown {
		m := d.marksOf(instances(g)...)
		d.box(0, y, groupWidth, groupHeight, m)
		taken := d.badges(groupWidth-6, y+16, m)
		d.text(pad, y+21, "name", g.Name+" × "+count(int64(g.Count)), groupWidth-2*pad-taken)
		d.text(pad, y+39, "small", g.Client+", "+plural(int64(g.Threads), "thread"), groupWidth-2*pad)
		d.text(pad, y+55, "small", groupLoad(g), groupWidth-2*pad)
		y += groupHeight + cardGap
	}
	if rest := groups[len(shown):]; len(rest) > 0 {
		n := 0
		var processes []string
		for _, g := range rest {
			n += g.Count
			processes = append(processes, instances(g)...)
		}
		m := d.marksOf(processes...)
		d.box(0, y, groupWidth, groupHeight, m)
		taken := d.badges(groupWidth-6, y+16, m)
		d.text(pad, y+21, "name", count(int64(len(rest)))+" more groups", groupWidth-2*pad-taken)
		d.text(pad, y+39, "small", plural(int64(n), "instance"), groupWidth-2*pad)
		y += groupHeight + cardGap
	}
	return y - cardGap
}

// groupLoad is what a group sends and whether it avoids brokers.
func groupLoad(g result.SetupProducer) string {
	load := g.Load
	if g.Rate > 0 {
		load = rateText(g.Rate)
	}
	return load + ", " + strings.TrimPrefix(choiceWords(g), g.Policy+", ")
}

// servers draws the name servers and returns where they end.
func (d *topologyDrawing) servers(y int) int {
	d.label(brokersLeft, y-10, "name servers")
	names := d.run.Setup.NameServers
	shown := names[:min(len(names), mostServers)]
	x := brokersLeft
	for _, n := range shown {
		m := d.marksOf("name_server:" + n)
		d.box(x, y, chipWidth, chipHeight, m)
		taken := d.badges(x+chipWidth-4, y+chipHeight/2, m.first())
		d.text(x+8, y+17, "small ink", n, chipWidth-14-taken)
		x += chipWidth + chipGap
	}
	if more := len(names) - len(shown); more > 0 {
		d.label(brokersLeft, y+chipHeight+14, "and "+count(int64(more))+" more")
		y += 18
	}
	return y + chipHeight
}

// brokersHead says how many brokers there are, and if they are chips what they have in common.
func (d *topologyDrawing) brokersHead() string {
	brokers := d.run.Setup.Brokers
	if len(brokers) <= mostCards {
		return "brokers"
	}
	var kinds []result.Count
	for _, b := range brokers {
		words := safetyWords(b)
		kinds = addCount(kinds, result.Count{
			Name: plural(int64(b.Slaves), "slave") + ", " + words[0] + ", " + words[1], N: 1,
		})
	}
	head := count(int64(len(brokers))) + " brokers"
	if len(kinds) == 1 {
		return head + ", each with " + kinds[0].Name
	}
	var parts []string
	for _, k := range kinds {
		parts = append(parts, count(k.N)+" with "+k.Name)
	}
	return head + ": " + listed(parts, 3)
}

// brokers draws the brokers, by zone if there are zones, and returns where they end.
func (d *topologyDrawing) brokers(y int) int {
	chips := len(d.run.Setup.Brokers) > mostCards
	for _, g := range d.zoneGroups() {
		if g.name != "" {
			head := "zone " + g.name
			if len(g.also) > 0 {
				head += ", with " + listed(g.also, 6)
			}
			fmt.Fprintf(&d.b, `<path class="zone" d="M%d %dh%d" />`, brokersLeft, y, brokersWidth)
			d.label(brokersLeft, y+16, head)
			y += 26
		}
		if chips {
			y = d.chips(y, g.brokers)
		} else {
			y = d.cards(y, g.brokers)
		}
	}
	return y - cardGap
}

// cards draws brokers with their processes, and returns where the next row would be.
func (d *topologyDrawing) cards(y int, brokers []result.SetupBroker) int {
	for i, b := range brokers {
		x := brokersLeft + i%cardColumns*(cardWidth+cardGap)
		top := y + i/cardColumns*(cardHeight+cardGap)
		d.card(x, top, b)
	}
	rows := (len(brokers) + cardColumns - 1) / cardColumns
	return y + rows*(cardHeight+cardGap)
}

func (d *topologyDrawing) card(x, y int, b result.SetupBroker) {
	const pad, line = 10, 15
	d.box(x, y, cardWidth, cardHeight, marks{})
	taken := d.badges(x+cardWidth-6, y+16, d.marksOf(replicas(b)...))
	d.text(x+pad, y+21, "name", b.Name, cardWidth-2*pad-taken)
	processes := replicas(b)
	const height, gap = 20, 6
	width := (cardWidth - 2*pad - gap) / 2
	d.process(x+pad, y+32, width, height, "master", d.marksOf(processes[0]))
	if b.Slaves > 0 {
		words := "slave"
		if b.Slaves > 1 {
			words = strconv.Itoa(b.Slaves) + " slaves"
		}
		d.process(x+pad+width+gap, y+32, width, height, words, d.marksOf(processes[1:]...))
	}
	for i, words := range safetyWords(b) {
		d.text(x+pad, y+70+i*line, "small", words, cardWidth-2*pad)
	}
}

func (d *topologyDrawing) process(x, y, w, h int, name string, m marks) {
	class := "process"
	if len(m.struck) > 0 {
		class = "process struck"
	}
	fmt.Fprintf(&d.b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="3" />`, class, x, y, w, h)
	d.text(x+7, y+14, "small ink", name, w-10)
}

// chips draws brokers by their names only, those that faults strike first if there are too many.
func (d *topologyDrawing) chips(y int, brokers []result.SetupBroker) int {
	shown := brokers
	if len(brokers) > mostChips {
		shown = slices.Clone(brokers)
		slices.SortStableFunc(shown, func(a, b result.SetupBroker) int {
			x, y := d.marksOf(replicas(a)...).none(), d.marksOf(replicas(b)...).none()
			switch {
			case x == y:
				return 0
			case y:
				return -1
			}
			return 1
		})
		shown = shown[:mostChips-1]
	}
	place := func(i int) (int, int) {
		return brokersLeft + i%chipColumns*(chipWidth+chipGap), y + i/chipColumns*(chipHeight+chipGap)
	}
	for i, b := range shown {
		x, top := place(i)
		m := d.marksOf(replicas(b)...)
		d.box(x, top, chipWidth, chipHeight, m)
		taken := d.badges(x+chipWidth-4, top+chipHeight/2, m.first())
		d.text(x+7, top+17, "small ink", b.Name, chipWidth-12-taken)
	}
	n := len(shown)
	if more := len(brokers) - n; more > 0 {
		x, top := place(n)
		d.text(x+7, top+17, "small", "+"+count(int64(more))+" more", chipWidth-10)
		n++
	}
	return y + (n+chipColumns-1)/chipColumns*(chipHeight+chipGap) - chipGap + cardGap
}

// wires draws who talks to whom: the producers ask the name servers for routes and send to the brokers.
func (d *topologyDrawing) wires(left, top, bottom int) {
	const bus, ask = (groupWidth + brokersLeft) / 2, 24 + chipHeight/2
	if len(d.run.Setup.Producers) == 0 {
		return
	}
	send := min(max(top+30, 24+groupHeight/2), bottom)
	first, last := 24+groupHeight/2+16, 24+groupHeight/2+16
	for y := first; y < left; y += groupHeight + cardGap {
		fmt.Fprintf(&d.b, `<path class="wire" d="M%d %dH%d" />`, groupWidth, y, bus)
		last = y
	}
	fmt.Fprintf(&d.b, `<path class="wire" d="M%d %dV%d" />`, bus, min(first, send), max(last, send))
	fmt.Fprintf(&d.b, `<path class="wire" d="M%d %dH%d" />`, bus, send, brokersLeft-4)
	fmt.Fprintf(&d.b, `<path class="tip" d="M%d %dl-7 -4v8z" />`, brokersLeft-3, send)
	d.text(bus+6, send-7, "small", "send", brokersLeft-bus-8)
	fmt.Fprintf(&d.b, `<path class="wire ask" d="M%d %dH%d" />`, groupWidth, ask, brokersLeft-4)
	fmt.Fprintf(&d.b, `<path class="tip" d="M%d %dl-7 -4v8z" />`, brokersLeft-3, ask)
	d.text(groupWidth+8, ask-7, "small", "ask for routes", brokersLeft-groupWidth-10)
}
