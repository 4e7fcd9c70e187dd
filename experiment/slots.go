package experiment

import (
	"simrun/model"
	"simrun/model/config"
)

// slots number the producer groups with each of their topics: with a phase, the finest breakdown of
// messages. The slots of a group follow each other, in the order of its topics.
type slots struct {
	list   []slot
	groups []groupSlots
	// of[group*topics+topic] is a slot, for topics of Config; meaningless for one the group does not
	// send to.
	of     []int
	topics int
}

// groupSlots are those of a group: the first, and whether it has more than one.
type groupSlots struct {
	first int
	many  bool
	// weight is how many messages a send carries, each of which counts.
	weight int64
}

// slot is a producer group and a topic, indices into Config.
type slot struct{ group, topic int }

func newSlots(cfg *config.Config) slots {
	s := slots{topics: len(cfg.Topics), of: make([]int, len(cfg.Producers)*len(cfg.Topics))}
	for g := range cfg.Producers {
		p := &cfg.Producers[g]
		s.groups = append(s.groups, groupSlots{
			first: len(s.list), many: len(p.Topics) > 1, weight: int64(max(1, p.Batch)),
		})
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
	g := &f.slots.groups[m.Group]
	if g.many {
		return f.slotByTopic(m)
	}
	return g.first
}

// slotByTopic is slotOf for a group that has several. It stays apart, so that slotOf is inlined.
//
//go:noinline
func (f *fold) slotByTopic(m *model.Message) int {
	return f.slots.of[int(m.Group)*f.slots.topics+f.world.TopicOf(m)]
}

// weight is how many messages a send of a group carries.
func (f *fold) weight(m *model.Message) int64 { return f.slots.groups[m.Group].weight }
