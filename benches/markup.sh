#!/usr/bin/env bash
# Question: how many MB of real pages does a core read for their RDFa, Microdata
# and JSON-LD, beside extruct, which does the same in Python over lxml? Same
# pages, same run, turn by turn; only CPU (user + system) of one thread counts.
# Needs `cargo build --release -p lodeward-markup --examples`, the shared suites
# and, the first time, a way to PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); rounds=${ROUNDS:-5}
suites=${LODEWARD_SHARED:-$here/../../shared}/suites
# Kept between runs, for the virtual environment takes longer than the bench.
room=${MARKUP_ROOM:-${TMPDIR:-/tmp}/lodeward-markup-bench}; mkdir -p "$room"
python=$room/venv/bin/python
if ! "$python" -c 'import extruct' 2>/dev/null; then
  python3 -m venv "$room/venv" && "$room/venv/bin/pip" install --quiet extruct >&2 \
    || { echo "the markup bench needs extruct from PyPI"; exit 1; }
fi
[ -s "$room/pages/pages.tsv" ] || "$python" "$here/markup.py" collect "$suites" "$room/pages"
echo "extruct $("$python" -c 'from importlib.metadata import version; print(version("extruct"))'), rdfa, microdata and json-ld, not uniform; median of $rounds rounds."
echo
"$python" "$here/markup.py" compare "$room/pages" "$bin/examples/page_throughput" "$rounds"
