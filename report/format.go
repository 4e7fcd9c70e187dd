package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"simrun/internal/result"
)

// none stands for a value that does not exist.
const none = "–"

// digits says how durations below a limit are rounded and shown.
type digits struct {
	limit, step, unit time.Duration
	decimals          int
	suffix            string
}

// fine is for latencies: three or four digits.
var fine = []digits{
	{time.Microsecond, 1, time.Nanosecond, 0, "ns"},
	{100 * time.Microsecond, 100, time.Microsecond, 1, "µs"},
	{time.Millisecond, time.Microsecond, time.Microsecond, 0, "µs"},
	{100 * time.Millisecond, 100 * time.Microsecond, time.Millisecond, 1, "ms"},
	{time.Second, time.Millisecond, time.Millisecond, 0, "ms"},
	{10 * time.Second, time.Millisecond, time.Second, 3, "s"},
	{100 * time.Second, 10 * time.Millisecond, time.Second, 2, "s"},
	{1000 * time.Second, 100 * time.Millisecond, time.Second, 1, "s"},
	{math.MaxInt64, time.Second, time.Second, 0, "s"},
}

// coarse is for the times of a fault: two or three digits.
var coarse = []digits{
	{time.Microsecond, 1, time.Nanosecond, 0, "ns"},
	{10 * time.Microsecond, 100, time.Microsecond, 1, "µs"},
	{time.Millisecond, time.Microsecond, time.Microsecond, 0, "µs"},
	{10 * time.Millisecond, 100 * time.Microsecond, time.Millisecond, 1, "ms"},
	{time.Second, time.Millisecond, time.Millisecond, 0, "ms"},
	{10 * time.Second, 10 * time.Millisecond, time.Second, 2, "s"},
	{100 * time.Second, 100 * time.Millisecond, time.Second, 1, "s"},
	{math.MaxInt64, time.Second, time.Second, 0, "s"},
}

// shown rounds ns to the digits of a row and returns the text with the rounded value behind it.
func shown(ns int64, rows []digits) (text string, rounded int64) {
	if ns == 0 {
		return "0s", 0
	}
	sign, abs := "", time.Duration(ns)
	if ns < 0 {
		sign, abs = "-", -abs
	}
	for _, d := range rows {
		r := abs.Round(d.step)
		if r >= d.limit && d.limit != math.MaxInt64 {
			continue // rounding carried it into the next row
		}
		text = sign + decimal(int64(r), int64(d.unit), d.decimals) + d.suffix
		rounded = int64(r)
		break
	}
	if ns < 0 {
		rounded = -rounded
	}
	return text, rounded
}

// decimal is n/unit with so many decimals; n is not negative.
func decimal(n, unit int64, decimals int) string {
	s := count(n / unit)
	if decimals == 0 {
		return s
	}
	frac := strconv.FormatInt(n%unit+unit, 10)[1:] // with leading zeros
	return s + "." + frac[:decimals]
}

// duration is a latency for people.
func duration(ns int64) string {
	s, _ := shown(ns, fine)
	return s
}

// span is a time of a fault for people, shorter than duration.
func span(ns int64) string {
	s, _ := shown(ns, coarse)
	return s
}

// exact is a duration with all its digits, as a scenario would write it: 4s, 550ms, 1.5s.
func exact(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	unit, suffix := int64(1), "ns"
	switch {
	case ns == 0:
		suffix = "s"
	case ns >= int64(time.Second):
		unit, suffix = int64(time.Second), "s"
	case ns >= int64(time.Millisecond):
		unit, suffix = int64(time.Millisecond), "ms"
	case ns >= int64(time.Microsecond):
		unit, suffix = int64(time.Microsecond), "µs"
	}
	s := count(ns / unit)
	if ns%unit != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(ns%unit+unit, 10)[1:], "0")
	}
	return sign + s + suffix
}

// interval is a stretch of the run: "120–300 s".
func interval(from, to int64) string {
	return strings.TrimSuffix(seconds(from), " s") + "–" + seconds(to)
}

// seconds is a point of simulated time: "120 s", "0.25 s".
func seconds(ns int64) string {
	s := strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	whole, frac, ok := strings.Cut(s, ".")
	s = group(whole, ' ')
	if ok {
		s += "." + frac
	}
	return s + " s"
}

// count is a whole number with its thousands apart: "1 435 168".
func count(n int64) string { return result.Thousands(n) }

// group puts sep between the thousands of a whole number.
func group(digits string, sep rune) string { return result.Group(digits, sep) }

// percent shows a ratio with at least so many decimals, and with more if fewer would round away the
// distance to 0 or to 1: 99.931%, 99.9999%. Exactly 0 and 1 are whole.
func percent(x float64, decimals int) string {
	if x == 0 || x == 1 {
		return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
	}
	const most = 9
	distance := math.Min(math.Abs(x), math.Abs(1-x)) * 100
	for distance < 9.5*math.Pow10(-decimals) && decimals < most {
		decimals++
	}
	return strconv.FormatFloat(100*x, 'f', decimals, 64) + "%"
}

// exactPercent is a ratio with all its digits, as a scenario would write it: 99.95%.
func exactPercent(x float64) string {
	return strconv.FormatFloat(100*x, 'g', 12, 64) + "%"
}

// byteSize is an amount of data: "0 B", "1.2 MiB".
func byteSize(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	x, unit := float64(n), 0
	for x >= 1024 && unit < len("KMGTPE") {
		x /= 1024
		unit++
	}
	decimals := 1
	if x >= 99.95 {
		decimals = 0
	}
	return strconv.FormatFloat(x, 'f', decimals, 64) + " " + "KMGTPE"[unit-1:unit] + "iB"
}

// number is a plain number of limited length.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', 3, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	whole, frac, ok := strings.Cut(s, ".")
	s = group(whole, ' ')
	if ok {
		s += "." + frac
	}
	return s
}

// rateText is a rate of messages per second, in a unit in which it is not lost in decimals.
func rateText(perSecond float64) string {
	const few = 0.1
	switch {
	case perSecond >= few || perSecond <= 0:
		return number(perSecond) + " msg/s"
	case perSecond*60 >= few:
		return number(perSecond*60) + " msg/min"
	case perSecond*3600 >= few:
		return number(perSecond*3600) + " msg/h"
	}
	return strconv.FormatFloat(perSecond*3600, 'g', 3, 64) + " msg/h"
}

// limitText is a limit of an expectation with all its digits.
func limitText(u result.Unit, x float64) string {
	switch u {
	case result.UnitNS:
		return exact(int64(math.Round(x)))
	case result.UnitRatio:
		return exactPercent(x)
	case result.UnitCount:
		return count(int64(math.Round(x)))
	default:
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
}

// valueText is a value of a metric, rounded for people.
func valueText(u result.Unit, x float64) string {
	switch u {
	case result.UnitNS:
		return duration(int64(math.Round(x)))
	case result.UnitRatio:
		return percent(x, 2)
	case result.UnitCount:
		return count(int64(math.Round(x)))
	default:
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
}

// actualText is what an expectation found. It is rounded unless that would put it on the other side
// of a limit or onto it: "120.04ms" beside "≤ 120ms" must not read "120ms".
func actualText(u result.Unit, x float64, limits ...*float64) string {
	rounded := x
	switch u {
	case result.UnitNS:
		_, r := shown(int64(math.Round(x)), fine)
		rounded = float64(r)
	case result.UnitRatio:
		rounded = parsePercent(percent(x, 2))
	case result.UnitPer:
		rounded = math.Round(x*1000) / 1000
	}
	for _, l := range limits {
		if l != nil && sign(x-*l) != sign(rounded-*l) {
			return limitText(u, x)
		}
	}
	return valueText(u, x)
}

func parsePercent(s string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		return math.NaN()
	}
	return x / 100
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
