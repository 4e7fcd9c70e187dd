package strategy_test

import (
	"fmt"

	"simrun/strategy"
)

// fixed is a Source for examples: every index starts so that the first queue comes first.
type fixed struct{}

func (fixed) Int32() int32         { return -1 }
func (fixed) Int31n(n int32) int32 { return 0 }

// A send to two brokers, the first of which refuses connections.
func Example() {
	profile, err := strategy.Lookup("5.3.3")
	if err != nil {
		panic(err)
	}
	settings := strategy.DefaultSettings(profile)
	settings.SendLatencyFaultEnable = true
	names := []string{"broker-a", "broker-b"}
	policy := strategy.NewRocketMQ(profile, settings, names)
	route := strategy.NewRoute([]strategy.RouteBroker{
		{Broker: 0, WriteQueueNums: 4, Writable: true},
		{Broker: 1, WriteQueueNums: 4, Writable: true},
	})

	var (
		now    strategy.Millis
		thread strategy.Thread
		loop   strategy.Loop
		trace  strategy.Trace
	)
	loop.Begin(now, policy, &profile, &settings, route, &thread, fixed{}, &trace)
	for a, more := loop.Next(now); more; a, more = loop.Next(now) {
		outcome := strategy.Outcome{Kind: strategy.OutcomeOK}
		if a.Queue.Broker == 0 {
			outcome.Kind = strategy.OutcomeConnectFailed
		}
		now += 3
		loop.Done(now, outcome)
		fmt.Printf("attempt %d: %s queue %d within %d ms by rule %q: %s\n", a.Number,
			names[a.Queue.Broker], a.Queue.ID, a.Timeout, trace.Rule, outcome.Kind)
	}
	fmt.Println("the caller gets", loop.Result().Status)
	item, _ := policy.Item(0)
	fmt.Printf("%s is not used before %d ms\n", names[0], item.Start)
	// Output:
	// attempt 1: broker-a queue 0 within 3000 ms by rule "available": CONNECT_FAILED
	// attempt 2: broker-b queue 0 within 2997 ms by rule "available": SEND_OK
	// the caller gets SEND_OK
	// broker-a is not used before 10003 ms
}

// 4.9.8 with the fault table's update rule of 5.1.4.
func ExampleProfile_With() {
	p, err := strategy.Lookup("rocketmq-all-4.9.8")
	if err != nil {
		panic(err)
	}
	p, err = p.With("update_fault_item", "extends")
	fmt.Println(p, err)
	_, err = p.With("update_fault_item", "never")
	fmt.Println(err)
	_, err = strategy.Lookup("4.5.0")
	fmt.Println(err)
	// Output:
	// 4.9.8 with update_fault_item=extends <nil>
	// strategy: behaviour update_fault_item = "never": want one of overwrites, extends
	// strategy: unknown release "4.5.0"; its neighbours are 4.4.0 and 4.5.1
}
