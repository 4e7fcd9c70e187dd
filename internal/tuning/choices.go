package main

import (
	"fmt"
	"slices"
	"strings"
)

// chosen finds a choice by the name of its variant.
func (s *study) chosen(name string) (*chosen, error) {
	i := slices.IndexFunc(s.choices, func(c chosen) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no choice %q", name)
	}
	return &s.choices[i], nil
}

// sets claims that a choice is this setting, of which the text speaks.
func (s *study) sets(name string, keys ...string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	if !slices.Equal(c.setting.keys, keys) {
		err = fmt.Errorf("%s is %q, the page says %q", name, c.setting.keys, keys)
	}
	return "", err
}

// java, spring and toml are the snippets.
func (s *study) snippet(kind, name string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	properties, calls := spring(&c.setting)
	switch kind {
	case "java":
		return strings.Join(java(&c.setting), "\n"), nil
	case "properties":
		return strings.Join(properties, "\n"), nil
	case "calls":
		return strings.Join(calls, "\n"), nil
	case "toml":
		return strings.Join(toml(&c.setting), "\n"), nil
	}
	return "", fmt.Errorf("there is no snippet %q", kind)
}
