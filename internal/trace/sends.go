package trace

import (
	"io"
	"strconv"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
)

// sendsHeader are the columns of sends.csv.
const sendsHeader = "producer,instance,message,messages,attempt,retry,broker,queue," +
	"scheduled_ns,began_ns,ended_ns,outcome,unsent,answered_ns,answer\n"

// sends writes sends.csv: a row for each attempt, when its message was answered.
type sends struct {
	deaf
	output
	window             Window
	producers, brokers []string
	batch              []int64 // by group
	held               held
}

// Sends writes a row for each attempt to w, as messages are answered, and at the end those of messages
// without an answer. A message that got its answer without an attempt has a row with attempt 0. A row belongs
// to the window in which its attempt began, or its message was answered if there was none.
func Sends(cfg *config.Config, w io.Writer, window Window) Sink {
	s := &sends{output: output{w: w}, window: window, held: newHeld()}
	s.producers, s.brokers = names(cfg, csvText)
	for i := range cfg.Producers {
		s.batch = append(s.batch, int64(max(1, cfg.Producers[i].Batch)))
	}
	s.line = append(s.line, sendsHeader...)
	s.end()
	return s
}

// AttemptEnded implements experiment.Witness.
func (s *sends) AttemptEnded(a *model.Attempt) {
	switch {
	case !s.window.holds(a.Began):
	case a.AnsweredAt > 0: // its answer did not wait for it
		s.attempt(a, int64(a.AnsweredAt), "")
	default:
		s.held.add(a)
	}
}

// Answered implements experiment.Witness.
func (s *sends) Answered(a *model.Answer) {
	name := answerName(&a.Result)
	if a.Attempts == 0 && s.window.holds(a.At) {
		s.message(&a.Message)
		s.line = append(s.line, ",0,false,,,"...)
		s.number(int64(a.Scheduled))
		s.line = append(s.line, ",,,,"...)
		s.answer(int64(a.At), name)
		return
	}
	list := s.held.take(&a.Message)
	for i := range list {
		s.attempt(&list[i], int64(a.At), name)
	}
	s.held.give(list)
}

// Finish implements Sink.
func (s *sends) Finish(*result.Run) error {
	for _, list := range s.held.left() {
		for i := range list {
			s.attempt(&list[i], 0, "")
		}
	}
	return s.err
}

// attempt writes a row.
func (s *sends) attempt(a *model.Attempt, answered int64, answer string) {
	s.message(&a.Message)
	s.comma(int64(a.Try))
	s.line = append(s.line, ',')
	s.line = strconv.AppendBool(s.line, a.Again)
	s.line = append(s.line, ',')
	if b := int(a.Queue.Broker); b >= 0 && b < len(s.brokers) {
		s.line = append(s.line, s.brokers[b]...)
	}
	s.comma(int64(a.Queue.ID))
	s.comma(int64(a.Scheduled))
	s.comma(int64(a.Began))
	s.comma(int64(a.Ended))
	s.line = append(s.line, ',')
	s.line = append(s.line, csvText(outcomeName(a.Outcome))...)
	s.line = append(s.line, ',')
	s.line = strconv.AppendBool(s.line, a.Unsent)
	s.answer(answered, answer)
}

// message begins a row.
func (s *sends) message(m *model.Message) {
	s.line = append(s.line, s.producers[m.Group]...)
	s.comma(int64(m.Instance))
	s.line = append(s.line, ',')
	s.line = strconv.AppendUint(s.line, m.Number, 10)
	s.comma(s.batch[m.Group])
}

// answer ends a row; at 0 there is none.
func (s *sends) answer(at int64, name string) {
	s.line = append(s.line, ',')
	if at > 0 {
		s.number(at)
	}
	s.line = append(s.line, ',')
	s.line = append(s.line, csvText(name)...)
	s.line = append(s.line, '\n')
	s.end()
}

func (o *output) number(n int64) { o.line = strconv.AppendInt(o.line, n, 10) }

func (o *output) comma(n int64) {
	o.line = append(o.line, ',')
	o.number(n)
}
