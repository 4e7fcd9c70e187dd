package strategy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// row is one line of the table of releases: releases that decide alike, and how.
type row struct {
	releases []string
	profile  Profile
}

// The broker's response codes that matter to the loop.
//
// Source: ResponseCode and RemotingSysResponseCode, the same in every release that has them.
const (
	CodeSystemError         = 1
	CodeSystemBusy          = 2
	CodeRequestNotSupported = 3
	CodeServiceNotAvailable = 14
	CodeNoPermission        = 16
	CodeTopicNotExist       = 17
	CodeNoBuyerID           = 204
	CodeNotInCurrentUnit    = 205
	CodeGoAway              = 1500
)

// rows is the table: each release in exactly one row, rows in the order of their first release.
// The line of 4.9.x goes on beside 5.x (4.9.5-4.9.8 came after 5.0.0), so "since" is not a word
// for it: a row lists its releases.
var rows = buildRows()

func buildRows() []row {
	rows := slices.Concat(rows4(), rows5())
	slices.SortStableFunc(rows, func(a, b row) int {
		return compareReleases(a.releases[0], b.releases[0])
	})
	return rows
}

// first is how the first release decides.
//
// Source: MQFaultStrategy, LatencyFaultToleranceImpl, TopicPublishInfo, ThreadLocalIndex and
// DefaultMQProducerImpl.sendDefaultImpl of rocketmq-4.0.0-incubating.
func first() Profile {
	return Profile{
		Index:                IndexToZero,
		Selection:            SelectionScan,
		LastBroker:           LastBrokerMustEqual,
		ScanOverflow:         ScanOverflowFolds,
		PickOneAtLeast:       PickShuffleSortHalf,
		Fallback:             FallbackMutates,
		WriteQueues:          WriteQueuesAny,
		PlainScan:            PlainScanOneStep,
		ResetIndex:           ResetIndexNever,
		Update:               UpdateOverwrites,
		Available:            AvailableByTime,
		Detector:             DetectorNone,
		LatencyMax:           []Millis{50, 100, 550, 1000, 2000, 3000, 15000},
		NotAvailableDuration: []Millis{0, 0, 30000, 60000, 120000, 180000, 600000},
		IsolationLatency:     30000,
		Budget:               BudgetPerAttempt,
		RequestCap:           RequestCapNone,
		Flags:                FlagsIsolate,
		RetryCodes:           RetryCodesFixed,
		RetryResponseCodes: []int{
			CodeTopicNotExist, CodeServiceNotAvailable, CodeSystemError, CodeNoPermission,
			CodeNoBuyerID, CodeNotInCurrentUnit,
		},
		SelectByHash: HashAbsFirst,
	}
}

// rows4 are the releases up to 4.9.8, and the two previews of 5.0.0, which were cut from 4.9.x.
// Each row is the one before it and what changed.
func rows4() []row {
	var out []row
	p := first()
	add := func(releases ...string) { out = append(out, row{releases, p}) }

	add("4.0.0")

	p.AsyncRepeat = AsyncRepeatSameBroker // MQClientAPIImpl.onExceptionImpl
	add("4.1.0", "4.2.0")

	p.Budget = BudgetShared // sendDefaultImpl
	add("4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1", "4.5.2", "4.6.0", "4.6.1")

	p.AsyncRetry = AsyncRetryRemaining // MQClientAPIImpl.sendMessageAsync
	add("4.7.0", "4.7.1")

	p.LastBroker = LastBrokerIgnored // MQFaultStrategy.selectOneMessageQueue
	p.PlainScan = PlainScanStepEach  // TopicPublishInfo.selectOneMessageQueue(String)
	p.Index = IndexStuck             // ThreadLocalIndex.getAndIncrement
	p.SelectByHash = HashModuloFirst // SelectMessageQueueByHash.select
	add("4.8.0")

	p.Index = IndexReversed // ThreadLocalIndex.incrementAndGet
	add("4.9.0", "4.9.1", "5.0.0-PREVIEW")

	p.RetryCodes = RetryCodesSettable // DefaultMQProducer.retryResponseCodes
	add("4.9.2")

	p.AsyncThrow = AsyncThrowRetries // MQClientAPIImpl.sendMessageAsync
	add("4.9.3", "5.0.0-ALPHA")

	p.Index = IndexMaskedAbsStart   // ThreadLocalIndex.incrementAndGet
	p.PickOneAtLeast = PickSortHalf // LatencyFaultToleranceImpl.pickOneAtLeast
	add("4.9.4", "4.9.5", "4.9.6", "4.9.7")

	p.Fallback = FallbackCopies         // MQFaultStrategy.selectOneMessageQueue
	p.WriteQueues = WriteQueuesWritable // TopicPublishInfo.getQueueIdByBroker
	add("4.9.8")
	return out
}

// rows5 are the releases from 5.0.0 on, which was cut from 4.9.4. Each row is the one before it
// and what changed.
func rows5() []row {
	var out []row
	p := first()
	add := func(releases ...string) { out = append(out, row{releases, p}) }

	p.Budget = BudgetShared
	p.AsyncRetry = AsyncRetryRemaining
	p.AsyncThrow = AsyncThrowRetries
	p.AsyncRepeat = AsyncRepeatSameBroker
	p.LastBroker = LastBrokerIgnored
	p.PlainScan = PlainScanStepEach
	p.RetryCodes = RetryCodesSettable
	p.PickOneAtLeast = PickSortHalf
	p.SelectByHash = HashModuloFirst
	p.Index = IndexMasked // ThreadLocalIndex.incrementAndGet
	add("5.0.0")

	p.ScanOverflow = ScanOverflowThrows // MQFaultStrategy.selectOneMessageQueue
	add("5.1.0")

	p.LastBroker = LastBrokerMustDiffer // MQFaultStrategy.selectOneMessageQueue
	add("5.1.1", "5.1.2", "5.1.3")

	p.Selection = SelectionFilters // MQFaultStrategy.selectOneMessageQueue
	p.ResetIndex = ResetIndexOnRetry
	p.LatencyMax = []Millis{50, 100, 550, 1800, 3000, 5000, 15000}
	p.NotAvailableDuration = []Millis{0, 0, 2000, 5000, 6000, 10000, 30000}
	p.IsolationLatency = 10000            // MQFaultStrategy.updateFaultItem
	p.Update = UpdateExtends              // FaultItem.updateNotAvailableDuration
	p.Available = AvailableIfReachable    // FaultItem.isAvailable
	p.PickOneAtLeast = PickFirstReachable // never called by the producer
	p.Fallback = FallbackCopies           // gone with the call of pickOneAtLeast
	p.Detector = DetectorProperty         // LatencyFaultToleranceImpl.detectByOneRound
	p.Flags = FlagsReachable              // sendDefaultImpl
	add("5.1.4")

	p.Available = AvailableByTime
	p.Detector = DetectorSetter        // DefaultMQProducer.setStartDetectorEnable
	p.AsyncLatency = AsyncLatencyBegun // MQClientAPIImpl.sendMessageAsync
	add("5.2.0")

	// DefaultMQProducer.retryResponseCodes
	p.RetryResponseCodes = append(slices.Clip(p.RetryResponseCodes), CodeSystemBusy)
	add("5.3.0")

	p.RetryResponseCodes = append(slices.Clip(p.RetryResponseCodes), CodeGoAway)
	add("5.3.1")

	p.AsyncRetry = AsyncRetryIfLeft // MQClientAPIImpl.onExceptionImpl
	add("5.3.2")

	p.RequestCap = RequestCapButLast // sendDefaultImpl, sendMsgMaxTimeoutPerRequest
	add("5.3.3")
	return out
}

// Releases lists every release that Lookup knows, in version order; the previews of 5.0.0 stand
// before it.
func Releases() []string {
	var out []string
	for i := range rows {
		out = append(out, rows[i].releases...)
	}
	slices.SortFunc(out, compareReleases)
	return out
}

// Lookup returns how a release decides. It takes a version ("4.9.8"), a tag of the repository
// ("rocketmq-all-4.9.8"), with or without "-incubating", and the previews "5.0.0-ALPHA" and
// "5.0.0-PREVIEW" in any case. Space around it and a v before the number do not matter. An unknown
// release is an error that names its neighbours; for a line such as "5.3", its first and last.
func Lookup(release string) (Profile, error) {
	name := strings.TrimSpace(release)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "rocketmq-"), "all-")
	name = strings.TrimSuffix(name, "-incubating")
	if len(name) > 0 && (name[0] == 'v' || name[0] == 'V') {
		name = name[1:]
	}
	for i := range rows {
		for _, known := range rows[i].releases {
			if strings.EqualFold(known, name) {
				p := rows[i].profile
				p.Release = known
				return p, nil
			}
		}
	}
	return Profile{}, unknownRelease(release, name)
}

// unknownRelease names the releases beside one that is not there.
func unknownRelease(release, name string) error {
	known := Releases()
	if line := releasesOf(known, name); len(line) > 0 {
		return fmt.Errorf("strategy: %q is not a single release; its releases are %s to %s",
			release, line[0], line[len(line)-1])
	}
	for strings.Count(name, ".") < 2 {
		name += ".0" // a line without releases has the neighbours of its first
	}
	if _, ok := parseRelease(name); !ok {
		return fmt.Errorf("strategy: %q is not a release; known are %s to %s",
			release, known[0], known[len(known)-1])
	}
	i, _ := slices.BinarySearchFunc(known, name, compareReleases)
	switch i {
	case 0:
		return fmt.Errorf("strategy: unknown release %q; the first known is %s", release, known[0])
	case len(known):
		return fmt.Errorf("strategy: unknown release %q; the last known is %s",
			release, known[i-1])
	}
	return fmt.Errorf("strategy: unknown release %q; its neighbours are %s and %s",
		release, known[i-1], known[i])
}

// releasesOf are the releases of a line such as "5.3" or "5", none if it is not a line.
func releasesOf(known []string, line string) []string {
	var out []string
	for _, r := range known {
		if strings.HasPrefix(r, line+".") {
			out = append(out, r)
		}
	}
	return out
}

// compareReleases orders releases by their numbers, the previews before the release they precede.
func compareReleases(a, b string) int {
	va, _ := parseRelease(a)
	vb, _ := parseRelease(b)
	if c := slices.Compare(va[:], vb[:]); c != 0 {
		return c
	}
	return strings.Compare(strings.ToUpper(a), strings.ToUpper(b))
}

// parseRelease reads "x.y.z" or "x.y.z-WORD". The fourth number ranks what has the same three:
// 0 for a PREVIEW (of August 2021), 1 for another word (ALPHA came in March 2022), 2 for none.
func parseRelease(name string) (v [4]int, ok bool) {
	numbers, word, preview := strings.Cut(name, "-")
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || (preview && word == "") {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	switch {
	case !preview:
		v[3] = 2
	case !strings.EqualFold(word, "PREVIEW"):
		v[3] = 1
	}
	return v, true
}
