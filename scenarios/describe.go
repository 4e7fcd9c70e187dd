package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
)

// setupProducer describes a producer group for headers, captions and summary.json.
func setupProducer(p *config.Producer) result.SetupProducer {
	s := result.SetupProducer{
		Name: p.Name, Client: clientName(p), Count: p.Count, Threads: p.Threads, Rate: p.Rate,
		Load: loadWords(p), Topics: shares(p.Topics), Batch: max(1, p.Batch), Mode: p.Mode.String(),
		Choice: p.Choice.String(), Keys: p.Keys, OnFailure: onFailureWords(&p.OnFailure),
		Policy: p.Policy, Avoidance: p.Settings.SendLatencyFaultEnable,
		SendMsgTimeoutNS: int64(p.Settings.SendMsgTimeout) * int64(sim.Millisecond),
		RetriesSync:      p.Settings.RetryTimesWhenSendFailed,
		RetriesAsync:     p.Settings.RetryTimesWhenSendAsyncFailed,
		Retries:          retries(p),
	}
	if p.Choice == config.ChooseQueue {
		s.Queue = p.Queue.Broker + ":" + strconv.Itoa(p.Queue.ID)
	}
	for _, v := range p.Settings.LatencyMax {
		s.LatencyMaxNS = append(s.LatencyMaxNS, int64(v)*int64(sim.Millisecond))
	}
	for _, v := range p.Settings.NotAvailableDuration {
		s.NotAvailableDurationNS = append(s.NotAvailableDurationNS, int64(v)*int64(sim.Millisecond))
	}
	return s
}

// retries is how many attempts the client may make after the first, in the group's mode and with its
// choice of queues.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, sendSelectImpl and sendKernelImpl, 4.9.8;
// rocketmq-client-go producer/producer.go, sendSync, sendAsync and sendOneWay, v2.1.2.
func retries(p *config.Producer) int {
	switch {
	case p.Client == config.GoClient && p.Mode != config.Async:
		return p.Settings.RetryTimesWhenSendFailed
	case p.Mode == config.OneWay, p.Client == config.GoClient:
		return 0
	case p.Mode == config.Async:
		return p.Settings.RetryTimesWhenSendAsyncFailed
	case p.Choice != config.ChooseByPolicy:
		return 0
	}
	return p.Settings.RetryTimesWhenSendFailed
}

// shares are the topics with their shares of the messages, which sum to 1.
func shares(topics []config.TopicShare) []result.SetupShare {
	weight := func(t config.TopicShare) float64 {
		if t.Weight == 0 {
			return 1
		}
		return t.Weight
	}
	total := 0.0
	for _, t := range topics {
		total += weight(t)
	}
	var out []result.SetupShare
	for _, t := range topics {
		out = append(out, result.SetupShare{Name: t.Name, Share: weight(t) / total})
	}
	return out
}

// onFailureWords say what the caller does about a failed send.
func onFailureWords(f *config.OnFailure) string {
	if f.Resends == 0 {
		return "drop"
	}
	words := "resend up to " + times(f.Resends)
	if after := samplerWords(f.Delay); after != "0s" {
		words += " after " + after
	}
	return words
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// loadWords say how messages come into being.
func loadWords(p *config.Producer) string {
	var words string
	switch p.Arrivals {
	case config.ClosedLoop:
		words = "closed loop of one thread"
		if n := p.Count * p.Threads; n > 1 {
			words = fmt.Sprintf("closed loop of %d threads", n)
		}
		if think := samplerWords(p.Think); think != "0s" {
			words += ", think " + think
		}
		return words
	case config.RecordedArrivals:
		return fmt.Sprintf("%d recorded arrivals", len(p.Recorded))
	case config.Constant:
		words = "constant gaps"
	case config.Poisson:
		words = "Poisson"
	}
	if shape := shapeWords(&p.Shape); shape != "" {
		words += ", " + shape
	}
	return words
}

// shapeWords are a load that goes up and down: "bursts ×5 for 5s every 60s", "ramp ×1 to ×3 over 60s
// from 30s", or the number of points and the extremes of a curve; "" if it stays as it is.
func shapeWords(s *rate.Shape) string {
	if len(s.Points) == 0 {
		return ""
	}
	at := ""
	if b, ok := burstOf(s); ok {
		words := fmt.Sprintf("burst ×%g for %s", b.factor, formatDuration(b.length))
		if s.Period > 0 {
			return strings.Replace(words, "burst", "bursts", 1) + " every " + formatDuration(s.Period)
		}
		return words + " at " + formatDuration(b.at)
	}
	points := s.Points
	if len(points) == 3 && points[0].Factor == points[1].Factor {
		at = " from " + formatDuration(points[1].At)
		points = points[1:]
	}
	if len(points) == 2 && s.Period == 0 && points[0].At < points[1].At {
		return fmt.Sprintf("ramp ×%g to ×%g over %s", points[0].Factor, points[1].Factor,
			formatDuration(points[1].At-points[0].At)) + at
	}
	byFactor := func(a, b rate.Point) int { return cmp.Compare(a.Factor, b.Factor) }
	low, high := slices.MinFunc(s.Points, byFactor), slices.MaxFunc(s.Points, byFactor)
	words := fmt.Sprintf("a curve of %d points from ×%g to ×%g", len(s.Points), low.Factor, high.Factor)
	if s.Period > 0 {
		words += " every " + formatDuration(s.Period)
	}
	return words
}

// burst is one stretch of another rate.
type burst struct {
	factor     float64
	at, length sim.Duration
}

// burstOf reads a shape that is 1 but for one stretch of another factor, in each period.
func burstOf(s *rate.Shape) (b burst, ok bool) {
	var end sim.Duration
	found := false
	for i := 1; i < len(s.Points); i++ {
		from, to := s.Points[i-1], s.Points[i]
		switch {
		case from.At == to.At:
		case from.Factor != to.Factor:
			return b, false // a slope
		case from.Factor == 1:
		case found:
			return b, false
		default:
			found, b.factor, b.at, end = true, from.Factor, from.At, to.At
		}
	}
	b.length = end - b.at
	last := s.Points[len(s.Points)-1]
	stays := last.Factor == 1 || s.Period > 0 && last.At == s.Period
	return b, found && stays
}

// samplerWords are a distribution for people: "10ms", "exponential, mean 5ms"; nil is "0s".
func samplerWords(s sim.Sampler) string {
	if s == nil {
		return "0s"
	}
	text := strings.TrimSuffix(strings.TrimPrefix(s.String(), `{ dist = `), " }")
	text = strings.NewReplacer(`"`, "", " = ", " ").Replace(text)
	return strings.TrimPrefix(text, "constant, value ")
}

// startWords say how the producers' life begins, zoneLinks which ways between zones are others.
func startWords(s *config.Start) string {
	switch {
	case !s.Cold:
		return ""
	case s.Spread == 0:
		return "cold"
	}
	return "cold, over " + formatDuration(s.Spread)
}

// places are the zones and hosts, with the names of what runs there.
func places(c *config.Config) (list []result.SetupPlace) {
	names := func(runs []config.Target) (out []string) {
		for _, t := range runs {
			out = append(out, c.TargetName(t))
		}
		return out
	}
	for i := range c.Zones {
		list = append(list, result.SetupPlace{Zone: c.Zones[i].Name, Runs: names(c.Zones[i].Runs)})
	}
	for i := range c.Hosts {
		h := &c.Hosts[i]
		list = append(list, result.SetupPlace{Zone: h.Zone, Host: h.Name, Runs: names(h.Runs)})
	}
	return list
}

func zoneLinks(links []config.ZoneLink) (words []string) {
	for _, l := range links {
		words = append(words, l.A+"–"+l.B+" "+samplerWords(l.Latency))
	}
	return words
}
