package report

import (
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
