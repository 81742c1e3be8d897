#!/usr/bin/env bash
# Fuzzes the readers with hostile input:
#   bash scripts/fuzz.sh SECONDS [FUZZER FLAGS]
# Needs stable cargo and Linux. Exits with 1 if there are findings.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-3600}
shift || true

# A release build, with overflow checks and debug assertions enabled.
build=(--release -p lodeward --example fuzz --locked
  --config profile.release.package.lodeward.overflow-checks=true
  --config profile.release.package.lodeward.debug-assertions=true
  --config profile.release.package.lodeward-rdf.overflow-checks=true
  --config profile.release.package.lodeward-rdf.debug-assertions=true
  --config profile.release.package.lodeward-markup.overflow-checks=true
  --config profile.release.package.lodeward-markup.debug-assertions=true)
cargo build --quiet "${build[@]}"
# Not `cargo run`: the fuzzer starts itself as a child process and handles signals.
exec "${CARGO_TARGET_DIR:-target}/release/examples/fuzz" --seconds "$seconds" "$@"
