# `make demo` and `make test` set up what is missing on Debian or Ubuntu (Swift itself must be there) and then do their job.

SWIFT ?= swift
SWIFTC_FLAGS ?=
SOURCES := Package.swift Sources Tests Benchmarks Examples

.PHONY: demo test bench tool soak format lint docs setup tsan

setup:
	@scripts/setup

## Shows the main job: a store with live contexts, all records deleted, then the store destroyed and rebuilt.
demo: setup
	@$(SWIFT) build -q --product demo
	@$$($(SWIFT) build --show-bin-path)/demo

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

## The long forms of the crash and concurrency tests.
soak: setup
	COREDATA_SOAK=1 $(SWIFT) test

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

## A DocC archive per library under .build/docs.
docs: setup
	scripts/docs
