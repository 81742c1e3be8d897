#!/usr/bin/env bash
# Question: does the time for a hostile page grow with its length only? Pages of
# 1 to 10 MB, each made to be as hard as can be in one way; the last column is
# time per byte at 10 MB divided by that at 1 MB, so about 1 is linear, and less
# is a bound that was reached. Needs `cargo build --release -p lodeward-markup --examples`.
set -euo pipefail
"$(cd "$1" && pwd)/examples/hostile"
