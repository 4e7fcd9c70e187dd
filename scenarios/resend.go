package scenarios

import (
	"simrun/model/config"
)

const onFailureWant = `"drop", or { resend = 3, delay = "200ms" }`

// onFailureKind is what a caller does about a failed send.
var onFailureKind = kind{
	name: onFailureWant, want: onFailureWant, bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind == nodeScalar && n.scalar == "drop" {
			return config.OnFailure{}, `"drop"`, true
		}
		if n.kind != nodeTable {
			if s, isText := n.scalar.(string); isText && n.kind == nodeScalar {
				l.fail(n, "%s: %q is not known; it is %s", n.path, s, onFailureWant)
			} else {
				l.mismatch(n, onFailureWant)
			}
			return nil, "", false
		}
		r := inlineReader{l: l, n: n}
		r.only("on_failure", "resend", "delay")
		times, _ := field[int](&r, "resend", whole(1, 100), "")
		delay, _ := field[sampled](&r, "delay", durationSampler, `"0s"`)
		return config.OnFailure{Resends: times, Delay: delay.Sampler}, r.done(), !r.failed
	},
}
