package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"simrun/model/releases"
)

// behaviours are those that a process of a kind can be given instead of its release's.
type behaviours struct {
	names func() []string
	// check says what is wrong with some of them.
	check func([]string) error
	// own are behaviours that have a key of their own.
	own     map[string]string
	example string
}

var (
	clientBehaviours = behaviours{
		names: releases.Clients.Behaviours, check: releases.Clients.Check,
		own: map[string]string{
			"latency_max": "latency_max", "not_available_duration": "not_available_duration",
		},
		example: "last_broker=must-differ",
	}
	brokerBehaviours = behaviours{
		names: releases.Brokers.Behaviours, check: releases.Brokers.Check,
		own: map[string]string{
			"send_threads": "send_message_thread_pool_nums", "flush": "flush_commit_log_timed",
		},
		example: "replica_wait=exact",
	}
	nameServerBehaviours = behaviours{
		names: releases.NameServers.Behaviours, check: releases.NameServers.Check, example: "scan=5s",
	}
)

// list is the kind of a list of them.
func (b behaviours) list() kind {
	want := fmt.Sprintf("a behaviour in quotes, such as %q", b.example)
	one := kind{
		name: "behaviour", want: want, bare: bareString,
		read: func(l *loader, n *node) (any, string, bool) {
			s, ok := l.text(n, want)
			if !ok {
				return nil, "", false
			}
			s, ok = b.read(l, n, s, want)
			return s, quote(s), ok
		},
	}
	return listOf[string](one, "list of behaviours", fmt.Sprintf("an array of behaviours, such as [%q]",
		b.example))
}

// read checks one behaviour, "name=value", and returns it without spaces.
func (b behaviours) read(l *loader, n *node, text, want string) (string, bool) {
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch key := b.own[name]; {
	case key != "":
		l.fail(n, "%s: %s has a key of its own", n.path, name).Hint = "write " + key + " = …"
		return "", false
	case !ok:
		l.fail(n, "%s must be %s; %q has no \"=\"", n.path, want, text)
		return "", false
	}
	err := b.check([]string{text})
	if err == nil {
		return name + "=" + value, true
	}
	p := l.fail(n, "%s: %s", n.path, strings.TrimPrefix(err.Error(), "strategy: "))
	names := b.names()
	if near := nearest(name, names); near != "" && !slices.Contains(names, name) {
		p.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return "", false
}
