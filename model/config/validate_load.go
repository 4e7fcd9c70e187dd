package config

import (
	"math"

	"simrun/sim"
)

// Limits of a load.
const (
	maxRate   = 1e9
	maxFactor = 1e6
	maxBatch  = 10_000
)

// load checks how the messages of a group come, and how large they are.
func (c *checker) load(path string, p *Producer) {
	timed := p.Arrivals == Poisson || p.Arrivals == Constant
	if timed {
		c.say(p.Rate > 0 && p.Rate <= maxRate, path+"rate", "must be above 0 and at most 1e9/s")
		c.shape(path+"load", p)
	} else {
		c.say(p.Rate == 0, path+"rate", "these arrivals have no rate of their own")
		c.say(len(p.Shape.Points) == 0, path+"load", "is for arrivals that have a rate")
	}
	c.say(p.Arrivals <= ClosedLoop, path+"arrivals", "are of no known kind")
	c.say(p.Think == nil || p.Arrivals == ClosedLoop, path+"think_time", "is for a closed loop")
	c.recorded(path+"arrivals_file", p)
	c.say(p.Batch >= 0 && p.Batch <= maxBatch, path+"batch", "%d is not within 1 to %d", p.Batch, maxBatch)
	c.say(p.Keys >= 0, path+"keys", "must not be negative")
	c.onFailure(path, p)
	r := &p.Remoting
	c.say(r.CompressOver >= 0, path+"compress_msg_body_over_howmuch", "must not be negative")
	c.say(r.CompressedTo >= 0 && r.CompressedTo <= 1, path+"compressed_to", "is not within 0 to 1")
	c.say(r.MaxMessageSize >= 0 && r.MaxMessageSize <= MaxMessageSize, path+"max_message_size",
		"%d is not within 1 to %d", r.MaxMessageSize, MaxMessageSize)
	c.say(r.DefaultTopicQueueNums >= 0 && r.DefaultTopicQueueNums <= maxQueues,
		path+"default_topic_queue_nums", "%d is not within 1 to %d", r.DefaultTopicQueueNums, maxQueues)
}

// onFailure checks what callers do about failed sends.
func (c *checker) onFailure(path string, p *Producer) {
	again := p.OnFailure.Resends
	c.say(again >= 0, path+"on_failure", "must not be negative")
	c.say(again > 0 || p.OnFailure.Delay == nil, path+"on_failure", "a delay and no resends")
	retries := max(p.Settings.RetryTimesWhenSendFailed, p.Settings.RetryTimesWhenSendAsyncFailed, 0)
	all := (1 + min(max(again, 0), maxAttempts)) * (1 + min(retries, maxRetries))
	c.say(again <= 0 || all <= maxAttempts, path+"on_failure",
		"%d sends of up to %d attempts are %d, more than %d", 1+again, 1+retries, all, maxAttempts)
}

// shape checks a rate that changes.
func (c *checker) shape(path string, p *Producer) {
	points := p.Shape.Points
	if len(points) == 0 {
		c.say(p.Shape.Period == 0, path, "has a period and no points")
		return
	}
	c.say(points[0].At == 0, path, "begins at %v, not at 0", points[0].At)
	highest := 0.0
	for i, point := range points {
		if !(point.Factor >= 0 && point.Factor <= maxFactor) {
			c.say(false, path, "factor %v is not within 0 to %v", point.Factor, maxFactor)
			return
		}
		highest = max(highest, point.Factor)
		if i > 0 && point.At < points[i-1].At {
			c.say(false, path, "the point at %v comes after the one at %v", point.At, points[i-1].At)
			return
		}
	}
	last := points[len(points)-1].At
	c.say(last <= MaxDelay*10, path, "the point at %v is later than ten years", last)
	c.say(p.Shape.Period == 0 || p.Shape.Period > 0 && p.Shape.Period >= last, path,
		"begins anew after %v, before its last point at %v", p.Shape.Period, last)
	c.say(p.Shape.Period == 0 || p.Shape.Period > 0 && p.Shape.Period <= MaxDelay*10, path,
		"a period of %v is not within 1ns to ten years", p.Shape.Period)
	if highest == 0 {
		c.say(false, path, "all factors are 0: nothing is ever sent")
	} else if p.Shape.Period > 0 && p.Shape.Area() == 0 {
		c.say(false, path, "its rate is 0 all the time: nothing is ever sent")
	}
	c.say(float64(p.Rate*highest) <= maxRate, path, "the highest rate is more than 1e9/s")
}

// recorded checks arrivals that are recorded.
func (c *checker) recorded(path string, p *Producer) {
	if p.Arrivals != RecordedArrivals {
		c.say(len(p.Recorded) == 0, path, "is for recorded arrivals")
		return
	}
	c.say(len(p.Recorded) > 0, path, "there are no arrivals")
	last := sim.Duration(0)
	for i, a := range p.Recorded {
		switch {
		case a.At < last:
			c.say(false, path, "arrival %d at %v comes after one at %v", i, a.At, last)
			return
		case a.Size < 0 || a.Size > math.MaxInt64/2:
			c.say(false, path, "arrival %d has %d bytes", i, a.Size)
			return
		}
		last = a.At
	}
}
