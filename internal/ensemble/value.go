package ensemble

// Value is a row of the run: NaN if it has none, +∞ if it had not come when the run ended.
func (m *Member) Value(row Row) float64 {
	x, _ := m.value(row)
	return x
}
