package result

// Divergence is where two runs part that were made side by side with one seed. Times are on the simulation
// clock. A is the first of the two.
type Divergence struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Seed     uint64 `json:"seed"`
	// A and B say what each of them is.
	A Variant `json:"a"`
	B Variant `json:"b"`
	// First is the first thing that differs, nil if nothing does. Decision is the first decision of a client
	// that differs: which queue, whether to try again, what a fault table refuses. Budget is the first attempt
	// that may take another time; alone that changes nothing, until one takes so long.
	First    *Difference `json:"first,omitempty"`
	Decision *Difference `json:"decision,omitempty"`
	// Answer is the first message whose caller gets something else.
	Answer *Difference `json:"answer,omitempty"`
	Budget *Difference `json:"budget,omitempty"`
	// Equal is how many messages were answered before First, all of them alike; Messages how many were
	// answered in A as far as the runs were made, which is up to ComparedNS.
	Equal      int64 `json:"equal_messages"`
	Messages   int64 `json:"messages"`
	ComparedNS int64 `json:"compared_ns"`
	DurationNS int64 `json:"duration_ns"`
	// StoryA and StoryB are of the message of Decision, or else of First; nil if it is in no message, or if
	// that run has no such message.
	StoryA *Story `json:"story_a,omitempty"`
	StoryB *Story `json:"story_b,omitempty"`
}

// Variant is one of two runs.
type Variant struct {
	Label string `json:"label"`
	Key   string `json:"key"`
}

// Difference is one thing that differs between two runs.
type Difference struct {
	// AtNS is the earlier of the two times at which it happened.
	AtNS int64  `json:"at_ns"`
	What string `json:"what"`
	// Producer is the group. Message is its number; of a DiffTable it is that of the attempt that the table
	// was told of, and HasMessage says whether there was one.
	Producer   string `json:"producer"`
	HasMessage bool   `json:"has_message"`
	Message    uint64 `json:"message"`
	// Attempt counts from 1, 0 if it is in none; Instance and Broker are of a DiffTable.
	Attempt  int    `json:"attempt,omitempty"`
	Instance int    `json:"instance,omitempty"`
	Broker   string `json:"broker,omitempty"`
	// A and B say in words how it is in each.
	A string `json:"a"`
	B string `json:"b"`
}

// What can differ.
const (
	DiffQueue   = "queue"   // a decision: an attempt goes to another queue
	DiffAttempt = "attempt" // a decision: one of them makes an attempt that the other does not
	DiffTable   = "table"   // a decision: a fault table refuses a broker, or for how long, or marks it
	DiffOutcome = "outcome" // how an attempt ends, or what the caller gets
	DiffTime    = "time"    // when
	DiffLoad    = "load"    // what the callers want to send, or by which instance
	DiffFate    = "fate"    // what becomes of a message on the disks, or when
	DiffBudget  = "budget"  // what an attempt may take
)
