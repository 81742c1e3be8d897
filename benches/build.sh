#!/usr/bin/env bash
# Question: how much CPU time does a release build of `lodeward` take from an empty
# directory, and how large is the binary? Arguments are passed to cargo, for example
# --config 'profile.release.lto="thin"'.
set -euo pipefail
cd "$(dirname "$0")/.."
work_dir=$(mktemp -d); trap 'rm -rf "$work_dir"' EXIT
cargo fetch --locked --quiet
TIMEFORMAT='%U %S %R'
{ time cargo build --locked --release -p lodeward-cli --quiet --target-dir "$work_dir" "$@" >&2; } 2> "$work_dir/times" \
  || { cat "$work_dir/times" >&2; exit 1; }
bytes=$(stat -c %s "$work_dir/release/lodeward")
echo "| settings | CPU minutes | minutes | MB |"
echo "|---|---|---|---|"
tail -1 "$work_dir/times" | awk -v settings="${*:-default}" -v bytes="$bytes" \
  '{ printf "| %s | %.1f | %.1f | %.1f |\n", settings, ($1 + $2) / 60, $3 / 60, bytes / 1e6 }'
