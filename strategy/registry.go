package strategy

import (
	"fmt"
	"strings"
)

// policyKind is one line of the list of policies.
type policyKind struct {
	name  string
	about string
	make  func(Profile, Settings, []string) Policy
}

// policyKinds lists RocketMQ's policy first, then the baselines.
var policyKinds = []policyKind{
	{"rocketmq", "what the release does", NewRocketMQ},
	{
		"reserve", "the release's, but 100 ms of the budget are kept for each retry (issue 7295)",
		func(p Profile, s Settings, names []string) Policy {
			return NewReserve(NewRocketMQ(p, s, names), 100)
		},
	},
	{"start-time-first", "the release's, but if no broker is available, the one whose isolation " +
		"ends first (issue 5197)", NewStartTimeFirst},
	{"half-open", "a broker whose isolation ended is tried with a single request", NewHalfOpen},
	{
		"go-round-robin", "round robin without a fault table, as the official Go client",
		func(Profile, Settings, []string) Policy {
			return NewSelectorPolicy(&SelectGoRoundRobin{})
		},
	},
	{
		"random", "a random queue each time, without a fault table",
		func(Profile, Settings, []string) Policy { return NewSelectorPolicy(SelectByRandom{}) },
	},
}

// Policies lists the names that NewPolicy knows.
func Policies() []string {
	names := make([]string, 0, len(policyKinds))
	for i := range policyKinds {
		names = append(names, policyKinds[i].name)
	}
	return names
}

// DescribePolicy says in a line what a policy does, "" if there is none of that name.
func DescribePolicy(name string) string {
	for i := range policyKinds {
		if policyKinds[i].name == name {
			return policyKinds[i].about
		}
	}
	return ""
}

// NewPolicy makes a policy by name: "rocketmq", or a baseline to compare it with. An unknown name
// is an error that lists the known ones.
func NewPolicy(name string, p Profile, s Settings, names []string) (Policy, error) {
	for i := range policyKinds {
		if policyKinds[i].name == name {
			return policyKinds[i].make(p, s, names), nil
		}
	}
	return nil, fmt.Errorf("strategy: no policy %q; there are %s",
		name, strings.Join(Policies(), ", "))
}

// NewPolicies makes the policies of n producers that do the same: each is as NewPolicy would make it, and
// they share what never changes.
func NewPolicies(name string, p Profile, s Settings, names []string, n int) ([]Policy, error) {
	all := make([]Policy, n)
	for i := range all {
		if i > 0 {
			if m, ok := all[0].(*RocketMQ); ok {
				all[i] = m.another(names)
				continue
			}
		}
		var err error
		if all[i], err = NewPolicy(name, p, s, names); err != nil {
			return nil, err
		}
	}
	return all, nil
}
