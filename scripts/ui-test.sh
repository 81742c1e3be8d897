#!/usr/bin/env bash
# Tests the browser interface in Chromium (and a smoke run in Firefox), with the real service and generated webs on loopback. Also
# checks that the committed build is that of the sources. Skipped without Node or Chromium; in CI
# (the variable CI is set) both must be installed.
#
#   ui-test.sh BINARY_DIR [SPEC…]
set -euo pipefail
bin=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../crates/lodeward-workbench/ui"
. ../../../scripts/node.sh

missing() {
  echo "browser tests skipped: $1 is not installed"
  [ -z "${CI:-}" ] || exit 1
  [ -z "${LODEWARD_TEST_SKIPPED:-}" ] || echo "tool: $1" >> "$LODEWARD_TEST_SKIPPED"
}
skip() {
  missing "$1"
  exit 0
}
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || skip chromium
command -v node > /dev/null || skip node
install_packages || skip npm
firefox=$(command -v firefox-esr || command -v firefox || true)
[ -n "$firefox" ] || missing firefox

npm run --silent check
npm run --silent unit
# The build is reproducible: building again gives the committed files.
rebuilt=$(mktemp -d)
trap 'rm -rf "$rebuilt"' EXIT
npx vite build --outDir "$rebuilt" --logLevel error
diff -rq -x sources.sha256 ../dist "$rebuilt" || { echo "dist/ is not the build of ui/: run \`make ui\`"; exit 1; }
# Node 20 has web sockets (for Firefox) behind a flag.
LODEWARD_TEST_CHROMIUM=$chromium LODEWARD_TEST_FIREFOX=$firefox LODEWARD_BIN=$bin node --experimental-websocket --test-reporter=spec tests/browser/all.mjs "$@"
