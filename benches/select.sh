#!/usr/bin/env bash
# Question: how many requests do strategies need to find RDF? All tables of
# docs/evaluation.md on the recorded mini web, and one at the size of the LDCOC paper on a
# generated world (PAPER=0 skips it). Needs the shared miniweb, `lodeward-eval` and `toyweb`.
# Writes eval/results/select-*.{md,csv,svg} and others.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); cd "$here/.."
web=${LODEWARD_SHARED:-../shared}/data/miniweb; results=${RESULTS:-eval/results}
PATH=$bin:$PATH
# The shipped prior was trained on this web, so it is disabled.
strategies=(--strategy oracle --strategy learned --strategy nb-online --strategy ldcoc
  --strategy ldcoc:links=rdf --strategy link-analysis --strategy link-analysis:learn_from_embedded=true --strategy heuristic
  --strategy bfs --strategy bfs-rdf)
study=(--ignore-robots --recorded-contexts)
compare() { lodeward-eval select "$web" "${strategies[@]}" --runs "${RUNS:-5}" "$@" >/dev/null; }
compare "${study[@]}" -o "$results/select-entries" --title "Start b: seeds and entry pages"
compare "${study[@]}" --start seeds -o "$results/select-seeds" --title "Start a: seeds"
compare "${study[@]}" --max-documents-per-domain 150 -o "$results/select-capped" --title "At most 150 documents per domain"
compare -o "$results/select-robots" --title "Crawler defaults: robots.txt obeyed, bundled contexts only"
compare "${study[@]}" --polite -o "$results/select-polite" --title "One second between requests to a domain"
compare "${study[@]}" --misses --stop 100 -o "$results/select-misses" --title "Links that leave the recording cost a request"
compare "${study[@]}" --embedded-frontier --stop 100 -o "$results/select-disk" --title "Frontier on disk"
{ echo "# CPU cost of URI selection"; echo; echo "Made by \`selection_speed\` (an example of \`lodeward\`, release) on $(nproc) cores."; echo
  "$bin/examples/selection_speed" "$web"; } > "$results/selection-cost.md"
lodeward-eval prior "$web" "${study[@]}" -o "$results/prior" >/dev/null
lodeward-eval links "$web" "${study[@]}" -o "$results/links" >/dev/null
lodeward-eval links "$web" "${study[@]}" --gates -o "$results/links-gates" >/dev/null
lodeward-eval offline "$web" "${study[@]}" --strategy learned --strategy ldcoc --strategy nb-online -o "$results/offline" >/dev/null
lodeward-eval table2 "$web" "${study[@]}" --parts 5 --examples 2000,4000 -o "$results/table2-miniweb" >/dev/null
if [ "${PAPER:-1}" != 0 ]; then
  world=$(mktemp -d); trap 'rm -rf "$world"' EXIT
  toyweb record --parameters eval/worlds/paper.toml "$world"
  lodeward-eval table2 "$world" --start seeds --requests 300000 --examples 20000,40000 --strategy bfs \
    --strategy ldcoc --strategy link-analysis --strategy nb-online --strategy learned \
    -o "$results/table2-paper" >/dev/null
fi
echo "Tables, figures and curves: eval/results/select-*.md, prior.md, links.md, offline.md, table2-*.md; docs/evaluation.md discusses them."
