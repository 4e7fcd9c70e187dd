package main

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// RunBoxedJob is the job in the style of a textbook: an event is a closure in a
// container/heap, the parts of the model call each other back, and faults are in a map by
// the name of the broker.
func RunBoxedJob(messages int, timeouts bool) (JobResult, error) {
	s := &simulation{rand: rand.New(rand.NewPCG(1, 2))}
	p := newProducer(s, messages, timeouts)
	s.after(p.gap(), p.send)
	s.run()
	if got := p.latencies.TotalCount(); got != int64(messages) {
		return JobResult{}, fmt.Errorf("job: %d of %d messages were answered", got, messages)
	}
	return JobResult{
		Messages: messages,
		P50:      time.Duration(p.latencies.ValueAtQuantile(50)),
		P99:      time.Duration(p.latencies.ValueAtQuantile(99)),
	}, nil
}

// closureEvent is an event of the boxed job.
type closureEvent struct {
	at     time.Duration
	seq    uint64 // breaks ties
	action func()
}

// closureQueue implements heap.Interface; see boxedQueue.
type closureQueue []closureEvent

func (q closureQueue) Len() int { return len(q) }

func (q closureQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}

func (q closureQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *closureQueue) Push(x any) { *q = append(*q, x.(closureEvent)) }

func (q *closureQueue) Pop() any {
	old := *q
	n := len(old)
	ev := old[n-1]
	old[n-1] = closureEvent{} // don't keep its closure alive
	*q = old[:n-1]
	return ev
}

// simulation is the clock, the queue of events and the source of randomness.
type simulation struct {
	now   time.Duration
	seq   uint64
	queue closureQueue
	rand  *rand.Rand
}

// after schedules a call.
func (s *simulation) after(d time.Duration, action func()) {
	s.seq++
	heap.Push(&s.queue, closureEvent{at: s.now + d, seq: s.seq, action: action})
}

// run executes all events.
func (s *simulation) run() {
	for len(s.queue) > 0 {
		ev := heap.Pop(&s.queue).(closureEvent)
		s.now = ev.at
		ev.action()
	}
}

type messageQueue struct {
	brokerName string
	queueID    int
}

type sendResult struct {
	queue  messageQueue
	offset int64
}

// broker serves requests by a number of threads.
type broker struct {
	sim       *simulation
	mu, sigma float64 // of the logarithm of the service time
	idle      int     // threads
	waiting   []*request
	offsets   []int64 // by queue
}

type request struct {
	queue messageQueue
	reply func(*sendResult)
}

func newBroker(s *simulation) *broker {
	const quantile99 = 2.3263478740408408 // of the standard normal distribution
	return &broker{
		sim:     s,
		mu:      math.Log(float64(jobServiceMedian)),
		sigma:   math.Log(float64(jobServiceP99)/float64(jobServiceMedian)) / quantile99,
		idle:    jobThreads,
		offsets: make([]int64, jobQueues),
	}
}

// receive is called when a request arrives.
func (b *broker) receive(r *request) {
	if b.idle == 0 {
		b.waiting = append(b.waiting, r)
		return
	}
	b.idle--
	b.serve(r)
}

func (b *broker) serve(r *request) {
	service := time.Duration(math.Exp(b.mu + b.sigma*b.sim.rand.NormFloat64()))
	b.sim.after(service, func() { b.served(r) })
}

// served replies to a request and turns to the next.
func (b *broker) served(r *request) {
	result := &sendResult{queue: r.queue, offset: b.offsets[r.queue.queueID]}
	b.offsets[r.queue.queueID]++
	b.sim.after(jobNetwork, func() { r.reply(result) })
	if len(b.waiting) == 0 {
		b.idle++
		return
	}
	next := b.waiting[0]
	b.waiting = b.waiting[1:]
	b.serve(next)
}

// producer sends messages and learns from the answers.
type producer struct {
	sim      *simulation
	left     int // messages
	timeouts bool

	queues    []messageQueue
	cursor    int
	brokers   map[string]*broker
	faults    map[string]faultItem
	latencies *hdrhistogram.Histogram
}

// faultItem is an entry of the fault table.
type faultItem struct {
	latency        time.Duration
	startTimestamp time.Duration // when it is available again
}

type message struct {
	queue messageQueue
	sent  time.Duration
	done  bool
}

func newProducer(s *simulation, messages int, timeouts bool) *producer {
	p := &producer{
		sim:       s,
		left:      messages,
		timeouts:  timeouts,
		brokers:   make(map[string]*broker),
		faults:    make(map[string]faultItem),
		latencies: hdrhistogram.New(1, int64(time.Minute), 3),
	}
	for i := range jobBrokers {
		name := fmt.Sprintf("broker-%c", 'a'+i)
		p.brokers[name] = newBroker(s)
		for q := range jobQueues {
			p.queues = append(p.queues, messageQueue{name, q})
		}
	}
	return p
}

// gap returns the time to the next message.
func (p *producer) gap() time.Duration {
	return time.Duration(p.sim.rand.ExpFloat64() / jobRate * float64(time.Second))
}

// send sends one message and prepares the next.
func (p *producer) send() {
	if p.left--; p.left > 0 {
		p.sim.after(p.gap(), p.send)
	}
	m := &message{queue: p.selectQueue(), sent: p.sim.now}
	r := &request{queue: m.queue, reply: func(*sendResult) { p.finish(m) }}
	b := p.brokers[m.queue.brokerName]
	p.sim.after(jobNetwork, func() { b.receive(r) })
	if p.timeouts {
		p.sim.after(jobTimeout, func() { p.finish(m) })
	}
}

// selectQueue returns the next queue whose broker is available, or else just the next.
func (p *producer) selectQueue() messageQueue {
	for range p.queues {
		q := p.next()
		if f, ok := p.faults[q.brokerName]; !ok || p.sim.now >= f.startTimestamp {
			return q
		}
	}
	return p.next()
}

func (p *producer) next() messageQueue {
	q := p.queues[p.cursor%len(p.queues)]
	p.cursor++
	return q
}

// finish is called with the answer and when the time is over, whichever comes first.
func (p *producer) finish(m *message) {
	if m.done {
		return
	}
	m.done = true
	latency := p.sim.now - m.sent
	if err := p.latencies.RecordValue(int64(latency)); err != nil {
		panic(err) // the timeout is within the range of the histogram
	}
	p.faults[m.queue.brokerName] = faultItem{latency, p.sim.now + notAvailable(latency)}
}

var (
	latencyMax = []time.Duration{
		50 * time.Millisecond, 100 * time.Millisecond, 550 * time.Millisecond,
		1800 * time.Millisecond, 3 * time.Second, 5 * time.Second, 15 * time.Second,
	}
	notAvailableDuration = []time.Duration{
		0, 0, 2 * time.Second, 5 * time.Second, 6 * time.Second, 10 * time.Second,
		30 * time.Second,
	}
)

// notAvailable returns how long a broker is avoided after an answer that took so long.
//
// Source: MQFaultStrategy.java computeNotAvailableDuration, rocketmq-all-5.3.3.
func notAvailable(latency time.Duration) time.Duration {
	for i := len(latencyMax) - 1; i >= 0; i-- {
		if latency >= latencyMax[i] {
			return notAvailableDuration[i]
		}
	}
	return 0
}
