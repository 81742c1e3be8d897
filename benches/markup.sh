#!/usr/bin/env bash
# Question: from how many MB of real pages per CPU-second are RDFa, Microdata and
# JSON-LD extracted, compared with extruct (Python, lxml)? Same pages, both sides
# alternate in one run; CPU time (user + system) of one thread.
# Needs `cargo build --release -p lodeward-markup --examples`, the shared suites
# and, the first time, access to PyPI.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); rounds=${ROUNDS:-5}
suites=${LODEWARD_SHARED:-$here/../../shared}/suites
# Reused between runs: creating the virtual environment takes longer than the bench.
work_dir=${MARKUP_WORK_DIR:-${TMPDIR:-/tmp}/lodeward-markup-bench}; mkdir -p "$work_dir"
python=$work_dir/venv/bin/python
if ! "$python" -c 'import extruct' 2>/dev/null; then
  python3 -m venv "$work_dir/venv" && "$work_dir/venv/bin/pip" install --quiet extruct >&2 \
    || { echo "cannot install extruct: the markup bench needs it from PyPI" >&2; exit 1; }
fi
[ -s "$work_dir/pages/pages.tsv" ] || "$python" "$here/markup.py" collect "$suites" "$work_dir/pages"
echo "extruct $("$python" -c 'from importlib.metadata import version; print(version("extruct"))'), rdfa, microdata and json-ld, not uniform; median of $rounds rounds."
echo
"$python" "$here/markup.py" compare "$work_dir/pages" "$bin/examples/page_throughput" "$rounds"
