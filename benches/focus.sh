#!/usr/bin/env bash
# Question: which ranker finds the entities relevant to a seed list, and how many requests
# does it save? All tables of DURAARK D3.6 on the shared entity graphs, and the same tasks as
# crawls of those graphs, recorded as webs by toyweb. Needs `lodeward-eval` and `toyweb`.
# Writes eval/results/focus.{csv,svg} and prints focus.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd); cd "$here/.."
data=${LODEWARD_SHARED:-../shared}/data/entities; results=${RESULTS:-eval/results}
PATH=$bin:$PATH
# In the build directory, so that the command in the results can be repeated.
webs=target/webs; trap 'rm -rf "$webs"' EXIT
dbpedia=(--entities "$data/dbp15k-en.entities.tsv.gz" --links "$data/dbp15k-en.triples.tsv.gz")
nomisma=(--entities "$data/nomisma.entities.tsv.gz" --links "$data/nomisma.links.tsv.gz"
  --hide http://purl.org/dc/terms/isPartOf)
record() { toyweb record "$webs/$1" "${@:2}" >/dev/null; }
record dbpedia "${dbpedia[@]}"
record dbpedia-forward "${dbpedia[@]}" --forward
record nomisma "${nomisma[@]}"
record nomisma-without-scheme "${nomisma[@]}" --hide http://www.w3.org/2004/02/skos/core#inScheme
lodeward-eval focus --data "$data" --feedback --web "$webs/dbpedia" --web "$webs/dbpedia-forward" --web "$webs/nomisma" \
  --web "$webs/nomisma-without-scheme" -o "$webs/focus" >/dev/null
cp "$webs/focus.csv" "$webs/focus.svg" "$results/"
# The bench runner has already written the title.
tail -n +3 "$webs/focus.md"
