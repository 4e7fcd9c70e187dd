package store

import "strconv"

// Status says what Save did.
type Status uint8

// Statuses.
const (
	// Written: the directory is new, or took the place of another result by force.
	Written Status = iota + 1
	// Unchanged: the same result was there, with the same files. Nothing was written.
	Unchanged
	// Updated: the same result was there, but files were missing or looked different; those
	// and the manifest were written.
	Updated
	// Partial: the run is not complete; the results are in PartialPath(dir).
	Partial
)

// String is the word for people.
func (s Status) String() string {
	switch s {
	case Written:
		return "wrote"
	case Unchanged:
		return "unchanged"
	case Updated:
		return "updated"
	case Partial:
		return "partial"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}
