// Package tidy holds promises of the core that linters cannot check, as tests that read the code.
package tidy
