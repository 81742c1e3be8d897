#!/usr/bin/env bash
# Makes docs/crawl.svg: four strategies crawl the generated web of eval/worlds/small.toml.
# `lodeward-eval select` draws the share of RDF documents found by each after n requests.
# The first argument is the directory of the binaries (default: target/debug).
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-target/debug}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$bin/toyweb" record --parameters eval/worlds/small.toml "$work/web" >&2
"$bin/lodeward-eval" select "$work/web" --strategy learned --strategy nb-online --strategy ldcoc --strategy bfs \
  --runs 3 --title "RDF documents found on a generated web" -o "$work/crawl" >/dev/null
cp "$work/crawl.svg" docs/crawl.svg
