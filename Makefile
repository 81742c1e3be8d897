# Everything there is to do. `make demo` and `make test` need nothing but Rust
# and a C compiler; what else a target needs, it installs or says.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
export CARGO_TERM_COLOR ?= auto
# Reused between runs; a warm cache is honoured when CARGO_TARGET_DIR names one.
TARGET := $(or $(CARGO_TARGET_DIR),target)
SKIPPED := $(abspath $(TARGET))/skipped.txt
TOLD := $(abspath $(TARGET))/tests.txt
# Where `tools` puts programs of others.
export LODEWARD_OXIGRAPH := $(abspath $(TARGET))/tools/oxigraph/bin/oxigraph
export LODEWARD_PYTHON := $(abspath $(TARGET))/tools/python/bin/python

.PHONY: help demo test lint tools unit guard skipped torture bench fuzz

help:
	@echo "make demo     crawl a small web in a box and look at the harvest"
	@echo "make test     formatting, lints, all tests, reduced survival and fault runs"
	@echo "make torture  the long runs: 50 kills, every fault, over real sockets; thousands of queries beside Oxigraph"
	@echo "make bench    speed, memory, politeness, pages, labels, the archive beside others; writes eval/results/"
	@echo "make fuzz     an hour of hostile input (FUZZ_SECONDS=n for another time)"

demo:
	cargo build --quiet -p lodeward-cli -p toyweb
	@bash scripts/demo.sh $(TARGET)/debug

test: lint unit guard skipped

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

# Programs of others for tests to talk to, if they can be had.
tools:
	@bash scripts/tools.sh $(abspath $(TARGET))

unit: tools
	@mkdir -p $(TARGET) && rm -f $(SKIPPED)
	LODEWARD_SKIPPED=$(SKIPPED) cargo test --workspace --locked 2>&1 | tee $(TOLD)

# Crates that would cost every user a C++ tool chain must stay out of the graph.
guard:
	@for crate in aws-lc-rs openssl-sys bindgen cmake prost-build librocksdb-sys oxrocksdb-sys; do \
	  if cargo tree --workspace --locked -i $$crate >/dev/null 2>&1; then echo "refused crate in the graph: $$crate"; exit 1; fi; \
	done
	@if cargo tree -p lodeward-cli -e normal --locked | grep -q toyweb; then echo "toyweb must not be linked into the product"; exit 1; fi
	@if cargo tree -p lodeward-markup -e normal --locked | grep -qE ' (tokio|reqwest|lodeward) v'; then echo "lodeward-markup does no I/O, and knows nothing of the crawler"; exit 1; fi
	@if cargo tree -p lodeward-archive -e normal --features protocol --locked | grep -qE ' (tokio|hyper|reqwest|lodeward) v'; then echo "lodeward-archive reaches no network, and knows nothing of the crawler"; exit 1; fi
	@if cargo tree -p toyweb -e normal --locked | grep -q 'lodeward v'; then echo "toyweb must know nothing of lodeward"; exit 1; fi

# A plain clone has no shared data, and passes; where CI has it, nothing may be skipped
# for want of it. A tool that cannot be installed is told, and is no failure.
skipped:
	@count=$$(cat $(SKIPPED) 2>/dev/null | wc -l); \
	echo "$$count tests skipped for want of shared data (LODEWARD_SHARED, by default ../shared) or tools (make tools)"; \
	if [ -n "$$CI" ] && grep -qv '^tool: ' $(SKIPPED) 2>/dev/null; then sort $(SKIPPED) | uniq -c; echo "in CI none may be skipped"; exit 1; fi; \
	echo "$$(awk '/^test result:/ { passed += $$4 } END { print passed + 0 }' $(TOLD)) passed, 0 failed, $$count skipped"

torture: tools
	LODEWARD_TORTURE=1 cargo test -p lodeward-cli --test it -- --nocapture survival crawls
	LODEWARD_TORTURE=1 cargo test -p lodeward-archive --test storage -- --nocapture survival
	LODEWARD_TORTURE=1 cargo test -p lodeward-service --test it -- --nocapture schemathesis
	cargo build --release -p lodeward-cli -p toyweb
	bash benches/service.sh $(TARGET)/release | tee eval/results/service.md
	LODEWARD_TORTURE=1 cargo test --release -p lodeward-archive --test sparql -- --nocapture differential

bench: tools
	cargo build --release -p lodeward-cli -p toyweb
	cargo build --release -p lodeward-markup -p lodeward-archive --examples
	cargo build --release -p lodeward --example labels --example remote --example selection_speed
	bash benches/run.sh $(TARGET)/release

fuzz:
	bash scripts/fuzz.sh $(or $(FUZZ_SECONDS),3600)
