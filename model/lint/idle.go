package lint

import (
	"simrun/model/config"
	"simrun/strategy"
)

// idleSettings warns of settings that somebody changed and that change nothing in the way the producer
// sends.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl (the loop is of synchronous sends without a queue or a
// selector), 4.2.0, 4.9.8 and 5.3.3; of the Go client, defaultProducer.sendSync and sendOneWay, v2.1.2.
func (l *linter) idleSettings() {
	s := &l.p.Settings
	if l.p.Mode != config.Async && l.java() && s.RetryTimesWhenSendAsyncFailed != defaultRetries {
		l.told("retry_times_when_send_async_failed", "changes nothing in mode %q", l.p.Mode)
	}
	usual := defaultRetries
	if !l.java() {
		usual = strategy.GoDefaultSettings().RetryTimesWhenSendFailed
	}
	why := l.noLoop()
	for _, v := range []struct {
		key string
		set bool
	}{
		{"retry_times_when_send_failed", s.RetryTimesWhenSendFailed != usual},
		{"retry_another_broker_when_not_store_ok", s.RetryAnotherBrokerWhenNotStoreOK},
		{"retry_response_codes", s.RetryResponseCodes != nil},
		{"send_msg_max_timeout_per_request", l.limits()},
	} {
		if v.set && why != "" {
			l.told(v.key, "changes nothing %s", why)
		}
	}
	if l.limits() && why == "" && s.RetryTimesWhenSendFailed == 0 {
		l.told("send_msg_max_timeout_per_request", "changes nothing without retries: it is for attempts that "+
			"another one can follow")
	}
}

// limits says whether somebody set a limit of attempts.
func (l *linter) limits() bool {
	return l.java() && l.profile.RequestCap == strategy.RequestCapButLast &&
		l.p.Settings.SendMsgMaxTimeoutPerRequest > -1
}

// noLoop says why a send of the producer has one attempt, or those of its callback only; "" if it has not.
func (l *linter) noLoop() string {
	switch {
	case l.p.Mode == config.Async, l.p.Mode == config.OneWay && l.java():
		return `in mode "` + l.p.Mode.String() + `"`
	case l.java() && l.p.Choice != config.ChooseByPolicy:
		return `with queue_choice = "` + l.p.Choice.String() + `": such a send has one attempt`
	default:
		return ""
	}
}
