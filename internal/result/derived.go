package result

// Numbers that follow from others. Text, figures and the page show these, so that a formula is written once.
// The second value is false where there is nothing to divide by.

// SuccessRate is the share of answered messages whose caller got no exception.
func (s *Stats) SuccessRate() (float64, bool) { return ratio(s.Answered()-s.Failed, s.Answered()) }

// FirstAttemptRate is the share of answered messages whose first attempt did not fail.
func (s *Stats) FirstAttemptRate() (float64, bool) {
	return ratio(s.Answered()-s.FirstFailed, s.Answered())
}

// AttemptsPerMessage are the attempts sent for the answered messages, per message.
func (s *Stats) AttemptsPerMessage() (float64, bool) { return ratio(s.SentAttempts(), s.Answered()) }

// Amplification is how many times the load that callers asked for came to the brokers: attempts sent in the
// phase, of whatever send, per message of it.
func (s *Stats) Amplification() (float64, bool) { return ratio(s.AttemptsSent, s.Messages) }

// Goodput is what succeeded in the phase, by when it was answered, per message scheduled in it: above 1 while
// a backlog is worked off.
func (a *Availability) Goodput() (float64, bool) { return ratio(a.Answered-a.Failed, a.Scheduled) }

// BelowLevel is the time in which success was below a level (0..1), and the longest stretch of it; 0 for a
// level that is not looked at.
func (a *Availability) BelowLevel(level float64) (ns, longest int64) {
	for _, b := range a.Below {
		if b.Level == level {
			return b.NS, b.LongestNS
		}
	}
	return 0, 0
}

// IsolationPerFault is for how many seconds an instance with avoidance on refused the broker, in the mean,
// per second that the fault had its hand on it.
func (e *FaultEffect) IsolationPerFault() (float64, bool) {
	if e.Avoiding == 0 {
		return 0, false
	}
	return ratio(e.AvoidedNS, int64(e.Avoiding)*e.HeldNS)
}

// IsolationPerFault is that of the broker with most of it.
func (f *Fault) IsolationPerFault() (most float64, ok bool) {
	for i := range f.Effects {
		if x, some := f.Effects[i].IsolationPerFault(); some {
			most, ok = max(most, x), true
		}
	}
	return most, ok
}

// StarvedPerInstance is how long an instance with avoidance on refused the broker after the fault, in the
// mean, in nanoseconds.
func (e *FaultEffect) StarvedPerInstance() (float64, bool) {
	return ratio(e.StarvedNS, int64(e.Avoiding))
}

// ProbeMean is how long a probe took in the mean, in nanoseconds.
func (b *Broker) ProbeMean() (float64, bool) { return ratio(b.ProbeNS, b.Probes) }

func ratio(a, b int64) (float64, bool) {
	if b == 0 {
		return 0, false
	}
	return float64(a) / float64(b), true
}
