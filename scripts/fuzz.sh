#!/usr/bin/env bash
# Hostile input for so many seconds: bash scripts/fuzz.sh SECONDS [flags of the fuzzer].
# Needs stable cargo and Linux, nothing else. Exits with 1 after findings.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-3600}
shift || true

# As released, but where a release would silently overflow, we want to know.
build=(--release -p lodeward --example fuzz --locked
  --config profile.release.package.lodeward.overflow-checks=true
  --config profile.release.package.lodeward.debug-assertions=true
  --config profile.release.package.lodeward-markup.overflow-checks=true
  --config profile.release.package.lodeward-markup.debug-assertions=true)
cargo build --quiet "${build[@]}"
# Not `cargo run`: the fuzzer starts itself again, and its signals are its own.
exec "${CARGO_TARGET_DIR:-target}/release/examples/fuzz" --seconds "$seconds" "$@"
