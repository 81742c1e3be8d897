#!/usr/bin/env bash
# Fuzzes every reader of external input with libFuzzer, guided by coverage:
#   bash scripts/fuzz.sh SECONDS [TARGET...]
# SECONDS is the time for each target. Needs stable cargo, a C++ compiler and Linux. Seeds are in
# fuzz/seeds, and are extracted from the shared test suites if there are any. Inputs that break a
# target are stored in fuzz/artifacts/TARGET; run one again with
#   LODEWARD_FUZZ_TARGET=TARGET fuzz/target/HOST/release/fuzz FILE
# Exits with 1 if there are findings.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"

seconds=${1:-900}
shift || true
shared=$(cd .. && realpath -m "${LODEWARD_SHARED:-../shared}")
target_dir=${FUZZ_TARGET_DIR:-target}

if ! command -v "${CXX:-c++}" >/dev/null; then
  echo "cannot build libFuzzer: there is no C++ compiler (${CXX:-c++})" >&2
  echo "hint: install g++ or clang, or set CXX" >&2
  exit 2
fi

# The flags of cargo-fuzz, except those of a sanitizer, which needs a nightly compiler.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
host=$(rustc -vV | sed -n 's/^host: //p')
# With --target, the flags do not apply to build scripts and macros.
cargo build --release --locked --target "$host" --target-dir "$target_dir"
fuzz=$target_dir/$host/release/fuzz
targets=$(LODEWARD_FUZZ_WRITE_CORPUS=corpus LODEWARD_FUZZ_SUITES="$shared/suites" "$fuzz")

findings=0
for target in ${*:-$targets}; do
  if ! grep -qxF "$target" <<<"$targets"; then
    echo "unknown target: $target" >&2
    echo "hint: the targets are: ${targets//$'\n'/ }" >&2
    exit 2
  fi
  mkdir -p "artifacts/$target" "corpus/$target" "seeds/$target"
  echo "== $target"
  log=artifacts/$target.log
  status=0
  LODEWARD_FUZZ_TARGET=$target "$fuzz" "corpus/$target" "seeds/$target" \
    -artifact_prefix="artifacts/$target/" -dict=corpus/dictionary \
    -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    >"$log" 2>&1 || status=$?
  grep -E '^#[0-9]+\s+(INITED|DONE)|^stat::(number_of|new_units|peak)|panicked at|ERROR' "$log" || true
  if [ "$status" != 0 ]; then
    findings=1
    echo "finding (exit code $status): see fuzz/$log and fuzz/artifacts/$target" >&2
  fi
done
exit $findings
