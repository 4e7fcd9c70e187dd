package scenarios

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"simrun/sim"
)

// Units by what they measure, largest first, as factors of the base unit.
type unit struct {
	name   string
	factor float64
}

var (
	durationUnits = []unit{
		{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"µs", 1e3}, {"ns", 1},
	}
	sizeUnits = []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
	rateUnits = []unit{{"/ms", 1e3}, {"/s", 1}, {"/min", 1.0 / 60}, {"/h", 1.0 / 3600}}
)

// isUnit says whether text is a unit of some quantity, or the beginning of a compound duration.
func isUnit(text string) bool {
	for _, units := range [][]unit{durationUnits, sizeUnits, rateUnits, {{"%", 1}}} {
		for _, u := range units {
			if text == u.name {
				return true
			}
		}
	}
	_, err := time.ParseDuration("1" + text)
	return err == nil
}

// maxDuration bounds a duration, ten years: a run keeps a figure for each of its windows, and times
// are added to each other.
const maxDuration = 87_600 * time.Hour

var errTooLong = errors.New("is too long; a duration is at most 87600h, ten years")

// parseDuration reads a duration with its unit. It may not be negative, nor more than
// maxDuration.
func parseDuration(text string) (sim.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case isNumber(text):
		return 0, fmt.Errorf("has no unit; write \"%sms\" or \"%ss\"", text, text)
	case err != nil && strings.Contains(err.Error(), "invalid duration") && tooLarge(text):
		return 0, errTooLong
	case err != nil:
		return 0, fmt.Errorf("is not a duration; a number and one of ns, us, ms, s, m, h is")
	case d < 0:
		return 0, fmt.Errorf("is negative")
	case d > maxDuration:
		return 0, errTooLong
	}
	return d, nil
}

// tooLarge tells a duration that overflows from one that is malformed.
func tooLarge(text string) bool {
	digits := strings.TrimLeft(text, "0123456789.")
	x, err := strconv.ParseFloat(text[:len(text)-len(digits)], 64)
	if err != nil {
		return false
	}
	for _, u := range durationUnits {
		if digits == u.name {
			return x*u.factor >= math.MaxInt64
		}
	}
	return false
}

// formatDuration writes a duration as a whole number of the largest unit up to seconds.
func formatDuration(d sim.Duration) string {
	switch {
	case d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	case d%time.Millisecond == 0:
		return strconv.FormatInt(int64(d/time.Millisecond), 10) + "ms"
	case d%time.Microsecond == 0:
		return strconv.FormatInt(int64(d/time.Microsecond), 10) + "us"
	default:
		return strconv.FormatInt(int64(d), 10) + "ns"
	}
}

// splitUnit splits "3.5KiB" into 3.5 and the unit; ok is false if either is missing or unknown.
func splitUnit(text string, units []unit) (number float64, u unit, ok bool) {
	digits := strings.TrimLeft(text, "0123456789.")
	number, err := strconv.ParseFloat(text[:len(text)-len(digits)], 64)
	if err != nil {
		return 0, unit{}, false
	}
	digits = strings.TrimLeft(digits, " ")
	for _, u := range units {
		if u.name == digits {
			return number, u, true
		}
	}
	return 0, unit{}, false
}

// maxSize bounds a size, which is always that of a message: brokers refuse what is above their
// maxMessageSize, 4 MiB unless it was raised.
const maxSize = 64 << 20

// parseSize reads a number of bytes with its unit, from 1 to maxSize.
func parseSize(text string) (int64, error) {
	bytes, err := parseBytes(text)
	if err == nil && (bytes < 1 || bytes > maxSize) {
		err = fmt.Errorf("is not a whole number of bytes from 1B to 64MiB")
	}
	return bytes, err
}

// maxLogSize bounds the length of a log, so that lengths can be added up: a pebibyte.
const maxLogSize = 1 << 50

// parseLogSize reads a number of bytes with its unit, from 0 to maxLogSize.
func parseLogSize(text string) (int64, error) {
	bytes, err := parseBytes(text)
	if err == nil && bytes > maxLogSize {
		err = fmt.Errorf("is too much; a log has at most 1048576GiB")
	}
	return bytes, err
}

// parseBytes reads a number of bytes with its unit; one beyond all limits is as good as another.
func parseBytes(text string) (int64, error) {
	x, u, ok := splitUnit(text, sizeUnits)
	if !ok {
		return 0, fmt.Errorf("is not a size; a number and one of B, KiB, MiB, GiB is")
	}
	bytes := min(x*u.factor, 2*maxLogSize)
	if bytes != math.Trunc(bytes) {
		return 0, fmt.Errorf("is not a whole number of bytes")
	}
	return int64(bytes), nil
}

// parseBandwidth reads bytes per second, from 1 to maxLogSize.
func parseBandwidth(text string) (float64, error) {
	size, perSecond := strings.CutSuffix(text, "/s")
	x, u, ok := splitUnit(size, sizeUnits)
	switch {
	case !ok || !perSecond:
		return 0, fmt.Errorf("is not a bandwidth; a number and one of B/s, KiB/s, MiB/s, GiB/s is")
	case !(x*u.factor >= 1 && x*u.factor <= maxLogSize):
		return 0, fmt.Errorf("is not within 1B/s and 1048576GiB/s")
	}
	return x * u.factor, nil
}

// formatBandwidth writes bytes per second as a number of the largest unit that leaves it whole.
func formatBandwidth(bytes float64) string {
	for _, u := range sizeUnits {
		if x := bytes / u.factor; x >= 1 && x == math.Trunc(x) {
			return strconv.FormatFloat(x, 'f', -1, 64) + u.name + "/s"
		}
	}
	return strconv.FormatFloat(bytes, 'f', -1, 64) + "B/s"
}

// formatSize writes bytes as a whole number of the largest unit.
func formatSize(bytes int64) string {
	for _, u := range sizeUnits {
		if f := int64(u.factor); bytes >= f && bytes%f == 0 {
			return strconv.FormatInt(bytes/f, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + "B"
}

// maxRate bounds a rate per second.
const maxRate = 1e7

// parseRate reads events per time, at most maxRate, and returns them per second.
func parseRate(text string) (float64, error) {
	x, u, ok := splitUnit(text, rateUnits)
	switch {
	case isNumber(text):
		return 0, fmt.Errorf("has no unit; write \"%s/s\"", text)
	case !ok:
		return 0, fmt.Errorf("is not a rate; a number and one of /ms, /s, /min, /h is")
	case u.factor < 1:
		x /= math.Round(1 / u.factor) // rounds once, where the product would round twice
	default:
		x *= u.factor
	}
	if x > maxRate {
		return 0, fmt.Errorf("is too much; a rate is at most 10000000/s")
	}
	if x == 0 {
		return 0, fmt.Errorf("is nothing; a rate is above 0 and at most 10000000/s")
	}
	return x, nil
}

func formatRate(perSecond float64) string {
	return strconv.FormatFloat(perSecond, 'f', -1, 64) + "/s" // an exponent would not be read
}

// parseRatio reads a percentage as a number from 0 to 1.
func parseRatio(text string) (float64, error) {
	number, found := strings.CutSuffix(text, "%")
	number = strings.TrimSpace(number)
	if !found || !isNumber(number) {
		return 0, fmt.Errorf("is not a ratio; a number from 0 to 1 or a percentage such as " +
			"\"99.9%%\" is")
	}
	// Shifting the decimal point in the text rounds once, dividing by 100 would round twice.
	x, err := strconv.ParseFloat(number+"e-2", 64)
	if err != nil {
		x, err = strconv.ParseFloat(number, 64)
		x /= 100
	}
	return x, err
}

// isNumber says whether text is a plain number.
func isNumber(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// formatFloat is the shortest TOML number that reads back the same.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
