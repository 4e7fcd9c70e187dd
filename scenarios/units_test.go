package scenarios

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestUnitsReproduce: what is written is read again, bit by bit.
func TestUnitsReproduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(maxDuration)).Draw(t, "duration"))
		if got, err := parseDuration(formatDuration(d)); err != nil || got != d {
			t.Fatalf("%v became %v, %v by way of %s", d, got, err, formatDuration(d))
		}
		size := rapid.Int64Range(1, maxSize).Draw(t, "size")
		if got, err := parseSize(formatSize(size)); err != nil || got != size {
			t.Fatalf("%d became %d, %v by way of %s", size, got, err, formatSize(size))
		}
		rate := rapid.Float64Range(1e-9, maxRate).Draw(t, "rate")
		if got, err := parseRate(formatRate(rate)); err != nil || got != rate {
			t.Fatalf("%v became %v, %v by way of %s", rate, got, err, formatRate(rate))
		}
	})
}

func TestParseDuration(t *testing.T) {
	for _, tt := range []struct {
		give string
		want time.Duration
	}{
		{"480s", 480 * time.Second},
		{"8m", 480 * time.Second},
		{"1h30m", 90 * time.Minute},
		{"1.5s", 1500 * time.Millisecond},
		{"400us", 400 * time.Microsecond},
		{"400µs", 400 * time.Microsecond},
		{"7ns", 7},
	} {
		if got, err := parseDuration(tt.give); err != nil || got != tt.want {
			t.Errorf("%q is %v, %v; want %v", tt.give, got, err, tt.want)
		}
	}
	for _, bad := range []string{
		"", "0", "5", "1e3", "-5s", "5 s", "5d", "s", "9999999h", "5s ",
		"87600h1ns", "2562046h",
	} {
		if got, err := parseDuration(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	for give, want := range map[string]float64{
		"400/s": 400, "0.5/s": 0.5, "2/ms": 2000, "6/min": 0.1, "1/min": 1.0 / 60, "36/h": 0.01,
		"3200 /s": 3200,
	} {
		if got, err := parseRate(give); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", give, got, err, want)
		}
	}
	for _, bad := range []string{
		"", "400", "/s", "-1/s", "1/day", "NaN/s", "1e400/s", "0/s", "10001/ms",
	} {
		if got, err := parseRate(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, got)
		}
	}
}

// TestParseRatio: a percentage is the nearest number to what it says; dividing by 100 would miss
// some of them by one bit.
func TestParseRatio(t *testing.T) {
	for give, want := range map[string]float64{
		"99.9%": 0.999, "0%": 0, "100%": 1, "5%": 0.05, "29%": 0.29, "57 %": 0.57, "1e1%": 0.1,
	} {
		if got, err := parseRatio(give); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", give, got, err, want)
		}
	}
	for _, bad := range []string{"", "%", "0.5", "x%", "NaN%", "Inf%"} {
		if got, err := parseRatio(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, got)
		}
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"slaves", "service", "startup", "fsync", "at", "factor"}
	for give, want := range map[string]string{
		"slavs": "slaves", "Slaves": "slaves", "salves": "slaves", "servce": "service",
		"start_up": "startup", "ta": "", "x": "", "slave": "slaves", "broker": "",
	} {
		if got := nearest(give, candidates); got != want {
			t.Errorf("nearest to %q is %q, want %q", give, got, want)
		}
	}
}

func TestSnake(t *testing.T) {
	for give, want := range map[string]string{
		"sendMsgTimeout":                   "send_msg_timeout",
		"retryAnotherBrokerWhenNotStoreOK": "retry_another_broker_when_not_store_ok",
		"registerNameServerPeriod":         "register_name_server_period",
		"count":                            "count",
	} {
		if got := snake(give); got != want {
			t.Errorf("snake(%q) is %q, want %q", give, got, want)
		}
	}
}

// TestConditionsCompareNumerically: 4.9.10 comes after 4.9.8, a preview before its release.
func TestConditionsCompareNumerically(t *testing.T) {
	for _, tt := range []struct {
		condition, release string
		want               bool
	}{
		{"client >= 5.1.4", "5.1.4", true},
		{"client >= 5.1.4", "5.1.3", false},
		{"client > 4.9.8", "4.9.10", true},
		{"client < 5", "4.9.8", true},
		{"client <= 4.9", "4.9.0", true},
		{"client = 5.3.3", "5.3.3", true},
		{"client != 5.3.3", "5.3.3", false},
		{"client < 5.0.0", "5.0.0-PREVIEW", true},
	} {
		c, problem := parseCondition(tt.condition)
		if problem != "" {
			t.Fatal(problem)
		}
		if got := c.holds(tt.release); got != tt.want {
			t.Errorf("%s with %s is %v", tt.condition, tt.release, got)
		}
	}
}
