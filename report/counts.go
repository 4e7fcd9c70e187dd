package report

import (
	"io"

	"simrun/internal/result"
)

// Files of counts in a directory of results.
const (
	QueuesFile    = "queues.csv"
	InstancesFile = "instances.csv"
)

var queueFields = []field[result.QueueCount]{
	textField("phase", func(x *result.QueueCount) *string { return &x.Phase }),
	textField("topic", func(x *result.QueueCount) *string { return &x.Topic }),
	textField("broker", func(x *result.QueueCount) *string { return &x.Broker }),
	wholeField("queue", func(x *result.QueueCount) *int { return &x.Queue }),
	wholeField("sent", func(x *result.QueueCount) *int64 { return &x.Sent }),
}

var instanceFields = []field[result.InstanceCount]{
	textField("phase", func(x *result.InstanceCount) *string { return &x.Phase }),
	textField("producer", func(x *result.InstanceCount) *string { return &x.Producer }),
	wholeField("instance", func(x *result.InstanceCount) *int { return &x.Instance }),
	wholeField("answered", func(x *result.InstanceCount) *int64 { return &x.Messages }),
	wholeField("failed", func(x *result.InstanceCount) *int64 { return &x.Failed }),
	wholeField("attempts", func(x *result.InstanceCount) *int64 { return &x.Attempts }),
	wholeField("avoided_ns", func(x *result.InstanceCount) *int64 { return &x.AvoidedNS }),
	wholeField("longest_without_success_ns", func(x *result.InstanceCount) *int64 { return &x.WorstNS }),
}

// queuesFile has a line for each phase and queue of a topic, instancesFile one for each phase and producer
// instance: of more than 200 of them the 200 with the most failed messages.
var (
	queuesFile = artefact{
		path:   QueuesFile,
		render: func(in *input) ([]byte, error) { return countsCSV(queueFields, in.run.Queues) },
		read: func(r *result.Run, rd io.Reader) (err error) {
			r.Queues, err = parseRecords(queueFields, rd)
			return err
		},
	}
	instancesFile = artefact{
		path:   InstancesFile,
		render: func(in *input) ([]byte, error) { return countsCSV(instanceFields, in.run.Instances) },
		read: func(r *result.Run, rd io.Reader) (err error) {
			r.Instances, err = parseRecords(instanceFields, rd)
			return err
		},
	}
)

// countsCSV is recordsCSV, but no file if there is nothing.
func countsCSV[T any](fields []field[T], list []T) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return recordsCSV(fields, list)
}
