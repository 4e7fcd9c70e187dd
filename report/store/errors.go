package store

import (
	"fmt"

	"simrun/internal/result"
)

// IOError is a file that could not be read or written. It wraps the cause.
type IOError struct{ Err error }

func (e *IOError) Error() string { return "results: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *IOError) Unwrap() error { return e.Err }

// ConflictError says that a directory holds something else and was left as it is.
type ConflictError struct {
	Dir string
	// Have and Want are the digests there and here.
	Have, Want string
	// Foreign means that what is there does not look like results: it is not replaced by force
	// either.
	Foreign bool
	// Err is why the digest there is not known; nil if it is, or if Foreign.
	Err error
}

func (e *ConflictError) Error() string {
	switch {
	case e.Foreign:
		return fmt.Sprintf("results: %s is in the way: it is not a directory of results, for it has "+
			"no %s", e.Dir, ManifestFile)
	case e.Err != nil:
		return fmt.Sprintf("results: what %s holds is not known: %v", e.Dir, e.Err)
	}
	return fmt.Sprintf("results: %s holds another result: digest %s, this run has %s",
		e.Dir, e.Have, e.Want)
}

// Unwrap returns the cause, if there is one.
func (e *ConflictError) Unwrap() error { return e.Err }

// SchemaError says that results have the layout of another simrun.
type SchemaError struct {
	Path string
	// Have is the schema there.
	Have int
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s: schema %d, this simrun reads %d", e.Path, e.Have, result.Schema)
}
