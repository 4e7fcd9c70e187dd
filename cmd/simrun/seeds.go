package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSeeds bounds a list of seeds: a longer one is a slip of the keyboard.
const maxSeeds = 100_000

// seedValue is the flag --seed.
type seedValue struct {
	set  bool
	seed uint64
}

func (v *seedValue) Set(text string) (err error) {
	v.seed, err = parseSeed(text)
	v.set = err == nil
	return err
}

func (v *seedValue) String() string { return "" }
func (v *seedValue) Type() string   { return "N" }

// seedsValue is the flag --seeds.
type seedsValue struct {
	text  string
	seeds []uint64
}

func (v *seedsValue) Set(text string) (err error) {
	v.text = text
	v.seeds, err = parseSeeds(text)
	return err
}

func (v *seedsValue) String() string { return "" }
func (v *seedsValue) Type() string   { return "LIST" }

// parseSeed reads a whole number from 0 to 2^64 - 1.
func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no seed: it must be a whole number from 0 to 2^64-1", text)
	}
	return seed, nil
}

// parseSeeds reads a list of seeds and ranges of seeds: "1..10", "1,2,5", "1..3,7". No seed may be in
// it twice: it would count twice.
func parseSeeds(text string) ([]uint64, error) {
	var out []uint64
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "..")
		if !isRange {
			last = first
		}
		from, err := parseSeed(first)
		if err != nil {
			return nil, err
		}
		to, err := parseSeed(last)
		if err != nil {
			return nil, err
		}
		if to < from {
			return nil, fmt.Errorf("%q runs backwards", part)
		}
		if to-from >= maxSeeds || len(out)+int(to-from) >= maxSeeds {
			return nil, fmt.Errorf("%q names more than %d seeds", text, maxSeeds)
		}
		for seed := from; ; seed++ { // to may be the largest there is
			out = append(out, seed)
			if seed == to {
				break
			}
		}
	}
	sorted := slices.Sorted(slices.Values(out))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return nil, fmt.Errorf("%q names seed %d twice", text, sorted[i])
		}
	}
	return out, nil
}
