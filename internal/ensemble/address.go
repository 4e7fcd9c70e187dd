package ensemble

// Row names a metric of all messages of a phase, or of a fault: one of Phase and Fault is empty.
type Row struct {
	Metric, Phase, Fault string
}

// String is the address of the row: METRIC@PHASE or METRIC@FAULT.
func (r Row) String() string { return r.Metric + "@" + r.Phase + r.Fault }
