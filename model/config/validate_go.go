package config

import (
	"strings"

	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// goProducer checks what is different about a group of the Go client.
func (c *checker) goProducer(path string, p *Producer) {
	profile, err := releases.LookupGo(p.Release)
	if err != nil {
		c.say(false, path+"client", "%s", strings.TrimPrefix(err.Error(), "strategy: "))
		return
	}
	s := &p.Settings
	c.say(p.Policy == "rocketmq", path+"policy", "%q is for the Java client: the Go client chooses itself",
		p.Policy)
	c.say(!s.SendLatencyFaultEnable, path+"send_latency_fault_enable", "the Go client has no fault table")
	c.say(!s.StartDetectorEnable, path+"start_detector_enable", "the Go client has no detector")
	c.say(!s.RetryAnotherBrokerWhenNotStoreOK, path+"retry_another_broker_when_not_store_ok",
		"the Go client returns any status")
	c.say(len(p.Behaviours) == 0, path+"behaviours", "those of the Go client cannot be replaced")
	c.say(s.SendMsgTimeout >= 1, path+"send_msg_timeout", "is %d ms, must be at least 1", s.SendMsgTimeout)
	c.say(s.RetryTimesWhenSendFailed >= 0, path+"retry_times_when_send_failed",
		"is %d, must not be negative", s.RetryTimesWhenSendFailed)
	const own = "is %v, but 30s in the Go client, whatever one sets"
	if d := p.PollNameServerInterval; d != 30*sim.Second {
		c.warn(path+"poll_name_server_interval", own, d)
	}
	if d := p.HeartbeatBrokerInterval; d != 30*sim.Second {
		c.warn(path+"heartbeat_broker_interval", own, d)
	}
	if p.Release == "2.1.2" && p.Mode == Async {
		// producer/producer.go, sendAsync, v2.1.2: it tells the callback, and goes on with an answer of nil.
		c.warn(path+"mode", "go-2.1.2 panics when an asynchronous send gets no answer, which ends the process "+
			"unless primitive.PanicHandler is set; here it goes on")
	}
	if profile.Send.AttemptTimeout == strategy.GoTimeoutFixed && s.SendMsgTimeout != 3000 {
		c.warn(path+"send_msg_timeout", "has no effect in go-%s: an attempt has 3 s", p.Release)
	}
}
