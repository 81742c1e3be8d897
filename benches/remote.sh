#!/usr/bin/env bash
# Question: does a harvest arrive in a SPARQL store in another process, every quad
# exactly once, when three requests in ten fail: refused, dropped before or after
# they took effect, or answered by half?
#
# The stores: Oxigraph (RocksDB inside, from PyPI) and our own endpoint. Each gets
# the harvest twice: by updates only, and with its graph store for large documents;
# and once without faults, as the baseline.
set -euo pipefail
bin=$1; documents=${DOCUMENTS:-5000}; faults=${FAULTS:-30}
room=$(mktemp -d); server=
stop() { [ -z "$server" ] || { kill "$server"; wait "$server" 2>/dev/null || true; server=; }; }
trap 'stop; rm -rf "$room"' EXIT
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
await() { for _ in $(seq 400); do (exec 3<> "/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.05; done; echo "no server"; exit 1; }

echo "| store | by | changes of documents | quads in the end | requests | faults injected | waits | s | changes per s | quads missing | quads too many |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
measure() { # NAME WAY FAULTS: a fresh server, of which $start is the command
  local port; port=$(free_port)
  "start_$1" "$port" "$room/$1-$2-$3" > "$room/server.log" 2>&1 &
  server=$!
  await "$port"
  "$bin/examples/remote" "$1" "http://127.0.0.1:$port/update" "http://127.0.0.1:$port/store" "$documents" "$3" "$2"
  stop
}
oxigraph=${LODEWARD_OXIGRAPH:-$bin/../tools/oxigraph/bin/oxigraph}
start_oxigraph() { exec "$oxigraph" serve --location "$2" --bind "127.0.0.1:$1"; }
start_lodeward() { exec "$bin/lodeward" endpoint --data "$2" --listen "127.0.0.1:$1" --update; }
stores=()
[ ! -x "$oxigraph" ] || stores+=(oxigraph)
! "$bin/lodeward" endpoint --help > /dev/null 2>&1 || stores+=(lodeward)
[ ${#stores[@]} -gt 0 ] || { echo "no store to be had: make tools"; exit 1; }
for store in "${stores[@]}"; do
  measure "$store" updates 0
  measure "$store" updates "$faults"
  measure "$store" streams "$faults"
done
