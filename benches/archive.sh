#!/usr/bin/env bash
# Question: what do loading, writing, dropping and asking cost in the archive,
# beside pyoxigraph, which is Oxigraph on RocksDB? Two million quads: 45,000
# documents of 40 quads, and one graph of 200,000. Same machine, same run, turn
# by turn; CPU (user + system) of all threads of the process.
# Needs `cargo build --release -p lodeward-archive --example peer` and, the first
# time, a way to PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); rounds=${ROUNDS:-3}
room=${ARCHIVE_ROOM:-${TMPDIR:-/tmp}/lodeward-archive-bench}; mkdir -p "$room"
python=$room/venv/bin/python
if ! "$python" -c 'import pyoxigraph' 2>/dev/null; then
  python3 -m venv "$room/venv" && "$room/venv/bin/pip" install --quiet pyoxigraph==0.5.13 >&2 \
    || { echo "the archive bench needs pyoxigraph from PyPI"; exit 1; }
fi
[ -s "$room/quads.nq" ] || "$python" "$here/archive.py" generate "$room/quads.nq"
head -400000 "$room/quads.nq" > "$room/documents.nq"
echo "pyoxigraph $("$python" -c 'import pyoxigraph; print(pyoxigraph.__version__)'); median of $rounds rounds; a ratio above 1 is in our favour."
echo "Reclaiming is \`reclaim()\` with us, \`flush()\` and \`optimize()\` with them."
echo
"$python" "$here/archive.py" compare "$room" "$bin/examples/peer" "$rounds"
