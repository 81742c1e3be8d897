#!/usr/bin/env bash
# Question: is the time for a hostile page linear in its length? Pages of 1 to
# 10 MB, each a worst case of one kind. The last column is the time per byte at
# 10 MB divided by that at 1 MB: about 1 is linear, less means that a limit was
# reached. Needs `cargo build --release -p lodeward-markup --examples`.
set -euo pipefail
"$(cd "$1" && pwd)/examples/hostile"
