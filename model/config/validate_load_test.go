package config_test

import (
	"math"
	"testing"

	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
)

// shaped is a mistake in the shape of a load.
func shaped(message string, period sim.Duration, points ...rate.Point) mistake {
	return mistake{"producer.p.load", message, producer(func(p *config.Producer) {
		p.Shape = rate.Shape{Period: period, Points: points}
	})}
}

// recording is a mistake in recorded arrivals.
func recording(message string, list ...config.Arrival) mistake {
	return mistake{"producer.p.arrivals_file", message, producer(func(p *config.Producer) {
		p.Arrivals, p.Rate, p.Recorded = config.RecordedArrivals, 0, list
	})}
}

var loadMistakes = []mistake{
	shaped("has a period and no points", sim.Second),
	shaped("begins at 1ns, not at 0", 0, rate.Point{At: 1, Factor: 1}),
	shaped("the point at 1s comes after the one at 2s", 0, rate.Point{At: 0, Factor: 1},
		rate.Point{At: 2 * sim.Second, Factor: 1},
		rate.Point{At: sim.Second, Factor: 1}),
	shaped("factor -1 is not within 0 to 1e+06", 0, rate.Point{At: 0, Factor: -1}),
	shaped("factor NaN is not within 0 to 1e+06", 0, rate.Point{At: 0, Factor: math.NaN()}),
	shaped("factor +Inf is not within 0 to 1e+06", 0, rate.Point{At: 0, Factor: math.Inf(1)}),
	shaped("begins anew after 1s, before its last point at 2s", sim.Second, rate.Point{At: 0, Factor: 1},
		rate.Point{At: 2 * sim.Second, Factor: 2}),
	shaped("all factors are 0: nothing is ever sent", 0, rate.Point{At: 0, Factor: 0},
		rate.Point{At: 2 * sim.Second, Factor: 0}),
	shaped("its rate is 0 all the time: nothing is ever sent", sim.Second, rate.Point{At: 0, Factor: 0},
		rate.Point{At: sim.Second, Factor: 0}, rate.Point{At: sim.Second, Factor: 1}),
	{"producer.p.load", "the highest rate is more than 1e9/s", producer(func(p *config.Producer) {
		p.Rate, p.Shape.Points = 2000, []rate.Point{
			{At: 0, Factor: 1}, {At: 2 * sim.Second, Factor: 1e6}, {At: 2 * sim.Second, Factor: 0},
		}
	})},
	recording("there are no arrivals"),
	recording("arrival 1 at 1s comes after one at 2s", config.Arrival{At: 2 * sim.Second},
		config.Arrival{At: sim.Second}),
	recording("arrival 0 at -1ns comes after one at 0s", config.Arrival{At: -1}),
	recording("arrival 0 has -5 bytes", config.Arrival{Size: -5}),
	{"producer.p.arrivals_file", "is for recorded arrivals", producer(func(p *config.Producer) {
		p.Recorded = []config.Arrival{{}}
	})},
	{"producer.p.rate", "these arrivals have no rate of their own", producer(func(p *config.Producer) {
		p.Arrivals = config.ClosedLoop
	})},
	{"producer.p.load", "is for arrivals that have a rate", producer(func(p *config.Producer) {
		p.Arrivals, p.Rate, p.Shape.Points = config.ClosedLoop, 0, []rate.Point{
			{At: 0, Factor: 1},
			{At: 1, Factor: 2},
		}
	})},
	{"producer.p.think_time", "is for a closed loop", producer(func(p *config.Producer) {
		p.Think = must(sim.Constant(sim.Second))
	})},
	{
		"producer.p.arrivals", "are of no known kind",
		producer(func(p *config.Producer) { p.Arrivals, p.Rate = 77, 0 }),
	},
	{
		"producer.p.batch", "10001 is not within 1 to 10000",
		producer(func(p *config.Producer) { p.Batch = 10_001 }),
	},
	{"producer.p.keys", "must not be negative", producer(func(p *config.Producer) { p.Keys = -1 })},
	{"producer.p.compressed_to", "is not within 0 to 1", producer(func(p *config.Producer) {
		p.Remoting.CompressedTo = 1.1
	})},
	{"producer.p.compress_msg_body_over_howmuch", "must not be negative", producer(func(p *config.Producer) {
		p.Remoting.CompressOver = -1
	})},
	{
		"producer.p.max_message_size", "1073741825 is not within 1 to 1073741824",
		producer(func(p *config.Producer) {
			p.Remoting.MaxMessageSize = 1<<30 + 1
		}),
	},
	{"producer.p.default_topic_queue_nums", "1025 is not within 1 to 1024", producer(func(p *config.Producer) {
		p.Remoting.DefaultTopicQueueNums = 1025
	})},
}

func TestValidateLoads(t *testing.T) {
	t.Parallel()
	checkMistakes(t, loadMistakes)
}
