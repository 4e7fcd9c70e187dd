package result

// Snapshot is what one producer instance knows at one instant, and what is so in truth, found by making the
// run again up to then. Times are on the simulation clock.
type Snapshot struct {
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Seed     uint64 `json:"seed"`
	Key      string `json:"key"`
	// AtNS is the instant, just after all that happened at it; Phase owns it.
	AtNS  int64  `json:"at_ns"`
	Phase string `json:"phase"`
	// Producer is the group, Instance the number within it, of Instances.
	Producer  string `json:"producer"`
	Instance  int    `json:"instance"`
	Instances int    `json:"instances"`
	Client    string `json:"client"`
	Policy    string `json:"policy"`
	// HasTable: it keeps a fault table. NoTable says why it does not.
	HasTable bool   `json:"has_table"`
	NoTable  string `json:"no_table,omitempty"`
	// ClockMS is what the instance's own clock shows. Threads are its threads, Sending those in a send,
	// Waiting the messages that wait for one.
	ClockMS    int64  `json:"clock_ms"`
	Threads    int    `json:"threads"`
	Sending    int    `json:"sending"`
	Waiting    int    `json:"waiting"`
	NameServer string `json:"name_server"`

	Brokers []SnapshotBroker `json:"brokers"`
	Topics  []SnapshotTopic  `json:"topics"`
	// Source is where in RocketMQ's source the table is; of the choice see SnapshotTopic.
	Source string `json:"source,omitempty"`
	// RouteSource is where the publish list is made.
	RouteSource string `json:"route_source,omitempty"`
}

// SnapshotBroker is a broker as the instance sees it.
type SnapshotBroker struct {
	Broker string `json:"broker"`
	// Entry is its entry in the fault table, nil if there is none.
	Entry *SnapshotEntry `json:"entry,omitempty"`
	// Master: an address of the master is known. Connection to it is "none", "begun" or "open", for all that
	// the client knows; InFlight are the sends that wait for an answer on it.
	Master     bool   `json:"master"`
	Connection string `json:"connection"`
	InFlight   int    `json:"in_flight"`
	// Faults are those that have their hand on it, or on the instance, which the client does not know.
	Faults []string `json:"faults"`
}

// SnapshotEntry is an entry of a fault table.
type SnapshotEntry struct {
	// LatencyNS is the last one that the table was told. UntilNS is until when the broker is refused, nil if it
	// may be chosen as far as that goes.
	LatencyNS int64  `json:"latency_ns"`
	UntilNS   *int64 `json:"until_ns,omitempty"`
	Reachable bool   `json:"reachable"`
	// Available says whether the table lets it be chosen now.
	Available bool `json:"available"`
	// Last is the attempt that the table was told of last, Refused the one that UntilNS follows from. Nil if it
	// was no attempt that has ended.
	Last    *SnapshotCause `json:"last,omitempty"`
	Refused *SnapshotCause `json:"refused,omitempty"`
	// Flag is what turned the reachable flag last, if anything has.
	Flag *SnapshotCause `json:"flag,omitempty"`
}

// SnapshotCause is what put something into a fault table.
type SnapshotCause struct {
	AtNS int64 `json:"at_ns"`
	// Probe: it was a probe of the detector. Else it was an attempt of a message of the group.
	Probe   bool   `json:"probe,omitempty"`
	Message uint64 `json:"message"`
	Attempt int    `json:"attempt"`
	// BeganNS is when the attempt began, Outcome how it ended.
	BeganNS int64  `json:"began_ns"`
	Outcome string `json:"outcome"`
}

// SnapshotTopic is a topic as the instance knows it.
type SnapshotTopic struct {
	Topic string `json:"topic"`
	// HasRoute: a name server has given a route of it.
	HasRoute bool `json:"has_route"`
	// Queues is the length of the publish list, Candidates are its brokers.
	Queues     int              `json:"queues"`
	Candidates []StoryCandidate `json:"candidates"`
	// Missing are the brokers that have the topic in the scenario, and no queue in the list.
	Missing []SnapshotMissing `json:"missing"`
	// Rule is what a send that begins now would choose its first queue by, From the brokers that it would
	// choose from; Source is where in RocketMQ's source that is.
	Rule   string   `json:"rule"`
	From   []string `json:"from"`
	Source string   `json:"source,omitempty"`
}

// SnapshotMissing is a broker that a publish list lacks.
type SnapshotMissing struct {
	Broker string `json:"broker"`
	Why    string `json:"why"`
}
