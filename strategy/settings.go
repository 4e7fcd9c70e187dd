package strategy

import (
	"fmt"
	"slices"
)

// Settings are what a user sets on a producer. Start from [DefaultSettings]: the zero value is
// not a usable one (it would allow no time for a send).
type Settings struct {
	// SendLatencyFaultEnable switches fault avoidance on. Off by default in every release; while
	// off nothing is recorded. Source: MQFaultStrategy.sendLatencyFaultEnable.
	SendLatencyFaultEnable bool
	// StartDetectorEnable switches the detector on (5.1.4 and later). Off by default.
	StartDetectorEnable bool
	// DetectInterval is how long a broker is not probed again; with the detector's own tick of
	// [DetectorTick] the cadence is 3 s. Default 2000, not settable in practice: the producer
	// hands a copy of its configuration to the strategy before a user can change it.
	DetectInterval Millis
	// DetectTimeout bounds the wait for the answer of a probe. Default 200, likewise.
	DetectTimeout Millis
	// LatencyMax are the thresholds, strictly increasing; nil = the release's defaults. Empty, it
	// isolates nothing.
	LatencyMax []Millis
	// NotAvailableDuration are the isolations, one for each threshold, none negative; nil = the
	// release's defaults.
	NotAvailableDuration []Millis
	// SendMsgTimeout is the time for a send, or for an attempt in releases with
	// [BudgetPerAttempt]. Default 3000, at least 1.
	SendMsgTimeout Millis
	// RetryTimesWhenSendFailed is the number of attempts after the first. Default 2, at least 0.
	RetryTimesWhenSendFailed int
	// RetryTimesWhenSendAsyncFailed is the number of attempts of an asynchronous send after the first.
	// Default 2, at least 0.
	RetryTimesWhenSendAsyncFailed int
	// RetryAnotherBrokerWhenNotStoreOK makes an answer other than SEND_OK try again. Default off.
	RetryAnotherBrokerWhenNotStoreOK bool
	// SendMsgMaxTimeoutPerRequest bounds every attempt but the last (5.3.3). Default -1: off.
	SendMsgMaxTimeoutPerRequest Millis
	// RetryResponseCodes are the broker's codes that are tried again (settable from 4.9.2 on);
	// nil = the release's defaults, empty = none.
	RetryResponseCodes []int
}

// DetectorTick is the period of the detector's task, and the delay of its first run.
//
// Source: LatencyFaultToleranceImpl.startDetector, 5.1.4-5.3.3.
const DetectorTick Millis = 3000

// DefaultSettings are the settings of a producer that nobody configured.
//
// Source: DefaultMQProducer and ClientConfig, all releases.
func DefaultSettings(Profile) Settings {
	return Settings{
		DetectInterval:                2000,
		DetectTimeout:                 200,
		SendMsgTimeout:                3000,
		RetryTimesWhenSendFailed:      2,
		RetryTimesWhenSendAsyncFailed: 2,
		SendMsgMaxTimeoutPerRequest:   -1,
	}
}

// Problem is something wrong, or odd, about a setting.
type Problem struct {
	// Key is the setting in snake_case, such as "send_msg_timeout".
	Key string
	// Message says what is wrong with it and what would be right.
	Message string
	// Warning is set if the setting can be used but hardly means what it seems to.
	Warning bool
}

// Validate reports every problem of the settings under a release, in the order of the fields. None
// but warnings: the settings can be used.
func (s Settings) Validate(p Profile) []Problem {
	var out []Problem
	fail := func(key, format string, args ...any) {
		out = append(out, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
	}
	warn := func(key, format string, args ...any) {
		out = append(out, Problem{Key: key, Message: fmt.Sprintf(format, args...), Warning: true})
	}
	s.validateDetector(p, fail, warn)
	s.validateTable(p, fail, warn)
	if s.SendMsgTimeout < 1 {
		fail("send_msg_timeout", "is %d ms, must be at least 1", s.SendMsgTimeout)
	}
	if s.RetryTimesWhenSendFailed < 0 {
		fail("retry_times_when_send_failed", "is %d, must not be negative",
			s.RetryTimesWhenSendFailed)
	}
	if s.RetryTimesWhenSendAsyncFailed < 0 {
		fail("retry_times_when_send_async_failed", "is %d, must not be negative",
			s.RetryTimesWhenSendAsyncFailed)
	}
	switch limit := s.SendMsgMaxTimeoutPerRequest; {
	case limit < -1:
		fail("send_msg_max_timeout_per_request", "is %d ms, must be -1 (off) or more", limit)
	case limit > -1 && p.RequestCap == RequestCapNone:
		warn("send_msg_max_timeout_per_request", "has no effect in %s", p.Release)
	case limit > -1 && s.RetryTimesWhenSendFailed == 0:
		warn("send_msg_max_timeout_per_request",
			"has no effect without retries: it spares the last attempt")
	}
	if s.RetryResponseCodes != nil && p.RetryCodes == RetryCodesFixed {
		warn("retry_response_codes", "cannot be set in %s: the codes are fixed", p.Release)
	}
	return out
}

// reporter takes one problem of a setting.
type reporter func(key, format string, args ...any)

func (s Settings) validateDetector(p Profile, fail, warn reporter) {
	switch {
	case !s.StartDetectorEnable:
	case p.Detector == DetectorNone:
		warn("start_detector_enable", "has no effect in %s, which has no detector", p.Release)
	case p.Detector == DetectorProperty:
		warn("start_detector_enable",
			"works in %s only as the JVM property com.rocketmq.startDetectorEnable", p.Release)
	}
	if s.DetectInterval < 0 {
		fail("detect_interval", "is %d ms, must not be negative", s.DetectInterval)
	}
	if s.DetectTimeout < 1 {
		fail("detect_timeout", "is %d ms, must be at least 1", s.DetectTimeout)
	}
}

func (s Settings) validateTable(p Profile, fail, warn reporter) {
	limits, durations := s.table(p)
	if len(limits) == 0 {
		warn("latency_max", "is empty: no broker is ever isolated")
	}
	for i := range limits {
		switch {
		case limits[i] < 0:
			fail("latency_max", "entry %d is %d ms, must not be negative", i+1, limits[i])
		case i > 0 && limits[i] <= limits[i-1]:
			fail("latency_max", "entry %d is %d ms, must be more than the %d ms before it",
				i+1, limits[i], limits[i-1])
		}
	}
	if len(limits) != len(durations) {
		fail("not_available_duration", "has %d entries, must have one for each of the %d of "+
			"latency_max", len(durations), len(limits))
	}
	for i := range durations {
		switch {
		case durations[i] < 0:
			fail("not_available_duration", "entry %d is %d ms, must not be negative",
				i+1, durations[i])
		case i > 0 && durations[i] < durations[i-1]:
			warn("not_available_duration", "entry %d is %d ms, less than the %d ms before it: "+
				"a slower broker would be avoided for less time", i+1, durations[i], durations[i-1])
		}
	}
}

// table is the thresholds and isolations in force.
func (s Settings) table(p Profile) (limits, durations []Millis) {
	limits, durations = s.LatencyMax, s.NotAvailableDuration
	if limits == nil {
		limits = p.LatencyMax
	}
	if durations == nil {
		durations = p.NotAvailableDuration
	}
	return limits, durations
}

// retries says whether a broker's response code is tried again.
func (s *Settings) retries(p *Profile, code int) bool {
	if s.RetryResponseCodes != nil && p.RetryCodes == RetryCodesSettable {
		return slices.Contains(s.RetryResponseCodes, code)
	}
	return slices.Contains(p.RetryResponseCodes, code)
}
