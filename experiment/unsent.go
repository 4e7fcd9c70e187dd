package experiment

import (
	"fmt"

	"simrun/model"
)

// unsent counts the attempts of a message that its client gave up before it wrote a request or tried to
// connect, and those of them that are not the first of their send. Nothing of them came to a broker, so
// that they are no load; they failed like others.
type unsent struct{ attempts, retries int32 }

// messageID names a message.
type messageID struct {
	group  int32
	number uint64
}

// gaveUp notes an attempt that was never sent, of a message in flight.
func (f *fold) gaveUp(a *model.Attempt) {
	if a.AnsweredAt > 0 {
		return // its answer does not count it
	}
	id := messageID{a.Group, a.Number}
	u := f.unsent[id]
	u.attempts++
	if a.Again {
		u.retries++
	}
	f.unsent[id] = u
}

// neverSent takes what is noted of a message that is answered.
func (f *fold) neverSent(a *model.Answer) unsent {
	if len(f.unsent) == 0 {
		return unsent{}
	}
	id := messageID{a.Group, a.Number}
	u := f.unsent[id]
	delete(f.unsent, id)
	return u
}

// checkUnsent compares the attempts that messages count as never sent with those that brokers do, some of
// which are of messages in flight, or of answered ones.
func (f *fold) checkUnsent(total *leaf) error {
	var made, never int64
	for i := range f.brokers.rows {
		made += f.brokers.rows[i].attempts
		never += f.brokers.rows[i].unsent
	}
	if total.unsent > total.attempts || total.unsentRetries > min(total.unsent, total.retries) ||
		total.unsent > never || never > made {
		return fmt.Errorf("experiment: %d of %d attempts and %d of %d retries of messages were never sent, "+
			"%d of %d attempts to brokers", total.unsent, total.attempts, total.unsentRetries, total.retries,
			never, made)
	}
	return nil
}
