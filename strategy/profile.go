package strategy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Profile is how one release decides: a value for every behaviour that changed between releases.
// It comes from [Lookup]; [Profile.With] overrides single behaviours by name. Its slices are
// shared between copies and must not be written to.
type Profile struct {
	// Release is the release looked up, in its canonical spelling, such as "4.9.8".
	Release string

	// Choice of a queue.
	Index          IndexRule
	Selection      Selection
	LastBroker     LastBroker
	ScanOverflow   ScanOverflow
	PickOneAtLeast PickOneAtLeast
	Fallback       Fallback
	WriteQueues    WriteQueues
	PlainScan      PlainScan
	ResetIndex     ResetIndex

	// Fault table.
	Update    UpdateRule
	Available AvailableRule
	Detector  Detector
	// LatencyMax are the defaults of the thresholds; NotAvailableDuration[i] is for how long a
	// latency of at least LatencyMax[i], and below the next, isolates.
	LatencyMax           []Millis
	NotAvailableDuration []Millis
	// IsolationLatency stands in for the latency of an attempt that failed.
	IsolationLatency Millis

	// Synchronous send.
	Budget     BudgetRule
	RequestCap RequestCap
	Flags      EventFlags
	RetryCodes RetryCodes
	// RetryResponseCodes are the broker's response codes that are tried again by default.
	RetryResponseCodes []int

	// Asynchronous send.
	AsyncRetry   AsyncRetry
	AsyncThrow   AsyncThrow
	AsyncRepeat  AsyncRepeat
	AsyncLatency AsyncLatency

	// SelectByHash is the rule of the selector by hash.
	SelectByHash HashRule
}

// behaviour describes one field of a Profile to With and to the table in the documentation.
type behaviour struct {
	key    string
	values []string // nil: parsed by set
	get    func(*Profile) string
	set    func(*Profile, string) error
}

// enum describes an enumeration field.
func enum[E interface {
	~uint8
	String() string
}](key string, values []string, field func(*Profile) *E) behaviour {
	return behaviour{
		key:    key,
		values: values,
		get:    func(p *Profile) string { return (*field(p)).String() },
		set: func(p *Profile, value string) error {
			i := slices.Index(values, value)
			if i < 0 {
				return fmt.Errorf("want one of %s", strings.Join(values, ", "))
			}
			*field(p) = E(i)
			return nil
		},
	}
}

// list describes a field that is a list of times.
func list(key string, field func(*Profile) *[]Millis) behaviour {
	return behaviour{
		key: key,
		get: func(p *Profile) string {
			words := make([]string, 0, len(*field(p)))
			for _, v := range *field(p) {
				words = append(words, formatMillis(v))
			}
			return strings.Join(words, ",")
		},
		set: func(p *Profile, value string) error {
			var times []Millis
			for word := range strings.SplitSeq(value, ",") {
				v, err := parseMillis(strings.TrimSpace(word))
				if err != nil {
					return err
				}
				times = append(times, v)
			}
			*field(p) = times
			return nil
		},
	}
}

// behaviours lists every field of a Profile, in the order of the documentation.
var behaviours = []behaviour{
	enum("index", indexRuleNames, func(p *Profile) *IndexRule { return &p.Index }),
	enum("selection", selectionNames, func(p *Profile) *Selection { return &p.Selection }),
	enum("last_broker", lastBrokerNames, func(p *Profile) *LastBroker { return &p.LastBroker }),
	enum("scan_overflow", scanOverflowNames,
		func(p *Profile) *ScanOverflow { return &p.ScanOverflow }),
	enum("pick_one_at_least", pickOneAtLeastNames,
		func(p *Profile) *PickOneAtLeast { return &p.PickOneAtLeast }),
	enum("fallback", fallbackNames, func(p *Profile) *Fallback { return &p.Fallback }),
	enum("write_queues", writeQueuesNames, func(p *Profile) *WriteQueues { return &p.WriteQueues }),
	enum("plain_scan", plainScanNames, func(p *Profile) *PlainScan { return &p.PlainScan }),
	enum("reset_index", resetIndexNames, func(p *Profile) *ResetIndex { return &p.ResetIndex }),
	enum("update_fault_item", updateRuleNames, func(p *Profile) *UpdateRule { return &p.Update }),
	enum("is_available", availableRuleNames,
		func(p *Profile) *AvailableRule { return &p.Available }),
	enum("detector", detectorNames, func(p *Profile) *Detector { return &p.Detector }),
	list("latency_max", func(p *Profile) *[]Millis { return &p.LatencyMax }),
	list("not_available_duration", func(p *Profile) *[]Millis { return &p.NotAvailableDuration }),
	{
		key: "isolation_latency",
		get: func(p *Profile) string { return formatMillis(p.IsolationLatency) },
		set: func(p *Profile, value string) (err error) {
			p.IsolationLatency, err = parseMillis(value)
			return err
		},
	},
	enum("budget", budgetRuleNames, func(p *Profile) *BudgetRule { return &p.Budget }),
	enum("request_cap", requestCapNames, func(p *Profile) *RequestCap { return &p.RequestCap }),
	enum("event_flags", eventFlagsNames, func(p *Profile) *EventFlags { return &p.Flags }),
	enum("retry_codes", retryCodesNames, func(p *Profile) *RetryCodes { return &p.RetryCodes }),
	{
		key: "retry_response_codes",
		get: func(p *Profile) string { return formatCodes(p.RetryResponseCodes) },
		set: func(p *Profile, value string) (err error) {
			p.RetryResponseCodes, err = parseCodes(value)
			return err
		},
	},
	enum("async_retry", asyncRetryNames, func(p *Profile) *AsyncRetry { return &p.AsyncRetry }),
	enum("async_throw", asyncThrowNames, func(p *Profile) *AsyncThrow { return &p.AsyncThrow }),
	enum("async_repeat", asyncRepeatNames, func(p *Profile) *AsyncRepeat { return &p.AsyncRepeat }),
	enum("async_latency", asyncLatencyNames,
		func(p *Profile) *AsyncLatency { return &p.AsyncLatency }),
	enum("select_by_hash", hashRuleNames, func(p *Profile) *HashRule { return &p.SelectByHash }),
}

// Behaviours lists the names that With accepts, in the order of the documentation.
func Behaviours() []string {
	keys := make([]string, 0, len(behaviours))
	for i := range behaviours {
		keys = append(keys, behaviours[i].key)
	}
	return keys
}

// BehaviourValues lists the values of a behaviour, nil if it takes a time, a list of times or a
// list of codes, or does not exist.
func BehaviourValues(key string) []string {
	for i := range behaviours {
		if behaviours[i].key == key {
			return slices.Clone(behaviours[i].values)
		}
	}
	return nil
}

// With returns the profile with one behaviour replaced: a value of [BehaviourValues], a time
// ("10s", "550ms", "550" milliseconds), or a list of times or codes separated by commas. An
// unknown name or value is an error that lists the valid ones.
func (p Profile) With(key, value string) (Profile, error) {
	for i := range behaviours {
		if behaviours[i].key != key {
			continue
		}
		if err := behaviours[i].set(&p, value); err != nil {
			return Profile{}, fmt.Errorf("strategy: behaviour %s = %q: %w", key, value, err)
		}
		return p, nil
	}
	return Profile{}, fmt.Errorf("strategy: no behaviour %q; there are %s",
		key, strings.Join(Behaviours(), ", "))
}

// Behaviour is the value of a behaviour by name, "" if there is none of that name.
func (p Profile) Behaviour(key string) string {
	for i := range behaviours {
		if behaviours[i].key == key {
			return behaviours[i].get(&p)
		}
	}
	return ""
}

// Overrides lists "name=value" for each behaviour that differs from the release's own.
func (p Profile) Overrides() []string {
	own, err := Lookup(p.Release)
	if err != nil {
		return nil
	}
	var out []string
	for i := range behaviours {
		if v := behaviours[i].get(&p); v != behaviours[i].get(&own) {
			out = append(out, behaviours[i].key+"="+v)
		}
	}
	return out
}

// String is the release and its overrides.
func (p Profile) String() string {
	overrides := p.Overrides()
	if len(overrides) == 0 {
		return p.Release
	}
	return p.Release + " with " + strings.Join(overrides, " ")
}

// formatMillis writes whole seconds as "30s", other times as "550ms".
func formatMillis(v Millis) string {
	if v%1000 == 0 {
		return strconv.FormatInt(int64(v/1000), 10) + "s"
	}
	return strconv.FormatInt(int64(v), 10) + "ms"
}

// parseMillis reads "30s", "550ms" or a bare number of milliseconds, none below 0.
func parseMillis(word string) (Millis, error) {
	digits, unit := word, int64(1)
	if s, ok := strings.CutSuffix(word, "ms"); ok {
		digits = s
	} else if s, ok := strings.CutSuffix(word, "s"); ok {
		digits, unit = s, 1000
	}
	const most = 1 << 40 // 34 years; keeps sums with a clock far from overflow
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || v < 0 || v > most/unit {
		return 0, fmt.Errorf("%q is not a time such as 550ms or 30s", word)
	}
	return Millis(v * unit), nil
}

// formatCodes writes response codes separated by commas.
func formatCodes(codes []int) string {
	words := make([]string, 0, len(codes))
	for _, c := range codes {
		words = append(words, strconv.Itoa(c))
	}
	return strings.Join(words, ",")
}

// parseCodes reads response codes separated by commas; "" is none.
func parseCodes(value string) ([]int, error) {
	codes := []int{}
	if value == "" {
		return codes, nil
	}
	for word := range strings.SplitSeq(value, ",") {
		c, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is not a response code", word)
		}
		codes = append(codes, c)
	}
	return codes, nil
}
