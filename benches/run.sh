#!/usr/bin/env bash
# Runs all benches; each result file names the command that produced it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); results=$here/../eval/results
command -v wget >/dev/null || apt-get install -y wget || { echo "cannot install wget: the speed bench needs it" >&2; exit 1; }
for bench in ${BENCHES:-speed search_index memory politeness markup hostile bombs labels archive queries remote select focus orca endpoint dumps refresh workbench}; do
  { echo "# $bench"; echo; echo "Made by \`make bench\` (benches/$bench.sh) on $(nproc) cores."; echo
    bash "$here/$bench.sh" "$bin"; } | tee "$results/$bench.md.new"
  mv "$results/$bench.md.new" "$results/$bench.md"
done
