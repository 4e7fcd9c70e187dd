// Package strategy decides, as RocketMQ's Java client does, to which queue of which broker a
// message goes, which brokers are avoided for how long, and when a synchronous send tries again:
// exactly, for each release from 4.0.0 to 5.3.3.
//
// It is pure. The time is an argument ([Millis]), randomness is a [Source], nothing is read, locked
// or started; the same code runs in a simulation and in a real client. Nothing in it allocates once
// every broker has been met. To share a policy between goroutines, see package concurrent: its
// Policy is RocketMQ's in atomic variables, its NewLocked puts any other under a mutex.
//
// # The algorithm in plain words
//
// A producer keeps a fault table: one item for each broker name it ever sent to. When an attempt
// ends, the producer writes down how long it took and looks that up in a small table of thresholds
// ([Settings.LatencyMax]): the last threshold that the latency reaches gives the time for which the
// broker is not to be used ([Settings.NotAvailableDuration]). An attempt that failed counts as slow
// as [Profile.IsolationLatency], however quickly it failed. A fast answer has an item too, with a
// duration of 0.
//
// To choose a queue, the producer walks round the topic's list of queues, from where this thread
// left off, to the first whose broker is available: one without an item, or whose time has come. If
// none is available, the rules part. To 5.1.3 the fault table names a broker ("pick one at least":
// one of the better half by latency), and a queue is made up for it, which in most releases means
// that an entry of the shared list is overwritten. From 5.1.4 on the producer walks again over
// brokers that are at least reachable, and then takes the next queue whatever it is.
//
// With avoidance off, which is the default of every release, a first attempt takes the next queue
// and a retry the next queue of another broker.
//
// A synchronous send makes up to 1 + [Settings.RetryTimesWhenSendFailed] attempts, one at once
// after the other. From 4.3.0 on they share one budget, [Settings.SendMsgTimeout]: an attempt gets
// what is left, so a single broker that stays silent uses all of it and there is no second
// attempt. See [Loop] for what is tried again and what the caller gets in the end.
//
// The detector of 5.1.4 and later, off by default, probes every broker in the table about every
// three seconds. It can only make an unreachable broker reachable again: it never ends an
// isolation, and it never makes a broker unreachable.
//
// # Releases
//
// A release is a [Profile]: a value for each behaviour that changed in between. [Lookup] finds it,
// [Profile.With] overrides single behaviours by the names below. Releases of 4.9.x went on beside
// 5.x, hence spans and not "since". Each value is documented at its constant, with the file and
// method it was read in. Where the selection of a release has no use for a behaviour
// (pick_one_at_least, fallback, write_queues and scan_overflow under filters, reset_index under
// scan), its value says what happens if the selection is overridden.
//
//	behaviour              value              releases
//	index                  to-zero            4.0.0 - 4.7.1
//	                       stuck              4.8.0
//	                       reversed           4.9.0 - 4.9.3, 5.0.0-PREVIEW - 5.0.0-ALPHA
//	                       masked-abs-start   4.9.4 - 4.9.8
//	                       masked             5.0.0 - 5.3.3
//	selection              scan               4.0.0 - 5.1.3
//	                       filters            5.1.4 - 5.3.3
//	last_broker            must-equal         4.0.0 - 4.7.1
//	                       ignored            4.8.0 - 5.1.0
//	                       must-differ        5.1.1 - 5.3.3
//	scan_overflow          folds              4.0.0 - 5.0.0
//	                       throws             5.1.0 - 5.3.3
//	pick_one_at_least      shuffle-sort-half  4.0.0 - 4.9.3, 5.0.0-PREVIEW - 5.0.0-ALPHA
//	                       sort-half          4.9.4 - 4.9.8, 5.0.0 - 5.1.3
//	                       first-reachable    5.1.4 - 5.3.3
//	fallback               mutates            4.0.0 - 4.9.7, 5.0.0-PREVIEW - 5.1.3
//	                       copies             4.9.8, 5.1.4 - 5.3.3
//	write_queues           any                4.0.0 - 4.9.7, 5.0.0-PREVIEW - 5.3.3
//	                       writable           4.9.8
//	plain_scan             one-step           4.0.0 - 4.7.1
//	                       step-each          4.8.0 - 5.3.3
//	reset_index            never              4.0.0 - 5.1.3
//	                       on-retry           5.1.4 - 5.3.3
//	update_fault_item      overwrites         4.0.0 - 5.1.3
//	                       extends            5.1.4 - 5.3.3
//	is_available           by-time            4.0.0 - 5.1.3, 5.2.0 - 5.3.3
//	                       if-reachable       5.1.4
//	detector               none               4.0.0 - 5.1.3
//	                       property           5.1.4
//	                       setter             5.2.0 - 5.3.3
//	latency_max            50ms,100ms,550ms,1s,2s,3s,15s
//	                                          4.0.0 - 5.1.3
//	                       50ms,100ms,550ms,1800ms,3s,5s,15s
//	                                          5.1.4 - 5.3.3
//	not_available_duration 0s,0s,30s,60s,120s,180s,600s
//	                                          4.0.0 - 5.1.3
//	                       0s,0s,2s,5s,6s,10s,30s
//	                                          5.1.4 - 5.3.3
//	isolation_latency      30s                4.0.0 - 5.1.3
//	                       10s                5.1.4 - 5.3.3
//	budget                 per-attempt        4.0.0 - 4.2.0
//	                       shared             4.3.0 - 5.3.3
//	request_cap            none               4.0.0 - 5.3.2
//	                       all-but-last       5.3.3
//	event_flags            isolate            4.0.0 - 5.1.3
//	                       reachable          5.1.4 - 5.3.3
//	retry_codes            fixed              4.0.0 - 4.9.1, 5.0.0-PREVIEW
//	                       settable           4.9.2 - 4.9.8, 5.0.0-ALPHA - 5.3.3
//	retry_response_codes   17,14,1,16,204,205 4.0.0 - 5.2.0
//	                       17,14,1,16,204,205,2
//	                                          5.3.0
//	                       17,14,1,16,204,205,2,1500
//	                                          5.3.1 - 5.3.3
//	async_retry            zero-timeout       4.0.0 - 4.6.1
//	                       remaining          4.7.0 - 5.3.1
//	                       if-left            5.3.2 - 5.3.3
//	async_throw            ends               4.0.0 - 4.9.2, 5.0.0-PREVIEW
//	                       retries            4.9.3 - 4.9.8, 5.0.0-ALPHA - 5.3.3
//	async_repeat           throws             4.0.0
//	                       same-broker        4.1.0 - 5.3.3
//	async_latency          written            4.0.0 - 5.1.4
//	                       begun              5.2.0 - 5.3.3
//	select_by_hash         abs-first          4.0.0 - 4.7.1
//	                       modulo-first       4.8.0 - 5.3.3
//
// # The Go client
//
// The official Go client, rocketmq-client-go v2, has no fault table, no detector and no budget. Its send
// loop is [GoLoop], its releases are [GoReleases] and what they decide [GoProfile], its selectors
// [SelectGoRoundRobin], [SelectGoHash], [SelectByRandom] and, for a queue that the caller sets,
// [SelectFixed].
//
// # In other words
//
// Finagle (failure accrual, liveness) and Envoy (outlier detection) do the same job with other
// rules. Their words and RocketMQ's:
//
//	RocketMQ                          Finagle                       Envoy
//	isolation                         markDeadOnFailure             ejection
//	notAvailableDuration              markDeadFor, a backoff        base_ejection_time
//	latencyMax                        - (counts failures)           - (counts failures)
//	one failed attempt isolates       consecutiveFailures = 1       consecutive_5xx = 1
//	available (start time reached)    open                          not ejected
//	a success ends it (to 5.1.3)      revived                       - (time ends it)
//	reachable flag and detector       probing before revival        active health check
//	pickOneAtLeast, last resort       all nodes down: pick anyway   panic threshold
//	last broker excluded on a retry   requeue through the balancer  previous_hosts predicate
//	sendMsgTimeout, shared            withTimeoutTotal              route timeout
//	sendMsgMaxTimeoutPerRequest       withTimeoutPerRequest         per_try_timeout
//	retryResponseCodes                ResponseClassifier            retriable_status_codes
//
// Three things they have and RocketMQ does not: a limit on how many hosts may be ejected at once
// (Envoy's max_ejection_percent), an ejection that grows each time (both), and a single request as
// the way back (Finagle). The last of them is here as a baseline,
// see [NewHalfOpen].
package strategy
