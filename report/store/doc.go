// Package store keeps results in directories and reads them again. It knows that a directory of results has a
// manifest and files, and what must hold for them whatever they say: all or none are written ([Save]), the
// same results again are left alone, others are refused, and what is read is what was written
// ([LoadStored]). What the files are and how they are drawn is told by package report.
//
// Files that are too long for memory are written bit by bit into a [Stage] while they are made; a single file
// for somebody else is written by [WriteFile]. The package imports internal/result.
package store
