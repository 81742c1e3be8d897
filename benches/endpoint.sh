#!/usr/bin/env bash
# Question: is a SPARQL endpoint of two million triples harvested completely if it
# silently truncates results at 10,000 rows and fails 5 % of the requests? The data
# has named graphs, hubs, blank nodes and literals of all kinds.
set -euo pipefail
bin=$1
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
endpoint=(--triples "${TRIPLES:-2000000}" --graphs 3 --max-rows 10000 --error-share 0.05)
serve=(sparql)
start_web access.log seeds.txt "${endpoint[@]}" --stop-after 1h
cpu "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay "${DELAY:-0}" --endpoints harvest --max-depth 0 \
  --data data -o harvest.nq --report report.json --quiet "${STRATEGY:---strategy=learned}"
stop_web
"$bin/toyweb" sparql "${endpoint[@]}" --truth truth.nq
cat command.err
echo "requests: $(number requests report.json); documents: $(number documents report.json); quads: $(number quads report.json); $wall_s s, $cpu_s CPU-s; peak memory $(awk "BEGIN { printf \"%.0f\", $(number peak_memory_bytes report.json) / 1048576 }") MiB"
echo "responses by status: $(awk -F'\t' '{ count[$6]++ } END { for (status in count) printf "%s × %d  ", status, count[status] }' access.log)"
echo
# Blank node labels differ, so all blank nodes are replaced by one label and triples are counted.
triples() { sed -E 's/_:[A-Za-z0-9]+/_:b/g; s/ <[^<>]*> \.$/ ./' "$1" | sort; }
triples truth.nq > truth.txt; triples harvest.nq | grep -v 'sparql-service-description' > harvest.txt
sort -u truth.txt > truth-set.txt; sort -u harvest.txt > harvest-set.txt
echo "triples of the endpoint, as a set: $(wc -l < truth-set.txt); missing in the harvest: $(comm -23 truth-set.txt harvest-set.txt | wc -l); surplus: $(comm -13 truth-set.txt harvest-set.txt | wc -l)"
echo "triples with blank nodes, at the endpoint and in the harvest: $(grep -c '_:b' truth.txt) and $(grep -c '_:b' harvest.txt)"
