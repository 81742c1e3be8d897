#!/usr/bin/env bash
# Times of the browser interface in Chromium: first load, review of many candidates, live overview.
set -euo pipefail
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../crates/lodeward-workbench/ui"
. ../../../scripts/node.sh
install_packages || { echo "skipped: Node is not installed"; exit 0; }
chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: Chromium is not installed"; exit 0; }
LODEWARD_TEST_CHROMIUM=$chromium LODEWARD_BIN=$bin node tests/bench.mjs
