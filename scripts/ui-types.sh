#!/usr/bin/env bash
# Generates the types of the API for the browser interface, from a service with an empty data directory.
#
#   ui-types.sh BINARY_DIR
set -euo pipefail
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../crates/lodeward-workbench/ui"
. ../../../scripts/node.sh
install_packages
work_dir=$(mktemp -d)
env -u LODEWARD_TOOLS "$bin/lodeward" serve --no-auth --listen 127.0.0.1:0 --data "$work_dir/data" > "$work_dir/out" 2> "$work_dir/err" &
service=$!
trap 'kill $service; wait $service 2> /dev/null || true; rm -rf "$work_dir"' EXIT
for _ in $(seq 200); do grep -q '^listening on' "$work_dir/out" && break; sleep 0.05; done
url=$(sed -n 's/^listening on //p' "$work_dir/out")
[ -n "$url" ] || { cat "$work_dir/err"; exit 1; }
npm run --silent types -- "$url/"
