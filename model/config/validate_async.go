package config

import "slices"

// maxCores bounds the threads of a client's executors.
const maxCores = 1024

// sendMode checks how a group calls send, and who picks the queue.
func (c *checker) sendMode(path string, p *Producer) {
	c.say(int(p.Mode) < len(sendModeNames), path+"mode", "unknown mode %d", p.Mode)
	c.say(int(p.Choice) < len(queueChoiceNames), path+"queue_choice", "unknown choice %d", p.Choice)
	if p.Choice == ChooseQueue {
		known := slices.ContainsFunc(c.cfg.Brokers, func(b Broker) bool { return b.Name == p.Queue.Broker })
		c.say(known && p.Queue.ID >= 0 && p.Queue.ID < maxQueues, path+"queue", "there is no queue %s:%d",
			p.Queue.Broker, p.Queue.ID)
	}
	retries := p.Settings.RetryTimesWhenSendAsyncFailed
	c.say(retries <= maxRetries, path+"retry_times_when_send_async_failed", "%d is more than %d", retries,
		maxRetries)
	r := &p.Remoting
	c.say(r.Cores >= 0 && r.Cores <= maxCores, path+"cores", "%d is not within 1 to %d", r.Cores, maxCores)
	c.say(r.BackpressureNum >= 0, path+"back_pressure_for_async_send_num", "must not be negative")
	c.say(r.BackpressureSize >= 0, path+"back_pressure_for_async_send_size", "must not be negative")
	if p.Client == JavaClient && p.Batch > 1 {
		c.batch(path, p)
	}
}

// batch checks that the release has a way to send a batch so.
//
// Source: DefaultMQProducer.send(Collection, …), 4.7.1 and 4.8.0.
func (c *checker) batch(path string, p *Producer) {
	c.say(p.Mode != OneWay, path+"batch", "a batch cannot be sent one-way")
	c.say(p.Choice == ChooseByPolicy || p.Choice == ChooseQueue, path+"batch",
		"a batch cannot be sent with a selector")
	client, err := p.Wire()
	c.say(err != nil || p.Mode != Async || client.AsyncBatch, path+"batch",
		"cannot be sent asynchronously before 4.8.0")
}
