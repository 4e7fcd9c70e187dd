package scenarios

import (
	"slices"

	"simrun/model/config"
)

// producerKeys are what the group is, what it sends and when, and how its client is set.
var producerKeys = slices.Concat(groupKeys, loadKeys, messageKeys, clientKeys, retryKeys, avoidanceKeys,
	remotingKeys)

var groupKeys = []key{
	{
		name: "client", kind: clientKind, defDoc: "`java-` and `release` of the top level",
		defaults: func(l *loader, _ *table) string { return quote(javaPrefix + l.release0()) },
		doc:      "Client library and its release: `\"java-5.3.3\"`, `\"go-2.1.2\"`.",
	},
	{
		name: "count", kind: whole(1, 100_000), def: "1",
		doc: "Producer instances, 1 to 100000; each has its own fault table, clock and connections.",
	},
	{
		name: "threads", kind: whole(1, 4096), def: "32",
		doc: "Application threads of an instance, 1 to 4096. A synchronous send holds one until its " +
			"answer; a message waits for a free one, and its latency counts from the intended time.",
	},
	{
		name: "mode", kind: enum(config.SendModes()), def: `"sync"`,
		doc: "How `send` is called: `sync`: a thread waits for the answer; `async`: a callback gets it; " +
			"`oneway`: nobody asks for one, and handed to the socket is success to the caller.",
	},
	{
		name: "queue_choice", kind: enum(config.QueueChoices()), def: `"policy"`,
		doc: "Who picks the queue: `policy`: the client, `send(message)`; `queue`: the caller, " +
			"`send(message, queue)`; `hash`: a selector by the hash of the message's key; `random`: a selector " +
			"at random; `machine-room`: a selector that prefers brokers in the producer's zone (RocketMQ's own " +
			"of that name returns null in every release). All but `policy` ask no fault table and never go to " +
			"another queue.",
	},
	{
		name: "queue", kind: queueKind, required: true, unfit: onlyChoice("queue"),
		doc: "The queue of `queue_choice = \"queue\"`, such as `{ broker = \"a\", id = 2 }`.",
	},
	{
		name: "keys", kind: whole(1, 1_000_000_000), defDoc: "a key of its own for each message",
		unfit: onlyChoice("hash"),
		doc: "How many ordering keys there are, each as likely as another; with `1` all messages go to one " +
			"queue: global order.",
	},
}

// onlyChoice says why a key has no meaning for the way in which the queue is chosen.
func onlyChoice(name string) func(*table) string {
	return func(t *table) string {
		v := t.vals["queue_choice"]
		if v.bad || v.v == nil || config.QueueChoices()[v.v.(int)] == name {
			return ""
		}
		return "it is for queue_choice = " + quote(name)
	}
}

var messageKeys = []key{
	{
		name: "topic", kind: topicKind, defaults: onlyTopic, defDoc: "the only topic",
		required: true,
		doc:      "Topic it sends to, or a list of topics.",
	},
	{
		name: "topic_weights", kind: weightsKind, defDoc: "all alike", unfit: oneTopic,
		doc: "Shares of the topics in a list, relative to each other, such as `[3, 1]`.",
	},
	{
		name: "message_size", kind: sizeSampler, def: `"1KiB"`,
		doc: "Bytes that a message takes in the commit log, `\"1B\"` to `\"64MiB\"`.",
	},
	{
		name: "batch", kind: whole(1, 10_000), def: "1", since: "4.1.0", fixed: true, unfit: noBatch,
		doc: "Messages that one send carries, `send(Collection)`; `rate` still counts messages. Without a " +
			"queue selector, and not one-way; asynchronous since 4.8.0.",
	},
	{
		name: "policy", kind: enum(policies), def: `"rocketmq"`,
		doc: "Rule that picks queues: `rocketmq` is the client's own, the others are baselines to " +
			"compare it with, not what RocketMQ does.",
	},
	{
		name: "behaviours", kind: clientBehaviours.list(), defDoc: "the release's", goSince: noGo,
		doc: "Named behaviours of the client that differ from its release's, each `\"name=value\"`; " +
			"the package documentation of `strategy` has the names and what each release does. " +
			"No RocketMQ is like that: it is for asking which of its rules matters.",
	},
}

// topicKind is a name or a list of names.
var topicKind = kind{
	name: "name, or list of names", want: `a name in quotes, or an array of names`, bare: bareList,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeArray {
			s, ok := l.text(n, `a name in quotes, or an array of names`)
			return []string{s}, quote(s), ok
		}
		v, text, ok := nameListKind.read(l, n)
		switch {
		case !ok:
			return nil, "", false
		case len(n.elems) == 0:
			l.fail(n, "%s names nothing", n.path)
			return nil, "", false
		case len(n.elems) == 1:
			return v, quote(v.([]string)[0]), true
		}
		return v, text, true
	},
}

var weightsKind = listOf[float64](weightKind, "list of numbers", "an array of numbers, such as [3, 1]")

// weightKind is a number above 0.
var weightKind = func() kind {
	k := floatKind
	k.read = func(l *loader, n *node) (any, string, bool) {
		v, text, ok := floatKind.read(l, n)
		if ok && (v.(float64) <= 0 || v.(float64) > 1e9) {
			l.fail(n, "%s is %s; a weight is above 0 and at most 1e9", n.path, text)
			ok = false
		}
		return v, text, ok
	}
	return k
}()

func oneTopic(t *table) string {
	if v := t.vals["topic"]; !v.bad && v.v != nil && len(v.v.([]string)) == 1 {
		return "there is one topic only"
	}
	return ""
}

// noBatch says why a send cannot carry several messages. The Go client packs them for any of its calls.
//
// Source: MQProducer, 4.1.0-5.3.3.
func noBatch(t *table) string {
	mode, choice := t.vals["mode"], t.vals["queue_choice"]
	if t.isGo() || mode.bad || choice.bad || mode.v == nil || choice.v == nil {
		return ""
	}
	switch c := config.QueueChoice(choice.v.(int)); {
	case mode.v == int(config.OneWay):
		return "there is no one-way send of a batch"
	case c != config.ChooseByPolicy && c != config.ChooseQueue:
		return "there is no send of a batch with a selector (queue_choice = " + quote(c.String()) + ")"
	case mode.v == int(config.Async) && !hasSetting(t, "4.8.0", ""):
		_, release := t.release()
		return "client " + release + " does not have it in mode async, it came with 4.8.0"
	}
	return ""
}
