#!/usr/bin/env bash
# Question: what do 30 queries over a harvest cost, compared with pyoxigraph (Oxigraph on RocksDB)?
# The harvest is a crawl of a generated web; with ENTITIES=DIR, the entity graphs in that directory
# (dbp15k-en and nomisma, as tab-separated files) are added. Both sides hold the same quads, write
# their results as TSV, and are measured as the CPU time of their process; the number of rows must be
# the same. pyoxigraph uses the union of all graphs as the default graph, as `lodeward` does.
# Both run in one process, without HTTP; ours is the example `peer` of `lodeward-archive`, which needs
# `cargo build --release -p lodeward-archive --example peer`.
# The first line is the start of a process: `ASK {}` on an archive that was closed, and after a kill.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); rounds=${ROUNDS:-3}
work_dir=${QUERIES_WORK_DIR:-${TMPDIR:-/tmp}/lodeward-queries-bench}; mkdir -p "$work_dir"
# shellcheck source=benches/lib.sh
source "$here/lib.sh"
python=$work_dir/venv/bin/python
if ! "$python" -c 'import pyoxigraph' 2>/dev/null; then
  python3 -m venv "$work_dir/venv" && "$work_dir/venv/bin/pip" install --quiet pyoxigraph==0.5.13 >&2 \
    || { echo "cannot install pyoxigraph: the queries bench needs it from PyPI" >&2; exit 1; }
fi
cd "$work_dir"
if [ ! -s harvest.nq ]; then
  rm -rf data entities.nq
  start_web - seeds.txt --ca-out ca.pem --preset "${PRESET:-demo}"
  "$bin/lodeward" crawl @seeds.txt --data data --proxy "http://$web_address" --ca-cert ca.pem --delay 0 -q --strategy bfs --max-documents "${DOCUMENTS:-20000}"
  stop_web
  if [ -n "${ENTITIES:-}" ]; then
    "$python" "$here/queries.py" entities "$ENTITIES" entities.nq
    "$bin/lodeward" import entities.nq --data data -q
  fi
  "$bin/lodeward" export --data data -o harvest.nq -q
fi
"$python" "$here/queries.py" compare "$bin/lodeward" "$bin/examples/peer" "$work_dir" "$rounds"
