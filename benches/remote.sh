#!/usr/bin/env bash
# Question: does every quad of a harvest arrive exactly once in a SPARQL store in
# another process if 30 % of the requests fail: rejected, dropped before or after
# they took effect, or with a truncated response?
#
# The stores: Oxigraph (RocksDB, from PyPI) and our own endpoint. Each receives the
# harvest twice with faults, by updates only and with its graph store for large
# documents, and once without faults, as the baseline.
set -euo pipefail
bin=$1; documents=${DOCUMENTS:-5000}; faults=${FAULTS:-30}
work_dir=$(mktemp -d); server=
stop() { [ -z "$server" ] || { kill "$server"; wait "$server" 2>/dev/null || true; server=; }; }
trap 'stop; rm -rf "$work_dir"' EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
await() { for _ in $(seq 400); do (exec 3<> "/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.05; done; echo "server not reachable on port $1" >&2; exit 1; }

echo "| store | by | changes of documents | quads at the end | requests | faults injected | waits | s | changes per s | quads missing | surplus quads |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
measure() { # STORE MODE FAULTS: a fresh server, started by start_STORE
  local port; port=$(free_port)
  "start_$1" "$port" "$work_dir/$1-$2-$3" > "$work_dir/server.log" 2>&1 &
  server=$!
  await "$port"
  "$bin/examples/remote" "$1" "http://127.0.0.1:$port/update" "http://127.0.0.1:$port/store" "$documents" "$3" "$2"
  stop
}
oxigraph=${LODEWARD_TEST_OXIGRAPH:-$bin/../tools/oxigraph/bin/oxigraph}
start_oxigraph() { exec "$oxigraph" serve --location "$2" --bind "127.0.0.1:$1"; }
start_lodeward() { exec "$bin/lodeward" serve --sparql-only --data "$2" --listen "127.0.0.1:$1" --update; }
stores=()
[ ! -x "$oxigraph" ] || stores+=(oxigraph)
! "$bin/lodeward" serve --help > /dev/null 2>&1 || stores+=(lodeward)
[ ${#stores[@]} -gt 0 ] || { echo "no store available: run make tools" >&2; exit 1; }
for store in "${stores[@]}"; do
  measure "$store" updates 0
  measure "$store" updates "$faults"
  measure "$store" streams "$faults"
done
