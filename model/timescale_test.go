package model

import (
	"flag"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/sim"
)

// timesFour is how much longer everything takes in the other world.
const timesFour = 4

// slowly is a configuration in which every time is so many times as long, and every rate as low: whatever
// field it is in. Milliseconds of clients are those of World.unit; sizes are bytes and no time.
func slowly(cfg config.Config) config.Config {
	v := reflect.ValueOf(&cfg).Elem()
	lengthen(v)
	return cfg
}

var (
	durationType = reflect.TypeFor[sim.Duration]()
	samplerType  = reflect.TypeFor[sim.Sampler]()
	rateFields   = []string{"Rate", "ReplicationBandwidth"}
	sizeFields   = []string{"MessageSize"}
)

func lengthen(v reflect.Value) {
	switch {
	case v.Type() == durationType:
		v.SetInt(v.Int() * timesFour)
	case v.Type() == samplerType:
		if !v.IsNil() {
			v.Set(reflect.ValueOf(must(sim.Scaled(v.Interface().(sim.Sampler), timesFour))))
		}
	case v.Kind() == reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		if v.IsNil() {
			return // nil means something else than empty
		}
		v.Set(own)
		for i := range v.Len() {
			lengthen(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			switch name := v.Type().Field(i).Name; {
			case slices.Contains(rateFields, name):
				v.Field(i).SetFloat(v.Field(i).Float() / timesFour)
			case !slices.Contains(sizeFields, name):
				lengthen(v.Field(i))
			}
		}
	}
}

// answerTimes notes what each answer took, and counts those that failed.
type answerTimes struct {
	NopObserver
	all    []sim.Duration
	failed int
}

func (o *answerTimes) Answered(a *Answer) {
	o.all = append(o.all, a.At.Sub(a.Scheduled))
	if a.Result.Status == 0 {
		o.failed++
	}
}

// answerTimesOf runs a configuration in a unit of time, and sorts the answerTimes.
func answerTimesOf(t *testing.T, cfg config.Config, unit sim.Duration) *answerTimes {
	t.Helper()
	o := &answerTimes{}
	runTo(t, newWorld(cfg, o, unit), cfg.Duration)
	slices.Sort(o.all)
	return o
}

var scaledWorlds = flag.Int("scaled", 40, "number of random worlds in which all times are scaled")

// All times four times as long, those of RocketMQ's code and of the kernel, the client's clock with its
// phase, its settings and its wake-ups too, and rates a quarter: every quantile of the latency is four
// times as long, within 1 %, in random worlds with slaves and faults. It is the same run but for the
// rounding of nanoseconds, so this finds every time that the model has and nobody can set.
func TestAllTimesScale(t *testing.T) {
	t.Parallel()
	answers, failures := 0, 0
	for seed := 1; seed <= *scaledWorlds; seed++ {
		cfg := rapid.Custom(drawConfig).Example(seed)
		for i := range cfg.Brokers {
			cfg.Brokers[i].RegisterPeriod = 12 * sim.Second // 48 s is one that may be set, too
		}
		a, b := answerTimesOf(t, cfg, 1), answerTimesOf(t, slowly(cfg), timesFour)
		answers, failures = answers+len(a.all), failures+a.failed
		if len(a.all) != len(b.all) || a.failed != b.failed {
			t.Errorf("seed %d: %d answers with %d failures, then %d with %d", seed, len(a.all), a.failed,
				len(b.all), b.failed)
			continue
		}
		for i := range a.all { // every quantile there is
			want := float64(timesFour * a.all[i])
			if got := float64(b.all[i]); math.Abs(got-want) > max(0.01*want, timesFour*10) {
				t.Errorf("seed %d: quantile %d of %d is %v, then %v", seed, i, len(a.all), a.all[i], b.all[i])
				break
			}
		}
	}
	if answers < 100**scaledWorlds || failures < 10**scaledWorlds {
		t.Errorf("only %d answers and %d failures", answers, failures)
	}
}
