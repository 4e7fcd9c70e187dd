package strategy

// Trace records why a decision came out as it did. Every method that takes a *Trace takes nil for
// "nobody looks", which costs a comparison. A Trace may be used again after Reset; it keeps its
// memory.
type Trace struct {
	// Rule is the rule that chose, RuleNone if nothing was chosen.
	Rule Rule
	// Skipped are the queues looked at and not taken, in order, tier by tier.
	Skipped []Skip
	// Index are the values of the thread's sendWhichQueue that were used, in order, and
	// ItemIndex those of its index into the fault table.
	Index     []int32
	ItemIndex []int32
	// ResetIndex is set if the index started at a new random place.
	ResetIndex bool
	// Picked is the broker that pickOneAtLeast named, NoBroker if it was not asked or named none.
	Picked Broker
	// Mutated is 1 + the position of the entry of the queue list that was overwritten, with what
	// stood there before; 0 if none was.
	Mutated       int
	MutatedBefore Queue
	// Removed is the broker whose item was dropped, NoBroker if none was.
	Removed Broker
	// Thrown is set if Java throws, catches and logs an exception on the way.
	Thrown bool

	// Update is what an attempt's end, or a probe, did to the fault table.
	Update Update
}

// Update is a change of a fault item.
type Update struct {
	// Happened is false while avoidance is off, and if nothing was reported.
	Happened bool
	Broker   Broker
	// Bucket is 1 + the index of the entry of latencyMax that gave the isolation, 0 if the
	// latency was below all of them. Used is the latency that was looked up, Duration what it gave.
	Bucket   int
	Used     Millis
	Duration Millis
	// Before and After are the item; Known is whether there was one before, Removed whether it is
	// gone now.
	Known   bool
	Before  Item
	After   Item
	Removed bool
}

// Skip is a queue that was looked at and not taken.
type Skip struct {
	Queue Queue
	Tier  Rule // the rule that was being tried
	Why   Reason
}

// Rule names the rule that chose a queue.
type Rule uint8

const (
	// RuleNone: nothing was chosen.
	RuleNone Rule = iota
	// RuleRoundRobin: avoidance is off; the next queue, on a retry on another broker.
	RuleRoundRobin
	// RuleAvailable: the next queue whose broker is available.
	RuleAvailable
	// RuleReachable: no broker was available; the next queue whose broker is reachable.
	RuleReachable
	// RulePickOneAtLeast: no broker was available; a queue of the broker that pickOneAtLeast named.
	RulePickOneAtLeast
	// RuleLastResort: nothing passed; the next queue whatever it is.
	RuleLastResort
	// RuleCaller: the caller named the queue, or its selector chose it; the table was not asked.
	RuleCaller
)

// String returns the rule in words.
func (r Rule) String() string { return nameOf(ruleNames, uint8(r), "Rule") }

var ruleNames = []string{
	"none", "round robin", "available", "reachable", "pick one at least", "last resort",
	"caller's choice",
}

// Reason is a set of reasons why a queue was not taken.
type Reason uint8

const (
	// ReasonLastBroker: the attempt before was on its broker (or, where the comparison is the
	// wrong way round, was not).
	ReasonLastBroker Reason = 1 << iota
	// ReasonIsolated: its broker is isolated.
	ReasonIsolated
	// ReasonUnreachable: its broker's reachable flag is off.
	ReasonUnreachable
)

// String returns the reasons in words, separated by commas.
func (r Reason) String() string {
	out := ""
	for i, word := range reasonNames {
		if r&(1<<i) == 0 {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += word
	}
	return out
}

var reasonNames = []string{"last broker", "isolated", "unreachable"}

// Reset forgets what was recorded and keeps the memory.
func (t *Trace) Reset() {
	*t = Trace{
		Skipped:   t.Skipped[:0],
		Index:     t.Index[:0],
		ItemIndex: t.ItemIndex[:0],
		Picked:    NoBroker,
		Removed:   NoBroker,
	}
}

// beginChoice forgets the choice before, and keeps an update.
func (t *Trace) beginChoice() {
	if t == nil {
		return
	}
	update := t.Update
	t.Reset()
	t.Update = update
}

// beginUpdate forgets the update before, and keeps a choice.
func (t *Trace) beginUpdate() {
	if t != nil {
		t.Update = Update{}
	}
}

func (t *Trace) chose(rule Rule) {
	if t != nil {
		t.Rule = rule
	}
}

func (t *Trace) index(v int32) {
	if t != nil {
		t.Index = append(t.Index, v)
	}
}

func (t *Trace) itemIndex(v int32) {
	if t != nil {
		t.ItemIndex = append(t.ItemIndex, v)
	}
}

func (t *Trace) thrown() {
	if t != nil {
		t.Thrown = true
	}
}

func (t *Trace) skip(q Queue, tier Rule, why Reason) {
	if t != nil {
		t.Skipped = append(t.Skipped, Skip{Queue: q, Tier: tier, Why: why})
	}
}
