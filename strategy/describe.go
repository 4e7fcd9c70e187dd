package strategy

import (
	"fmt"
	"slices"
	"strings"
)

// VersionTable is the table of releases as text: each behaviour, its values, and the releases that
// have them. A span "4.9.0 - 4.9.3" takes in every known release between its ends.
func VersionTable() string {
	var b strings.Builder
	for i := range behaviours {
		bh := &behaviours[i]
		b.WriteString(BehaviourLines(bh.key, func(release string) string {
			p, err := Lookup(release)
			if err != nil {
				panic(err) // a release of the table is in the table
			}
			return bh.get(&p)
		}))
	}
	return b.String()
}

// BehaviourLines are the lines of such a table for one behaviour, given its value in each release.
func BehaviourLines(key string, value func(release string) string) string {
	var b strings.Builder
	known := Releases()
	values, users := usersByValue(known, value)
	for _, v := range values {
		line := fmt.Sprintf("%-22s %s", key, v)
		spans := spans(known, users[v])
		if len(v) <= 18 {
			fmt.Fprintf(&b, "%-41s %s\n", line, spans)
		} else {
			fmt.Fprintf(&b, "%s\n%42s%s\n", line, "", spans)
		}
		key = ""
	}
	return b.String()
}

// usersByValue groups the releases by the value of a behaviour, values in order of appearance.
func usersByValue(
	known []string, value func(release string) string,
) (values []string, users map[string][]string) {
	users = map[string][]string{}
	for _, release := range known {
		v := value(release)
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
		users[v] = append(users[v], release)
	}
	return values, users
}

// spans folds neighbours into "first - last".
func spans(known, some []string) string {
	var out []string
	for i := 0; i < len(some); {
		j := i
		for j+1 < len(some) && slices.Index(known, some[j+1]) == slices.Index(known, some[j])+1 {
			j++
		}
		if i == j {
			out = append(out, some[i])
		} else {
			out = append(out, some[i]+" - "+some[j])
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}
