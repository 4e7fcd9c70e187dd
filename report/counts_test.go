package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

// Reading what was written gives it back; nothing is no file.
func TestCountsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z",. \n-]{1,8}`)
		count := rapid.Int64Range(0, 1<<62)
		var r result.Run
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			r.Queues = append(r.Queues, result.QueueCount{
				Phase: name.Draw(t, "phase"), Topic: name.Draw(t, "topic"), Broker: name.Draw(t, "broker"),
				Queue: rapid.IntRange(-8, 1024).Draw(t, "queue"), Sent: count.Draw(t, "sent"),
			})
			r.Instances = append(r.Instances, result.InstanceCount{
				Phase: name.Draw(t, "phase"), Producer: name.Draw(t, "producer"),
				Instance: rapid.IntRange(0, 1000).Draw(t, "instance"), Messages: count.Draw(t, "messages"),
				Failed: count.Draw(t, "failed"), Attempts: count.Draw(t, "attempts"),
				AvoidedNS: count.Draw(t, "avoided"), WorstNS: count.Draw(t, "worst"),
			})
		}
		var got result.Run
		for _, a := range []artefact{queuesFile, instancesFile} {
			data, err := a.render(&input{run: &r})
			if err == nil && len(data) > 0 {
				err = a.read(&got, bytes.NewReader(data))
			}
			if err != nil {
				t.Fatalf("%s: %v", a.path, err)
			}
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
	})
}
