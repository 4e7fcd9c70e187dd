package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
)

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		ns   int64
		want string
	}{
		{0, "0s"},
		{1, "1ns"},
		{999, "999ns"},
		{1000, "1.0µs"},
		{9_940, "9.9µs"},
		{9_960, "10.0µs"},
		{99_960, "100µs"},
		{412_300, "412µs"},
		{999_400, "999µs"},
		{999_600, "1.0ms"}, // carried into the next row
		{2_040_000, "2.0ms"},
		{38_440_000, "38.4ms"},
		{99_960_000, "100ms"},
		{999_499_999, "999ms"},
		{999_500_000, "1.000s"},
		{1_003_400_000, "1.003s"},
		{9_999_600_000, "10.00s"},
		{31_274_000_000, "31.27s"},
		{128_940_000_000, "128.9s"},
		{1_234_500_000_000, "1 235s"},
		{-2_040_000, "-2.0ms"},
	} {
		if got := duration(c.ns); got != c.want {
			t.Errorf("duration(%d) = %q, want %q", c.ns, got, c.want)
		}
	}
}

func TestSpanAndExact(t *testing.T) {
	for _, c := range []struct {
		ns          int64
		span, exact string
	}{
		{0, "0s", "0s"},
		{4_000_000_000, "4.00s", "4s"},
		{550_000_000, "550ms", "550ms"},
		{1_500_000_000, "1.50s", "1.5s"},
		{120_040_000, "120ms", "120.04ms"},
		{17_240_000_000, "17.2s", "17.24s"},
		{133_400_000_000, "133s", "133.4s"},
		{2_500, "2.5µs", "2.5µs"},
		{7, "7ns", "7ns"},
		{-1_500_000, "-1.5ms", "-1.5ms"},
		{12_400, "12µs", "12.4µs"},
	} {
		if got := exact(c.ns); got != c.exact {
			t.Errorf("exact(%d) = %q, want %q", c.ns, got, c.exact)
		}
		if got := span(c.ns); got != c.span {
			t.Errorf("span(%d) = %q, want %q", c.ns, got, c.span)
		}
	}
}

// A shown duration is close to the true one and short.
func TestDurationIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := int64(math.Exp(rapid.Float64Range(0, math.Log(900e9)).Draw(t, "log")))
		for _, c := range []struct {
			rows    []digits
			off     float64
			longest int
		}{{fine, 0.051, 7}, {coarse, 0.051, 6}} {
			text, rounded := shown(ns, c.rows)
			if diff := math.Abs(float64(rounded - ns)); diff > c.off*float64(ns) && ns > 10_000 {
				t.Errorf("%d ns is shown as %s", ns, text)
			}
			if runes(text) > c.longest {
				t.Errorf("%d ns is shown as %s", ns, text)
			}
		}
	})
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{1, 2, "100%"},
		{0, 2, "0%"},
		{0.5, 2, "50.00%"},
		{0.99931, 2, "99.931%"},
		{0.999999, 2, "99.99990%"},
		{0.00012, 2, "0.012%"},
		{0.333333, 1, "33.3%"},
		{0.004, 1, "0.40%"},
		{0.9, 0, "90%"},
	} {
		if got := percent(c.x, c.decimals); got != c.want {
			t.Errorf("percent(%v, %d) = %q, want %q", c.x, c.decimals, got, c.want)
		}
	}
}

// One failure among any number of messages that a run can have is visible.
func TestPercentNeverHidesOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(2, 1_000_000_000).Draw(t, "n")
		for _, k := range []int64{1, n - 1} {
			text := percent(float64(k)/float64(n), 2)
			x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
			if err != nil || x <= 0 || x >= 100 {
				t.Errorf("%d of %d is shown as %s", k, n, text)
			}
		}
	})
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1 000", -1234567: "-1 234 567",
		math.MaxInt64: "9 223 372 036 854 775 807",
	} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB",
		106_700: "104 KiB", 1 << 40: "1.0 TiB", math.MaxInt64: "8.0 EiB",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("byteSize(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestInterval(t *testing.T) {
	if got, want := interval(500_000_000, 1_234*second), "0.5–1 234 s"; got != want {
		t.Errorf("interval = %q, want %q", got, want)
	}
}

// Beside "≤ 120ms" a failing 120.04 ms must not read as 120ms.
func TestActualTextKeepsItsSide(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		unit  result.Unit
		x     float64
		limit *float64
		want  string
	}{
		{result.UnitNS, 120.04e6, at(120e6), "120.04ms"},
		{result.UnitNS, 119.96e6, at(120e6), "119.96ms"},
		{result.UnitNS, 120e6, at(120e6), "120ms"},
		{result.UnitNS, 38.44e6, at(120e6), "38.4ms"},
		{result.UnitNS, 38.44e6, nil, "38.4ms"},
		{result.UnitRatio, 0.99949, at(0.9995), "99.949%"},
		{result.UnitRatio, 0.9994999, at(0.9995), "99.94999%"},
		{result.UnitPer, 1.00049, at(1), "1.00049"},
		{result.UnitPer, 1.0049, at(1), "1.005"},
		{result.UnitCount, 33, at(0), "33"},
	} {
		if got := actualText(c.unit, c.x, c.limit); got != c.want {
			t.Errorf("actualText(%s, %v) = %q, want %q", c.unit, c.x, got, c.want)
		}
	}
}

// Whatever the value and the limit, comparing what is printed gives the verdict.
func TestActualTextNeverContradicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := float64(rapid.Int64Range(1, 1_000_000).Draw(t, "limit_us")) * 1000
		x := limit + float64(rapid.Int64Range(-900, 900_000).Draw(t, "off"))
		got := actualText(result.UnitNS, x, &limit)
		if r := parseDuration(t, got); sign(r-limit) != sign(x-limit) {
			t.Errorf("%v ns against %v reads %s", x, limit, got)
		}
	})
}

func parseDuration(t *rapid.T, s string) float64 {
	for _, u := range []struct {
		suffix string
		ns     float64
	}{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			x, err := strconv.ParseFloat(strings.ReplaceAll(rest, " ", ""), 64)
			if err != nil {
				continue
			}
			return math.Round(x * u.ns)
		}
	}
	t.Fatalf("no duration: %q", s)
	return 0
}

// A rate is never shown as nothing.
func TestRateText(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want string
	}{
		{0, "0 msg/s"},
		{3200, "3 200 msg/s"},
		{0.5, "0.5 msg/s"},
		{1.0 / 60, "1 msg/min"},
		{1.0 / 3600, "1 msg/h"},
		{1.0 / 86400, "0.0417 msg/h"},
	} {
		if got := rateText(c.rate); got != c.want {
			t.Errorf("%v per second: %q, want %q", c.rate, got, c.want)
		}
	}
}
