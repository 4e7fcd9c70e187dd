package experiment

import "simrun/model"

// Witness is told what happens in a run while it happens, in order of time, after the run's own observer: to
// write it down, say. What it is given is valid during the call only. It changes nothing.
type Witness interface {
	// AttemptEnded and Answered are those of model.Observer.
	AttemptEnded(a *model.Attempt)
	Answered(a *model.Answer)
	// TableChanged is that of model.Observer; isolates says that an isolation began with it, or was extended,
	// explained that a fault had its hand on the broker while the attempt behind it was under way.
	TableChanged(c *model.TableChange, isolates, explained bool)
	// Process is that of model.Observer.
	Process(p *model.ProcessEvent)
}

// witnessed is a fold that tells a witness.
type witnessed struct {
	*fold
	w Witness
}

var _ model.Observer = (*witnessed)(nil)

// AttemptEnded implements model.Observer.
func (o *witnessed) AttemptEnded(a *model.Attempt) {
	o.fold.AttemptEnded(a)
	o.w.AttemptEnded(a)
}

// Answered implements model.Observer.
func (o *witnessed) Answered(a *model.Answer) {
	o.fold.Answered(a)
	o.w.Answered(a)
}

// TableChanged implements model.Observer.
func (o *witnessed) TableChanged(c *model.TableChange) {
	o.fold.TableChanged(c)
	o.w.TableChanged(c, o.isolates, o.explained)
}

// Process implements model.Observer.
func (o *witnessed) Process(p *model.ProcessEvent) {
	o.fold.Process(p)
	o.w.Process(p)
}
