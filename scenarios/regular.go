package scenarios

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxBeside bounds a file beside a scenario: all of it is kept in memory.
const maxBeside = 256 << 20

// ReadRegular reads a file beside a scenario. Anything but a regular file is refused, before it is
// opened: a pipe would keep whoever opens it waiting for a writer, and a device may have no end. So is a
// file of more than 256 MiB.
func ReadRegular(name string) ([]byte, error) { return readRegular(name, maxBeside) }

// ReadScenario reads the file of a scenario, which may be a pipe: no more of it than it takes to see that it
// is too long.
func ReadScenario(name string) (data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func readRegular(name string, limit int64) (data []byte, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", name, limit)
		if limit%(1<<20) == 0 {
			err = fmt.Errorf("%s has more than %d MiB", name, limit>>20)
		}
		data = nil
	}
	return data, err
}
