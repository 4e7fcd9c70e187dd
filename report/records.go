package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// field is a column of a CSV file of records: how a record's value is written, and read back.
type field[T any] struct {
	name  string
	write func(*T) string
	read  func(*T, string) error
}

// textField, wholeField and flagField are columns of text, of whole numbers and of "true" or "false".
func textField[T any, S ~string](name string, of func(*T) *S) field[T] {
	return field[T]{name, func(x *T) string { return string(*of(x)) }, func(x *T, text string) error {
		*of(x) = S(text)
		return nil
	}}
}

func wholeField[T any, N int | int64 | uint64](name string, of func(*T) *N) field[T] {
	return field[T]{name, func(x *T) string {
		return fmt.Sprint(*of(x))
	}, func(x *T, text string) error {
		_, unsigned := any(*of(x)).(uint64)
		if unsigned {
			n, err := strconv.ParseUint(text, 10, 64)
			*of(x) = N(n)
			return err
		}
		n, err := strconv.ParseInt(text, 10, 64)
		*of(x) = N(n)
		return err
	}}
}

func flagField[T any](name string, of func(*T) *bool) field[T] {
	return field[T]{name, func(x *T) string {
		return strconv.FormatBool(*of(x))
	}, func(x *T, text string) (err error) {
		*of(x), err = strconv.ParseBool(text)
		return err
	}}
}

// recordsCSV writes a line for each record under a header, RFC 4180 with \n at line ends.
func recordsCSV[T any](fields []field[T], records []T) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := headerOf(fields)
	if err := w.Write(row); err != nil {
		return nil, err
	}
	for i := range records {
		for k := range fields {
			row[k] = fields[k].write(&records[i])
		}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// parseRecords reads what recordsCSV wrote.
func parseRecords[T any](fields []field[T], rd io.Reader) ([]T, error) {
	c := csv.NewReader(rd)
	c.ReuseRecord = true
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if want := headerOf(fields); !slices.Equal(header, want) {
		return nil, fmt.Errorf("the header is not %s", strings.Join(want, ","))
	}
	var out []T
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		var x T
		for k := range fields {
			if err := fields[k].read(&x, strings.Clone(row[k])); err != nil {
				line, _ := c.FieldPos(k)
				return nil, fmt.Errorf("line %d: %s: %w", line, fields[k].name, err)
			}
		}
		out = append(out, x)
	}
}

func headerOf[T any](fields []field[T]) []string {
	out := make([]string, len(fields))
	for k := range fields {
		out[k] = fields[k].name
	}
	return out
}
