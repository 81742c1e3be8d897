#!/usr/bin/env bash
# Times of the browser interface in Chromium: first load, review of 100,000 candidates, preview of an order,
# live overview, and the scores of Lighthouse (Apache-2.0), which is installed beside the binaries.
#
#   workbench.sh BINARY_DIR
set -euo pipefail
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../crates/lodeward-workbench/ui"
. ../../../scripts/node.sh
install_packages || { echo "skipped: Node is not installed"; exit 0; }
chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: Chromium is not installed"; exit 0; }
tools=$(cd "$bin/.." && pwd)/tools/lighthouse
[ -d "$tools/node_modules/lighthouse" ] || npm install --silent --ignore-scripts --prefix "$tools" lighthouse@12.8.2 ||
  echo "cannot install Lighthouse: its scores are left out" >&2
lighthouse=$tools/node_modules/lighthouse/cli/index.js
[ -f "$lighthouse" ] || lighthouse=
LODEWARD_TEST_LIGHTHOUSE=$lighthouse LODEWARD_TEST_CHROMIUM=$chromium LODEWARD_BIN=$bin node tests/bench.mjs
