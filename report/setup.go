package report

import (
	"strconv"
	"strings"

	"simrun/internal/result"
)

// policyWords says who picks the queues and whether faulty brokers are avoided; producer groups
// that differ are told apart by name.
func policyWords(s result.Setup) string {
	var words, named []string
	for _, p := range s.Producers {
		w := choiceWords(p)
		words = append(words, w)
		named = append(named, p.Name+": "+w)
	}
	if distinct(words) <= 1 {
		return strings.Join(words[:min(1, len(words))], "")
	}
	return strings.Join(named, "; ")
}

// captionWords are policyWords, if there is room for them in a caption.
func captionWords(s result.Setup) string {
	const room = 60
	if words := policyWords(s); runes(words) <= room {
		return words
	}
	return plural(int64(len(s.Producers)), "producer group")
}

// headWords are policyWords for a heading under which each of several groups has a line of its own.
func headWords(s result.Setup) string {
	if len(s.Producers) > 1 {
		return ""
	}
	return policyWords(s)
}

// worldWords describes the world in a few parts: sizes and rates.
func worldWords(s result.Setup) []string {
	instances := 0
	var clients, queues []string
	for _, p := range s.Producers {
		instances += p.Count
		clients = append(clients, p.Client)
	}
	for _, t := range s.Topics {
		queues = append(queues, strconv.Itoa(t.WriteQueueNums))
	}
	parts := []string{plural(int64(len(s.Brokers)), "broker")}
	if distinct(queues) == 1 {
		parts[0] += " × " + plural(int64(s.Topics[0].WriteQueueNums), "queue")
	}
	if len(s.Topics) > 1 {
		parts = append(parts, plural(int64(len(s.Topics)), "topic"))
	}
	parts = append(parts, plural(int64(instances), "producer"), join(clients, "/"))
	return append(parts, loadWords(s)...)
}

// answered is the number of messages whose caller was told something.
func answered(s result.Stats) int64 { return s.Answered() }

// targetWords lists what a fault strikes; a long list is cut.
func targetWords(f result.Fault) string {
	names := make([]string, len(f.Targets))
	for i, t := range f.Targets {
		names[i] = brief(t, longestLabel)
	}
	words := listed(names, 6)
	if len(f.To) > 0 {
		words += toWord(f.Kind) + listed(f.To, 4)
	}
	return words
}

// toWord joins the two sides of a fault.
func toWord(kind string) string {
	switch kind {
	case "partition":
		return " from "
	case "wipe-write-perm":
		return " on "
	}
	return " to "
}

// listed joins names, and counts those beyond the first few.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	rest := count(int64(len(names) - most))
	return strings.Join(names[:most], ", ") + " and " + rest + " more"
}

// distinct counts the different texts.
func distinct(s []string) int {
	seen := make(map[string]bool, len(s))
	for _, x := range s {
		seen[x] = true
	}
	return len(seen)
}

// join puts sep between the different texts, in the order of their first appearance.
func join(s []string, sep string) string {
	var out []string
	seen := make(map[string]bool, len(s))
	for _, x := range s {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return strings.Join(out, sep)
}

// plural is a count with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
