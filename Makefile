# Everything needs Go only, unless it says otherwise. Tools come at pinned versions from
# internal/tools/go.mod through the module proxy.
GO   ?= go
TOOL  = $(GO) tool -modfile=internal/tools/go.mod

.PHONY: all build test lint format bench memory parity browser arches conformance demo examples golden fuzz campaign power-loss-table tie-curve tuning-guide tuning-text race clean help

all: build test

## build: the command, as bin/simrun
build:
	$(GO) build -o bin/simrun ./cmd/simrun

## test: the whole suite (under three minutes on two cores)
test:
	$(GO) test ./...

## lint: formatting, house rules, imports that run one way
lint:
	$(GO) vet ./...
	$(TOOL) golangci-lint run ./...
	$(GO) mod tidy -diff

## format: what lint would complain about, mended
format:
	$(TOOL) golangci-lint fmt ./...

## bench: speed as ratios, timed in the same run: to boxed container/heap programs, of many instances to few
bench:
	$(GO) run ./internal/bench

## memory: an hour peaks at no more than 1.2 times a minute, exported attempts included; 1,000 instances below 1 GiB
memory:
	$(GO) run ./internal/bench/memory

## parity: two workers are within 5 % of two processes started together (a minute or two, on a quiet machine)
parity:
	$(GO) run ./internal/bench/parity

## browser: reports in headless Chromium (or what CHROMIUM names): both themes, three widths, print (minutes)
browser: build
	cd internal/browser && $(GO) vet . && $(GO) build -o ../../bin/browser .
	bin/browser

## arches: the core rounds alike on every architecture (builds for six; minutes the first time)
arches:
	$(GO) test ./sim -run Fused -arches
	GOARCH=386 $(GO) test ./sim -run Golden
	GOARCH=386 GO386=softfloat $(GO) test ./sim -run Golden

## fuzz: a minute of fuzzing the scenario loader
fuzz:
	$(GO) test ./scenarios -run xxx -fuzz FuzzLoad -fuzztime 60s

## campaign: thousands of random scenarios against what must always hold (minutes; CAMPAIGN="-n 20000")
campaign:
	$(GO) run ./internal/campaign $(CAMPAIGN)

## power-loss-table: docs/power-loss-table.md, a published table held against the simulation (a minute)
power-loss-table:
	$(GO) run ./internal/powerloss > docs/power-loss-table.tmp
	mv docs/power-loss-table.tmp docs/power-loss-table.md

## tie-curve: docs/tie-curve.svg and its table in docs/model.md (seconds)
tie-curve:
	$(GO) run ./internal/tiecurve

## tuning-guide: docs/tuning-guide.md with its numbers and figures (under ten minutes of two quiet cores)
tuning-guide:
	$(GO) run ./internal/tuning

## tuning-text: docs/tuning-guide.md of the numbers that are there, after a change of its text or of figures (seconds)
tuning-text:
	$(GO) run ./internal/tuning -text

## demo: the README's commands
demo:
	$(GO) run ./cmd/simrun run two-masters-down
	$(GO) run ./cmd/simrun run two-masters-down-plain --no-expect

## golden: rewrite golden files after a change on purpose; read the diff before you commit it
golden:
	$(GO) test ./report ./cmd/... -update
	$(GO) test ./sim ./scenarios ./model ./strategy ./experiment ./internal/stat ./internal/ensemble -rewrite
	$(MAKE) power-loss-table tie-curve tuning-text

## examples: the gallery, curated results that the documentation shows
examples:
	rm -rf results/examples
	$(GO) run ./cmd/simrun run two-masters-down -o results/examples
	-$(GO) run ./cmd/simrun run two-masters-down-plain -o results/examples # misses two expectations
	$(GO) run ./cmd/simrun run canary -o results/examples
	$(GO) run ./cmd/simrun run planned-stop -o results/examples
	rm -f results/examples/latest

## conformance: the recorded decisions of VECTORS (default: ours) replayed
conformance:
	$(GO) run ./strategy/internal/conformance/replay $(if $(VECTORS),-vectors "$(VECTORS)")

## race: the suite under the race detector (needs a C compiler)
race:
	CGO_ENABLED=1 $(GO) test -race ./experiment/... ./cmd/... ./report/... ./strategy/...

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## clean: what builds leave behind
clean:
	rm -rf bin
