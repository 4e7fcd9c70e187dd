package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"simrun/model/config"
	"simrun/strategy"
)

// client is a client library and its release.
type client struct {
	lib     config.Client
	release string
}

// Prefixes of a client's name.
const (
	javaPrefix = "java-"
	goPrefix   = "go-"
)

// String is the name that a scenario uses: "java-5.3.3".
func (c client) String() string {
	if c.lib == config.GoClient {
		return goPrefix + c.release
	}
	return javaPrefix + c.release
}

const clientWant = `a client in quotes, such as "java-5.3.3" or "go-2.1.2"`

// clientKind is a client library and its release.
var clientKind = kind{
	name: "client and release", want: clientWant,
	bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		s, ok := l.text(n, clientWant)
		if !ok {
			return nil, "", false
		}
		c, ok := l.client(n, s)
		return c, quote(c.String()), ok
	},
}

// client looks up a client by its name and reports one that is unknown.
func (l *loader) client(n *node, name string) (c client, ok bool) {
	if release, isGo := strings.CutPrefix(name, goPrefix); isGo {
		return l.goClient(n, name, release)
	}
	release, isJava := strings.CutPrefix(name, javaPrefix)
	if isJava {
		release, ok = l.release(n, release)
		return client{config.JavaClient, release}, ok
	}
	p := l.fail(n, "%s: %q is no client; it is written as \"java-5.3.3\" or \"go-2.1.2\"", n.path, name)
	if _, err := strategy.Lookup(name); err == nil {
		p.Hint = didYouMean(javaPrefix + name)
	} else if slices.Contains(strategy.GoReleases(), name) {
		p.Hint = didYouMean(goPrefix + name)
	}
	return c, false
}

func (l *loader) goClient(n *node, name, release string) (client, bool) {
	known := strategy.GoReleases()
	release = strings.TrimPrefix(release, "v")
	if slices.Contains(known, release) {
		return client{config.GoClient, release}, true
	}
	names := make([]string, len(known))
	for i := range known {
		names[i] = goPrefix + known[i]
	}
	p := l.fail(n, "%s: %q is not known; of the Go client there are %s", n.path, name, andList(names))
	if near := nearest(release, known); near != "" {
		p.Hint = didYouMean(goPrefix + near)
	}
	return client{}, false
}

// client is the client of a producer table; ok is false if it has none, or one that could not be read.
func (t *table) client() (c client, ok bool) {
	if v := t.vals["client"]; t.kind.name != tableProducer || v == nil || v.bad {
		return client{}, false
	}
	c = get[client](t, "client")
	return c, c.release != ""
}

// isGo says whether the table is a producer with the Go client.
func (t *table) isGo() bool {
	c, ok := t.client()
	return ok && c.lib == config.GoClient
}

// noGo is goSince of a setting that no release of the Go client has.
const noGo = "none"

// goLacks says why a setting cannot be given to a release of the Go client; "" if it can.
func goLacks(c client, since string) string {
	known := strategy.GoReleases()
	switch {
	case since == "":
		return ""
	case since == noGo:
		return fmt.Sprintf("client %v does not have it, it is a setting of the Java client", c)
	case slices.Index(known, c.release) < slices.Index(known, since):
		return fmt.Sprintf("client %v does not heed it, it came with %s%s", c, goPrefix, since)
	default:
		return ""
	}
}
