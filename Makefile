# `make demo` and `make test` set up what is missing on Debian or Ubuntu (Swift itself must be there) and then do their job.

SWIFT ?= swift
SWIFTC_FLAGS ?=
SOURCES := Package.swift Sources Tests Benchmarks Examples

.PHONY: demo test bench tool examples soak format lint docs setup tsan

setup:
	@scripts/setup

## Shows the main job: a store with live contexts, all records deleted, then the store destroyed and rebuilt; and the same with
## the tool.
demo: setup
	@SWIFT="$(SWIFT)" scripts/demo

test: setup
	$(SWIFT) build --build-tests $(SWIFTC_FLAGS)
	$(SWIFT) test --skip-build $(SWIFTC_FLAGS)

## The concurrency tests under the thread sanitizer.
tsan: setup
	scripts/tsan

## Ratios to raw SQLite, measured in this run. N is the number of rows, WORKLOADS a list such as "W1 W2".
bench: setup
	$(SWIFT) build -q -c release --product Benchmarks
	$$($(SWIFT) build -c release --show-bin-path)/Benchmarks $(WORKLOADS)

## The coredata tool as one binary for machines without Swift: .build/tool/coredata.
tool:
	scripts/tool

## The example package with the model plugin, in debug and release.
examples: setup
	SWIFT="$(SWIFT)" scripts/examples

## The long forms of the crash, concurrency and fuzz tests. FUZZ_SECONDS is how long forged models and metadata are read.
FUZZ_SECONDS ?= 600
soak: setup
	COREDATA_SOAK=1 COREDATA_FUZZ_SECONDS=$(FUZZ_SECONDS) $(SWIFT) test

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

## A DocC archive per library under .build/docs.
docs: setup
	scripts/docs
