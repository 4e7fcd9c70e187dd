package main

import "time"

// The job is a small model of what this tool is for. A producer sends 10,000 messages per
// second to four brokers, round robin over the queues that a fault table has not excluded.
// A message is four events: it is sent, reaches its broker, has been served, and is
// answered. With timeouts there is a fifth, three seconds after the first.

// The numbers of the job, for both programs that do it.
const (
	jobRate          = 10_000 // messages per second, Poisson
	jobBrokers       = 4
	jobQueues        = 4                      // on each broker
	jobThreads       = 8                      // on each broker, serving one request each
	jobNetwork       = 100 * time.Microsecond // one way
	jobServiceMedian = 400 * time.Microsecond // lognormal
	jobServiceP99    = 4 * time.Millisecond
	jobTimeout       = 3 * time.Second
)

// JobResult is what a job found out.
type JobResult struct {
	Messages int
	P50, P99 time.Duration // of the time from sending to the answer
}

// A Job does the job for a number of messages.
type Job func(messages int, timeouts bool) (JobResult, error)
