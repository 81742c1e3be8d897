#!/usr/bin/env bash
# Question: do hosts that do not respond hold up `learned`? The recorded mini web over real
# sockets, without a delay. Hosts that are not in the recording close every connection. For each
# budget, the median of RUNS wall times and RDF documents of `learned` and of `bfs`. Needs the
# shared miniweb (`LODEWARD_SHARED`), `lodeward` and `toyweb`.
set -euo pipefail
bin=$(cd "$1" && pwd); source "$(dirname "$0")/lib.sh"
recordings=$(cd "$(dirname "$0")/.." && cd "${LODEWARD_SHARED:-../shared}/data/miniweb" && pwd)
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
serve=(replay)
start_web - urls.txt "$recordings"/public-1.warc.gz "$recordings"/public-2.warc.gz --unknown-hosts dropped --ca-out ca.pem
echo "| requests | strategy | seconds (median of ${RUNS:-3}) | RDF documents | share of the time of bfs |"
echo "|---|---|---|---|---|"
for budget in ${BUDGETS:-500 1000 2000 4000}; do
  for strategy in bfs learned; do
    seconds=(); documents=()
    for _ in $(seq "${RUNS:-3}"); do
      rm -rf data
      cpu "$bin/lodeward" crawl "@$recordings/seeds.txt" --proxy "http://$web_address" --ca-cert ca.pem \
        --contact bench@example.org \
        --delay 0 --strategy "$strategy" --max-requests "$budget" --no-archive --quiet --data data --report report.json
      seconds+=("$wall_s"); documents+=("$(number rdf_documents report.json)")
    done
    median_seconds=$(median "${seconds[@]}")
    [ "$strategy" != bfs ] || bfs_seconds=$median_seconds
    share=$(awk -v one="$median_seconds" -v other="$bfs_seconds" 'BEGIN { printf "%.2f", one / other }')
    echo "| $budget | $strategy | $median_seconds | $(median "${documents[@]}") | $share |"
  done
done
