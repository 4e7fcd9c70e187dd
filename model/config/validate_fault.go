package config

// processes is a set of kinds of processes.
type processes uint8

const (
	masters processes = 1 << iota
	slaves
	nameServers
	instances
	brokers = masters | slaves
	anyone  = brokers | nameServers | instances
)

// faultRule is what a kind of fault can be.
type faultRule struct {
	// strikes are the processes it can strike, meets those that can be its other side (To).
	strikes, meets processes
}

// faultRules says so of each kind. Whoever models a kind, or a further target of one, says it here.
var faultRules = [numFaultKinds]faultRule{
	PowerLoss:        {strikes: brokers | nameServers},
	Kill:             {strikes: brokers | nameServers},
	Slow:             {strikes: brokers},
	Pause:            {strikes: brokers | nameServers},
	Shutdown:         {strikes: brokers | nameServers},
	Vanish:           {strikes: brokers | nameServers},
	DiskLoss:         {strikes: brokers},
	CablePull:        {strikes: anyone},
	BlackHole:        {strikes: brokers | nameServers},
	Partition:        {strikes: anyone, meets: anyone},
	PacketLoss:       {strikes: anyone, meets: anyone},
	PacketDelay:      {strikes: anyone, meets: anyone},
	DiskStall:        {strikes: brokers},
	LockHold:         {strikes: brokers},
	FsyncStall:       {strikes: brokers},
	FsyncLie:         {strikes: brokers},
	DiskFull:         {strikes: brokers},
	ReadOnlyDisk:     {strikes: brokers},
	WipeWritePerm:    {strikes: masters, meets: nameServers},
	BrokerPermission: {strikes: masters},
	RollingRestart:   {strikes: brokers | nameServers},
}

// Strikes says whether faults of this kind can strike the process.
func (k FaultKind) Strikes(t Target) bool { return faultRules[k].strikes&processOf(t) != 0 }

// Meets says whether the process can be the other side (To) of faults of this kind.
func (k FaultKind) Meets(t Target) bool { return faultRules[k].meets&processOf(t) != 0 }

// processOf is the kind of process that a target is.
func processOf(t Target) processes {
	switch {
	case t.Kind == NameServerTarget:
		return nameServers
	case t.Kind == ProducerTarget:
		return instances
	case t.ID == 0:
		return masters
	default:
		return slaves
	}
}

func (c *checker) faults() {
	for i := range c.cfg.Faults {
		c.fault(&c.cfg.Faults[i])
	}
}

func (c *checker) fault(f *Fault) {
	path := "fault." + f.Name + "."
	rule := faultRules[f.Kind]
	c.say(len(f.Targets) > 0, path+"target", "is missing")
	c.targets(path+"target", f.Targets, f.Kind, rule.strikes)
	c.targets(path+"to", f.To, f.Kind, rule.meets)
	c.say(f.At >= 0, path+"at", "must not be negative")
	c.say(f.At < c.cfg.Duration || c.cfg.Duration <= 0, path+"at",
		"%v is not before the end of the run (duration = %v)",
		f.At, c.cfg.Duration)
	c.say(f.Duration >= 0, path+"duration", "must not be negative")
	c.timetable(path, f)
	c.faultKeys(path, f)
}

// faultKeys checks what only some kinds have.
func (c *checker) faultKeys(path string, f *Fault) {
	c.struckHosts(path, f)
	if f.Kind.OnLinks() {
		c.linkKeys(path, f)
	}
	if f.Kind == BrokerPermission {
		c.say(f.Permission == PermRead || f.Permission == PermRead|PermWrite, path+"permission",
			"%d is neither 4 (read) nor 6 (read and write)", f.Permission)
	}
	if f.Kind != Slow {
		return
	}
	c.say(f.Factor > 0 && f.Factor <= 1e6, path+"factor", "must be above 0 and at most 1e6")
	c.say(f.Delay >= 0 && f.Delay <= MaxDelay, path+"delay", "%v is not within 0s to %v", f.Delay,
		MaxDelay)
	c.say(f.Ramp >= 0, path+"ramp", "must not be negative")
	if f.Factor == 1 && f.Delay == 0 {
		c.problems = append(c.problems, Problem{
			Path: path + "kind", Message: "changes nothing: neither factor nor delay is set",
			Warning: true,
		})
	}
}

// targets checks that the processes of a list are there, once each, and of a kind that can be struck.
func (c *checker) targets(path string, list []Target, kind FaultKind, allowed processes) {
	seen := make(map[Target]bool, len(list))
	for _, t := range list {
		c.say(!seen[t], path, "names the same process twice")
		seen[t] = true
		if is := processOf(t); c.exists(path, t) {
			c.say(is&allowed != 0, path, "%v does not strike %v", kind, is)
		}
	}
}

// exists says whether there is such a process, and reports if there is none.
func (c *checker) exists(path string, t Target) bool {
	cfg := c.cfg
	missing := func(format string, args ...any) bool {
		c.say(false, path, format, args...)
		return false
	}
	in := func(n int) bool { return t.Index >= 0 && t.Index < n }
	switch t.Kind {
	case NameServerTarget:
		if !in(len(cfg.NameServers)) {
			return missing("there is no name server %d", t.Index)
		}
	case ProducerTarget:
		if !in(len(cfg.Producers)) {
			return missing("there is no producer %d", t.Index)
		}
		if p := &cfg.Producers[t.Index]; t.ID < 0 || t.ID >= p.Count {
			return missing("producer %q has no instance %d (instances 0 to %d)", p.Name, t.ID, p.Count-1)
		}
	default:
		if !in(len(cfg.Brokers)) {
			return missing("there is no broker %d", t.Index)
		}
		if b := &cfg.Brokers[t.Index]; t.ID < 0 || t.ID > b.Slaves {
			return missing("broker %q has no id %d (ids 0 to %d)", b.Name, t.ID, b.Slaves)
		}
	}
	return true
}

// String names a single kind of process as the object of a sentence.
func (p processes) String() string {
	switch p {
	case masters:
		return "a master"
	case slaves:
		return "a slave"
	case nameServers:
		return "a name server"
	default:
		return "a producer"
	}
}
