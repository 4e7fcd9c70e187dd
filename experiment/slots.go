package experiment

import "simrun/model"

// slots number the producer groups with each of their topics: with a phase, the finest breakdown of
// messages. The slots of a group follow each other, in the order of its topics.
type slots struct {
	list []slot
	// first and many are by group: its first slot, and whether it has more than one.
	first []int
	many  []bool
	// of[group*topics+topic] is a slot, for topics of Config; meaningless for one the group does not
	// send to.
	of     []int
	topics int
	// weight is by group: a send carries so many messages, each of which counts.
	weight []int64
}

// slot is a producer group and a topic, indices into Config.
type slot struct{ group, topic int }

func newSlots(cfg *model.Config) slots {
	s := slots{topics: len(cfg.Topics), of: make([]int, len(cfg.Producers)*len(cfg.Topics))}
	for g := range cfg.Producers {
		p := &cfg.Producers[g]
		s.first = append(s.first, len(s.list))
		s.many = append(s.many, len(p.Topics) > 1)
		s.weight = append(s.weight, int64(max(1, p.Batch)))
		for _, share := range p.Topics {
			for t := range cfg.Topics {
				if cfg.Topics[t].Name == share.Name {
					s.of[g*s.topics+t] = len(s.list)
					s.list = append(s.list, slot{g, t})
				}
			}
		}
	}
	return s
}

// slotOf is the slot of a message.
func (f *fold) slotOf(m *model.Message) int {
	s := &f.slots
	if !s.many[m.Group] {
		return s.first[m.Group]
	}
	return s.of[int(m.Group)*s.topics+f.world.TopicOf(m)]
}

// weight is how many messages a send of a group carries.
func (f *fold) weight(m *model.Message) int64 { return f.slots.weight[m.Group] }
