#!/usr/bin/env bash
# Question: what do loading, writing, dropping and querying cost in the archive,
# compared with pyoxigraph (Oxigraph on RocksDB)? Two million quads: 45,000
# documents of 40 quads, and one graph of 200,000. Both sides alternate in one run;
# CPU time (user + system) of all threads of the process.
# Needs `cargo build --release -p lodeward-archive --example peer` and, the first
# time, access to PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); rounds=${ROUNDS:-3}
work_dir=${ARCHIVE_WORK_DIR:-${TMPDIR:-/tmp}/lodeward-archive-bench}; mkdir -p "$work_dir"
python=$work_dir/venv/bin/python
if ! "$python" -c 'import pyoxigraph' 2>/dev/null; then
  python3 -m venv "$work_dir/venv" && "$work_dir/venv/bin/pip" install --quiet pyoxigraph==0.5.13 >&2 \
    || { echo "cannot install pyoxigraph: the archive bench needs it from PyPI" >&2; exit 1; }
fi
[ -s "$work_dir/quads.nq" ] || "$python" "$here/archive.py" generate "$work_dir/quads.nq"
head -400000 "$work_dir/quads.nq" > "$work_dir/documents.nq"
echo "pyoxigraph $("$python" -c 'import pyoxigraph; print(pyoxigraph.__version__)'); median of $rounds rounds; a ratio above 1 favours lodeward-archive."
echo "Space is reclaimed by \`reclaim()\` in lodeward-archive, by \`flush()\` and \`optimize()\` in pyoxigraph."
echo
"$python" "$here/archive.py" compare "$work_dir" "$bin/examples/peer" "$rounds"
