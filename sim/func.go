package sim

// Func schedules a call of f for time t. It allocates and is slower than
// [Engine.At]: use it in examples, tests and for rare events.
func (e *Engine) Func(t Time, p Priority, f func()) {
	if f == nil {
		panic("sim: Func of a nil function")
	}
	if t == Never {
		return
	}
	if e.funcs.id == 0 {
		e.funcs.id = e.Register(&e.funcs)
	}
	e.check(t, e.funcs.id)
	e.At(t, p, e.funcs.id, 0, e.funcs.add(f))
}

// funcTable is the handler of scheduled closures. The index of an event is the
// place of its function.
type funcTable struct {
	id    HandlerID // zero until the first use
	funcs []func()
	free  []uint32
}

func (ft *funcTable) add(f func()) uint32 {
	if n := len(ft.free); n > 0 {
		i := ft.free[n-1]
		ft.free = ft.free[:n-1]
		ft.funcs[i] = f
		return i
	}
	ft.funcs = append(ft.funcs, f)
	return uint32(len(ft.funcs) - 1)
}

// Handle calls a function and forgets it.
func (ft *funcTable) Handle(_ uint16, index uint32) {
	f := ft.funcs[index]
	ft.funcs[index] = nil
	ft.free = append(ft.free, index)
	f()
}
