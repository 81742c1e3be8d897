# `make demo` and `make test` need Rust and a C compiler. Whatever else a target
# needs, it installs below the target directory, or prints what is missing.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
export CARGO_TERM_COLOR ?= auto
# Build outputs. CARGO_TARGET_DIR shares one directory between checkouts.
TARGET := $(or $(CARGO_TARGET_DIR),target)
TOOLS := $(abspath $(TARGET))/tools
TEST_LOG := $(abspath $(TARGET))/tests.txt
# The tests append the reason here when they skip.
SKIPPED_TESTS := $(abspath $(TARGET))/skipped.txt
# External programs that `make tools` installs and tests run.
export LODEWARD_TEST_OXIGRAPH := $(TOOLS)/oxigraph/bin/oxigraph
export LODEWARD_TEST_PYTHON := $(TOOLS)/python/bin/python
export LODEWARD_TEST_SKLEARN := $(TOOLS)/sklearn/bin/python
export LODEWARD_TEST_WHEEL := $(TOOLS)/wheel/bin/python
UI := crates/lodeward-workbench/ui
MDBOOK_VERSION := 0.5.4
MDBOOK := $(or $(shell command -v mdbook),$(TOOLS)/mdbook/bin/mdbook)

.PHONY: help demo test lint tools unit ui-test python-test wheel guard skipped docs torture bench fuzz ui ui-types ui-dev ui-pictures workbench

help:
	@echo "make demo     crawl a small generated web on loopback and show the harvest"
	@echo "make test     formatting, lints, all tests, dependency checks"
	@echo "make lint     formatting, clippy, cargo deny if it is installed"
	@echo "make docs     the documentation as a website, in $(TARGET)/book"
	@echo "make torture  long tests: 50 kills, every fault, thousands of queries compared with Oxigraph"
	@echo "make bench    all benchmarks; writes eval/results/ (BENCHES=\"speed memory\" for some of them)"
	@echo "make workbench  the browser interface with a generated web and three crawls, until Ctrl-C"
	@echo "make ui       build the browser interface (needs Node); commit the result"
	@echo "make ui-dev   browser interface with live reload, for a service at LODEWARD_URL"
	@echo "make ui-test  tests of the browser interface in Chromium and Firefox (UI_SPECS=\"hostile states\" for some)"
	@echo "make wheel    the Python package as a wheel, in $(TARGET)/wheels"
	@echo "make python-test  tests of the Python package, with the debug build"
	@echo "make fuzz     coverage-guided fuzzing, 15 minutes per target (FUZZ_SECONDS=60 for one minute, FUZZ_TARGETS=\"rdf-xml json-ld\" for some)"

demo:
	cargo build --quiet -p lodeward-cli -p toyweb
	@bash scripts/demo.sh $(TARGET)/debug

workbench:
	cargo build --quiet -p lodeward-cli -p toyweb
	@bash scripts/workbench.sh $(TARGET)/debug $(LISTEN)

# Pictures of screens depend on the versions of Chromium and fonts: here a difference is reported only.
test: UI_SNAPSHOTS := report
test: lint unit ui-test python-test guard skipped

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml > /dev/null || { echo "fuzz/Cargo.lock is out of date: run \`cargo update --workspace\` in fuzz/"; exit 1; }
	@if command -v cargo-deny >/dev/null; then cargo deny check; else echo "cargo deny check skipped: cargo-deny is not installed"; fi

# External programs for tests. Tests skip if a program cannot be installed.
tools:
	@bash scripts/tools.sh $(abspath $(TARGET))

# Without examples, which `lint` has checked: each is a large binary to link.
unit: tools
	@mkdir -p $(TARGET) && rm -f $(SKIPPED_TESTS)
	(export LODEWARD_TEST_SKIPPED=$(SKIPPED_TESTS); cargo test --workspace --locked --tests && cargo test --workspace --locked --doc) 2>&1 | tee $(TEST_LOG)

# The summary has the form of cargo's, so that `skipped` counts these tests, too.
ui-test: tools
	cargo build --quiet --locked -p lodeward-cli -p toyweb
	LODEWARD_TOOLS=$(TOOLS) LODEWARD_TEST_SKIPPED=$(SKIPPED_TESTS) LODEWARD_UI_SNAPSHOTS=$(or $(UI_SNAPSHOTS),compare) bash scripts/ui-test.sh $(TARGET)/debug $(UI_SPECS) 2>&1 | tee $(TARGET)/ui-tests.txt
	@awk '/^ℹ pass/ { print "test result: ok. " $$3 " passed" }' $(TARGET)/ui-tests.txt >> $(TEST_LOG)

# With the program that `ui-test` has built, so that nothing is compiled for it.
python-test: tools
	cargo build --quiet --locked -p lodeward-cli -p toyweb
	LODEWARD_TEST_SKIPPED=$(SKIPPED_TESTS) bash scripts/python-test.sh $(TARGET)/debug/lodeward $(TARGET) 2>&1 | tee $(TARGET)/python-tests.txt
	@awk '/^Ran [0-9]+ tests/ { print "test result: ok. " $$2 " passed" }' $(TARGET)/python-tests.txt >> $(TEST_LOG)

wheel: tools
	cargo build --release --locked -p lodeward-cli
	LODEWARD_BINARY=$(abspath $(TARGET))/release/lodeward $(LODEWARD_TEST_WHEEL) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(TARGET)/wheels packaging/python
	@ls $(TARGET)/wheels

# The committed build of the browser interface, and its table for the embedding crate.
ui:
	cd $(UI) && export LODEWARD_TOOLS=$(TOOLS) && . ../../../scripts/node.sh && install_packages && npm run --silent check && npm run --silent unit && npm run --silent build

# The types of the API, from the OpenAPI document of this program.
ui-types:
	cargo build --quiet -p lodeward-cli
	LODEWARD_TOOLS=$(TOOLS) bash scripts/ui-types.sh $(TARGET)/debug

# The pictures of README and docs/workbench.md.
ui-pictures: tools
	cargo build --quiet -p lodeward-cli -p toyweb
	cd $(UI) && export LODEWARD_TOOLS=$(TOOLS) && . ../../../scripts/node.sh && install_packages && export LODEWARD_BIN=$(abspath $(TARGET))/debug && node tests/pictures.mjs && LODEWARD_UI_SNAPSHOTS=write node tests/browser/all.mjs visual

ui-dev:
	cd $(UI) && export LODEWARD_TOOLS=$(TOOLS) && . ../../../scripts/node.sh && install_packages && npx vite

# Rejects dependencies that need a C++ toolchain, and network code in crates without
# I/O. The direction of dependencies between crates is checked by the tidy test.
guard:
	@for crate in aws-lc-rs openssl-sys bindgen cmake prost-build librocksdb-sys oxrocksdb-sys; do \
	  if cargo tree --workspace --locked -i $$crate >/dev/null 2>&1; then echo "dependency not allowed: $$crate needs a C or C++ toolchain"; exit 1; fi; \
	done
	@if cargo tree -p lodeward-markup -e normal --locked | grep -qE ' (tokio|reqwest) v'; then echo "lodeward-markup must not depend on tokio or reqwest"; exit 1; fi
	@if cargo tree -p lodeward-archive -e normal --features protocol --locked | grep -qE ' (tokio|hyper|reqwest) v'; then echo "lodeward-archive must not depend on tokio, hyper or reqwest"; exit 1; fi
	@if cargo tree -p lodeward-rdf -e normal --locked | grep -qE ' (tokio|reqwest|html5ever) v'; then echo "lodeward-rdf must not depend on tokio, reqwest or html5ever"; exit 1; fi

# Without shared data, as in a plain clone, tests skip and the run passes. If CI is
# set, the shared data must be present, and only a missing tool may skip a test.
skipped:
	@count=$$(cat $(SKIPPED_TESTS) 2>/dev/null | wc -l); \
	echo "$$count tests skipped: shared data (LODEWARD_SHARED, default ../shared) or tools (make tools) missing"; \
	if [ -n "$$CI" ] && grep -qv '^tool: ' $(SKIPPED_TESTS) 2>/dev/null; then sort $(SKIPPED_TESTS) | uniq -c; echo "tests skipped for missing shared data, although CI is set"; exit 1; fi; \
	echo "$$(awk '/^test result:/ { passed += $$4 } END { print passed + 0 }' $(TEST_LOG)) passed, 0 failed, $$count skipped"

docs: $(MDBOOK)
	$(MDBOOK) build --dest-dir $(abspath $(TARGET))/book
	@echo "open $(TARGET)/book/index.html"

$(TOOLS)/mdbook/bin/mdbook:
	cargo install mdbook --version $(MDBOOK_VERSION) --locked --root $(TOOLS)/mdbook

torture: tools
	LODEWARD_TEST_TORTURE=1 cargo test -p lodeward-cli --test it -- --nocapture survival crawls faults
	LODEWARD_TEST_TORTURE=1 cargo test -p lodeward-archive --test storage -- --nocapture survival
	LODEWARD_TEST_TORTURE=1 cargo test -p lodeward-service --test it -- --nocapture schemathesis
	cargo build --release -p lodeward-cli -p toyweb
	bash benches/service.sh $(TARGET)/release | tee eval/results/service.md
	LODEWARD_TEST_TORTURE=1 cargo test --release -p lodeward-archive --test sparql -- --nocapture differential

bench: tools
	cargo build --release -p lodeward-cli -p lodeward-eval -p toyweb
	cargo build --release -p lodeward-markup -p lodeward-archive --examples
	cargo build --release -p lodeward --example labels --example selection_speed
	cargo build --release -p lodeward-app --example remote
	bash benches/run.sh $(TARGET)/release

fuzz:
	bash scripts/fuzz.sh $(or $(FUZZ_SECONDS),900) $(FUZZ_TARGETS)
