package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mapCell is a cell of a heat map: the points that it stands for.
type mapCell struct {
	points []int
}

// heatMap is the layout of a heat map, or of several beside each other over a third axis.
type heatMap struct {
	sweep  *result.Sweep
	metric *result.SweepMetric
	scale  sweepScale
	names  []string // of the axes
	// cells are by panel, row and column; the first row is the lowest.
	cells  [][][]mapCell
	titles []string // of the panels
	titled bool
	best   int
	events *result.SweepEvents // that it is about, if it is not about a metric
	// fixed: the axes from the fourth on are as in the default; pooled: they take all their values.
	fixed, pooled bool

	columns       int // of panels
	left          vg.Length
	width, height vg.Length // of a cell
	lines         int       // of text in a cell: 2, 1 or 0
	xs, ys        []string
	// marks that are there, for the legend
	like, near, gaps, few, bestSeen, defaultSeen, misses, mostly bool
}

// Limits of heat maps.
const (
	mostMapPanels = 9
	mapRight      = 84
	mapGap        = 16
	mapLegend     = 16 // the left edge of the legend
	mapHead       = 14 // above a panel that has a title
	mapFoot       = 14 // labels below a panel
	mostMapHeight = 400
)

// SweepMap draws a metric over the first two axes of a grid, in panels over the third: the median as colour
// and number, its 95 % interval under it. It is nil if there are fewer axes, or the metric is the same
// everywhere.
func SweepMap(s *result.Sweep, metric int) *Figure {
	if len(s.Axes) < 2 || !isGrid(s) {
		return nil
	}
	m := &s.Metrics[metric]
	if same(m) {
		return nil
	}
	return newHeatMap(s, m).figure(Figure{
		Name: "sweep-" + sweepName(m), Title: upperFirst(sweepLabel(m)) + " at each setting",
		Caption: sweepCaption(s, m), Desc: "Heat map of the median of " + m.Addressed(),
	})
}

// SweepEventMap draws on what share of the seeds something happened that never should, over the first two
// axes of a grid. It is nil if there are fewer axes, or it is the same everywhere.
func SweepEventMap(s *result.Sweep, event int) *Figure {
	if len(s.Axes) < 2 || !isGrid(s) {
		return nil
	}
	e := &s.Events[event]
	m := eventMetric(e)
	if same(m) {
		return nil
	}
	h := newHeatMap(s, m)
	h.events, h.best = e, -1
	return h.figure(Figure{
		Name:    notInNames.ReplaceAllString("sweep-seeds-with-"+e.Name, "-"),
		Title:   "On how many seeds: " + eventText(e.Name),
		Caption: eventCaption(s, e), Desc: "Heat map of the share of seeds with any " + e.Name,
	})
}

// eventMetric is the share of seeds with an event as if it were a metric.
func eventMetric(e *result.SweepEvents) *result.SweepMetric {
	m := &result.SweepMetric{Metric: e.Name, Unit: result.UnitRatio, Better: result.LowerIsBetter}
	for _, p := range e.Points {
		c := result.SweepCell{Median: result.SeedValue(math.NaN())}
		if n := len(p.Counts); n > 0 {
			c.Median = result.SeedValue(float64(p.Seeds) / float64(n))
		}
		if p.Low != nil && p.High != nil {
			lo, hi := result.SeedValue(*p.Low), result.SeedValue(*p.High)
			c.Low, c.High = &lo, &hi
		}
		m.Cells = append(m.Cells, c)
	}
	return m
}

func newHeatMap(s *result.Sweep, m *result.SweepMetric) *heatMap {
	return &heatMap{
		sweep: s, metric: m, names: axisNames(s), best: bestPoint(s, m),
		scale: newColourScale(m.Unit, medians(m)),
	}
}

// figure lays the map out.
func (h *heatMap) figure(f Figure) *Figure {
	s := h.sweep
	h.gather()
	if len(h.cells) > mostMapPanels {
		h.cells, h.titles = h.cells[:mostMapPanels], h.titles[:mostMapPanels]
	}
	h.measure()
	h.look()
	foot := h.legend()
	f.Desc += " over " + strings.Join(h.names, ", ") + "."
	return sweepSheet(s, f, h.total()+legendHeight(foot), func(c draw.Canvas, top vg.Length) {
		h.draw(c, top)
		flowLegend(c, foot, mapLegend, c.Min.Y+legendHeight(foot)-4)
	})
}

// gather sorts the points into cells.
func (h *heatMap) gather() {
	s := h.sweep
	nx, ny, nz := len(s.Axes[0].Levels), len(s.Axes[1].Levels), 1
	if len(s.Axes) > 2 {
		nz = len(s.Axes[2].Levels)
	}
	const rest = 3 // the first axis that has no direction of its own
	h.fixed = len(s.Axes) > rest && s.Default >= 0
	for a := rest; a < len(s.Axes) && h.fixed; a++ {
		h.fixed = levelOf(s, s.Default, a) >= 0
	}
	h.pooled = len(s.Axes) > rest && !h.fixed
	h.cells = make([][][]mapCell, nz)
	for z := range h.cells {
		h.cells[z] = make([][]mapCell, ny)
		for y := range h.cells[z] {
			h.cells[z][y] = make([]mapCell, nx)
		}
		title := ""
		if nz > 1 || len(s.Axes) > 2 {
			title = h.names[2] + " = " + axisValue(s, 2, s.Axes[2].Levels[z])
		}
		h.titles = append(h.titles, title)
	}
	for i := range s.Points {
		if h.fixed && !slices.Equal(s.Points[i].Values[rest:], s.Points[s.Default].Values[rest:]) {
			continue
		}
		x, y, z := levelOf(s, i, 0), levelOf(s, i, 1), 0
		if len(s.Axes) > 2 {
			z = levelOf(s, i, 2)
		}
		if x >= 0 && y >= 0 && z >= 0 && !missing(h.metric, i) {
			c := &h.cells[z][y][x]
			c.points = append(c.points, i)
		}
	}
}

// value is the median of a cell; of several points the median of their medians.
func (h *heatMap) value(c mapCell) float64 {
	values := make([]float64, len(c.points))
	for i, p := range c.points {
		values[i] = float64(h.metric.Cells[p].Median)
	}
	_, median, _, _ := spread3(values)
	return median
}

// text is the first line of a cell.
func (h *heatMap) text(c mapCell) string {
	if h.events == nil || len(c.points) != 1 {
		return sweepValue(h.metric.Unit, h.value(c))
	}
	e := &h.events.Points[c.points[0]]
	return count(int64(e.Seeds)) + " of " + count(int64(len(e.Counts)))
}

// sure is the second line of a cell: the interval of one point, the range of the medians of several.
func (h *heatMap) sure(c mapCell) string {
	if len(c.points) == 1 {
		lo, hi, _, ok := certainty(&h.metric.Cells[c.points[0]])
		if !ok {
			return ""
		}
		return sweepRange(h.metric.Unit, lo, hi)
	}
	values := make([]float64, len(c.points))
	for i, p := range c.points {
		values[i] = float64(h.metric.Cells[p].Median)
	}
	lo, _, hi, n := spread3(values)
	if n == 0 {
		return ""
	}
	return sweepRange(h.metric.Unit, lo, hi)
}

// Styles of the text in cells.
func mapStyles(ink colour) (median, interval draw.TextStyle) {
	median, interval = textStyle(panelSize, true, ink), textStyle(labelSize, false, ink)
	median.XAlign, interval.XAlign = draw.XCenter, draw.XCenter
	return median, interval
}

// measure fits cells and their texts into the figure.
func (h *heatMap) measure() {
	s := h.sweep
	label := textStyle(labelSize, false, textInk)
	const longest, air = 110, 8
	h.ys = levelTexts(s.Axes[1], label, longest)
	h.left = max(leftMargin, widest(label, h.ys)+air+4)
	nx, ny := len(s.Axes[0].Levels), len(s.Axes[1].Levels)
	h.titled = slices.ContainsFunc(h.titles, func(t string) bool { return t != "" })
	// As many panels beside each other as leave room for both lines of text.
	const most = 3
	for h.columns = min(len(h.cells), most); ; h.columns-- {
		h.fit(nx, ny)
		if h.lines == 2 || h.columns == 1 {
			break
		}
	}
	if h.lines < 2 {
		h.columns = min(len(h.cells), most)
		h.fit(nx, ny)
	}
	h.xs = levelTexts(s.Axes[0], label, h.width-3)
	// Labels that are cut to nothing are worse than fewer of them.
	if every := h.every(); every > 1 {
		h.xs = levelTexts(s.Axes[0], label, h.width*vg.Length(every)-3)
		for i := range h.xs {
			if i%every > 0 {
				h.xs[i] = ""
			}
		}
	}
	if every := h.everyRow(); every > 1 {
		for i := range h.ys {
			if i%every > 0 {
				h.ys[i] = ""
			}
		}
	}
}

// fit finds the size of cells, and how much text they have room for, with so many panels beside each other.
func (h *heatMap) fit(nx, ny int) {
	room := figureWidth - h.left - mapRight - vg.Length(h.columns-1)*mapGap
	const widestCell, tall, flat, inset = 92, 32, 15, 6
	h.width = min(room/vg.Length(h.columns*nx), widestCell)
	median, sure := h.textWidths()
	const mostRows = 24 // of all panels
	panels := (len(h.cells) + h.columns - 1) / h.columns
	h.lines, h.height = 0, tall
	switch {
	case max(median, sure)+inset <= h.width && ny*tall <= mostMapHeight && panels*ny <= mostRows:
		h.lines = 2
	case median+inset <= h.width && ny*flat <= mostMapHeight:
		h.lines, h.height = 1, max(flat, min(24, h.width*0.6))
	default:
		h.height = max(h.width*0.7, 6)
	}
	if h.lines < 2 {
		h.height = min(h.height, vg.Length(mostMapHeight)/vg.Length(ny))
	}
}

// textWidths are those of the widest texts in cells.
func (h *heatMap) textWidths() (median, sure vg.Length) {
	big, small := mapStyles(mapDark)
	for _, panel := range h.cells {
		for _, row := range panel {
			for _, c := range row {
				median = max(median, big.Width(h.text(c)))
				sure = max(sure, small.Width(h.sure(c)))
			}
		}
	}
	return median, sure
}

// head is the height of the titles of panels.
func (h *heatMap) head() vg.Length {
	if h.titled {
		return mapHead
	}
	return 2
}

// every is how many columns share a label: each has its own if the labels fit.
func (h *heatMap) every() int {
	label := textStyle(labelSize, false, textInk)
	const narrow = 26
	need := vg.Length(0)
	for _, l := range h.sweep.Axes[0].Levels {
		need = max(need, min(label.Width(levelWords(l)), narrow))
	}
	return int(math.Ceil(float64((need + 3) / h.width)))
}

// everyRow is how many rows share a label.
func (h *heatMap) everyRow() int {
	const row = 10
	return int(math.Ceil(float64(row / h.height)))
}

// look finds which marks there are.
func (h *heatMap) look() {
	for _, panel := range h.cells {
		for _, row := range panel {
			for _, c := range row {
				h.gaps = h.gaps || len(c.points) == 0
				if len(c.points) != 1 {
					continue
				}
				p := c.points[0]
				h.bestSeen = h.bestSeen || p == h.best
				h.defaultSeen = h.defaultSeen || p == h.sweep.Default
				h.like = h.like || likeDefault(h.sweep, h.metric, p)
				h.near = h.near || likeBest(h.sweep, h.metric, h.best, p)
				h.misses = h.misses || h.sweep.Misses(p) && !h.sweep.MostlyMisses(p)
				h.mostly = h.mostly || h.sweep.MostlyMisses(p)
				h.few = h.few || h.metric.Cells[p].Low == nil
			}
		}
	}
}

// panelHeight is that of a panel with its title and its labels.
func (h *heatMap) panelHeight() vg.Length {
	return h.head() + vg.Length(len(h.ys))*h.height + mapFoot
}

// total is the height of all panels with the name of the x axis.
func (h *heatMap) total() vg.Length {
	rows := (len(h.cells) + h.columns - 1) / h.columns
	const axis, bar = 14, 84 // the least that the bar of colours needs
	return max(vg.Length(rows)*h.panelHeight()+vg.Length(rows-1)*6+axis+12, bar+h.head())
}
