package report

import (
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// producers says what each producer group does, where there are several or one does not do the usual:
// synchronous sends of single messages to one topic, by the client's choice of queues, as they come.
func (p *page) producers(s result.Setup) {
	several := len(s.Producers) > 1
	for _, g := range s.Producers {
		parts := groupWords(g, several)
		if len(parts) > 0 {
			p.wrapped("", g.Name+": "+strings.Join(parts, ", "), 2, dim)
		}
	}
	if s.Start != "" {
		p.wrapped("", "start: "+s.Start, 2, dim)
	}
	if len(s.ZoneLinks) > 0 {
		p.wrapped("", "between zones: "+listed(s.ZoneLinks, 6), 2, dim)
	}
}

// groupWords are what is worth telling of a group; several is true if it is not the only one.
func groupWords(g result.SetupProducer, several bool) []string {
	var parts []string
	if several {
		parts = append(parts, g.Client, strconv.Itoa(g.Count)+" × "+plural(int64(g.Threads), "thread"))
		if g.Rate > 0 {
			parts = append(parts, rateText(g.Rate))
		}
	}
	if g.Load != "" && g.Load != "Poisson" && (several || g.Rate > 0) {
		parts = append(parts, strings.TrimPrefix(g.Load, "Poisson, "))
	}
	if m := modeWords(g.Mode); m != "" {
		parts = append(parts, m)
	}
	if several {
		parts = append(parts, choiceWords(g))
	}
	if len(g.Topics) > 1 {
		var shares []string
		for _, t := range g.Topics {
			shares = append(shares, t.Name+" "+percent(t.Share, 0))
		}
		parts = append(parts, "to "+listed(shares, 6))
	}
	if g.Batch > 1 {
		parts = append(parts, "batches of "+strconv.Itoa(g.Batch))
	}
	if g.OnFailure != "" && g.OnFailure != "drop" {
		parts = append(parts, "on failure "+g.OnFailure)
	}
	return parts
}

// modeWords are a mode that is not synchronous.
func modeWords(mode string) string {
	switch mode {
	case "async":
		return "asynchronous"
	case "oneway":
		return "one-way"
	}
	return ""
}

// choiceWords say who picks the queues, and whether faulty brokers are avoided.
func choiceWords(g result.SetupProducer) string {
	switch g.Choice {
	case "queue":
		broker, id, _ := strings.Cut(g.Queue, ":")
		return "the caller picks " + broker + ", queue " + id
	case "hash":
		switch g.Keys {
		case 0:
			return "queue by hash of a key for each message"
		case 1:
			return "one key, global order"
		}
		return "queue by hash of " + count(int64(g.Keys)) + " keys"
	case "random":
		return "queue at random"
	case "machine-room":
		return "queue by machine room"
	}
	if strings.HasPrefix(g.Client, "go-") {
		return "the Go client's round robin"
	}
	if g.Avoidance {
		return g.Policy + ", avoidance on"
	}
	return g.Policy + ", avoidance off"
}

// loadWords are the rates of all groups together, and the loads of those that have none.
func loadWords(s result.Setup) []string {
	rate := 0.0
	var loads []string
	for _, g := range s.Producers {
		rate += g.Rate
		if g.Rate == 0 && !strings.HasPrefix(g.Load, "Poisson") && g.Load != "" {
			loads = append(loads, g.Load)
		}
	}
	if rate > 0 || len(loads) == 0 {
		loads = append([]string{rateText(rate)}, loads...)
	}
	return loads
}

// groups writes what came of the messages of each producer group, if there are several: all of them,
// and those of each fault.
func (p *page) groups(r *result.Run) {
	if len(r.Setup.Producers) < 2 {
		return
	}
	phases := slices.DeleteFunc(slices.Clone(reached(r)), func(ph result.Phase) bool {
		return ph.Name != result.PhaseAll && !ph.IsFault()
	})
	const mostPhases = 4
	if len(phases) > mostPhases {
		phases = slices.DeleteFunc(phases, func(ph result.Phase) bool { return ph.IsFault() })
	}
	p.gap()
	p.line(p.paint("producer groups", bold))
	p.table(p.groupTable(r, phases))
	p.wrapped("", "avoided: the time that an instance's fault table refuses brokers, added up over them, on "+
		"average", 0, dim)
	p.footnotes()
}

func (p *page) groupTable(r *result.Run, phases []result.Phase) *table {
	t := &table{}
	for _, ph := range phases {
		t.stub = append(t.stub, cell{text: ph.Name, ink: dim})
		for _, g := range r.Setup.Producers {
			t.stub = append(t.stub, cell{text: "  " + g.Name})
		}
	}
	column := func(of func(g result.SetupProducer, s result.Stats) cell, head ...string) {
		c := t.column(head...)
		for _, ph := range phases {
			c.cells = append(c.cells, cell{})
			for _, g := range r.Setup.Producers {
				c.cells = append(c.cells, of(g, groupStats(r, ph.Name, g.Name)))
			}
		}
	}
	plainly := func(of func(s result.Stats) cell, head ...string) {
		column(func(_ result.SetupProducer, s result.Stats) cell { return of(s) }, head...)
	}
	plainly(func(s result.Stats) cell { return cell{text: count(s.Messages)} }, "messages")
	plainly(successOf, "success")
	plainly(func(s result.Stats) cell { return counted(s.Failed, bad) }, "failed")
	plainly(func(s result.Stats) cell { return p.quantile(s.Latency, "p50", "messages") }, "p50")
	plainly(func(s result.Stats) cell { return p.quantile(s.Latency, "p99", "messages") }, "p99")
	plainly(perMessage, "attempts/", "message")
	column(func(g result.SetupProducer, s result.Stats) cell {
		switch {
		case !g.Avoidance:
			return cell{text: "off"}
		case s.AvoidedNS == nil || g.Count == 0:
			return cell{text: none}
		}
		return cell{text: span(*s.AvoidedNS / int64(g.Count))}
	}, "avoided")
	return t
}

// groupStats are the messages of a group in a phase.
func groupStats(r *result.Run, phase, group string) result.Stats {
	for _, s := range r.Stats {
		if s.Phase == phase && s.Dim == result.DimProducer && s.Name == group {
			return s
		}
	}
	return result.Stats{}
}
