#!/usr/bin/env bash
# Question: are memory and CPU cost per document constant while a crawl grows to a
# million documents and over five million known URIs?
set -euo pipefail
bin=$1; max_documents=${DOCUMENTS:-1000000}
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
start_web - seeds.txt --preset tiny --set hosts=1000 --set documents_per_host=10000 \
  --set links.min=8 --set links.max=12 --cache 1MiB --stop-after 2h
"$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data --max-documents "$max_documents" \
  --report report.json --quiet & crawl=$!
hertz=$(getconf CLK_TCK)
: > samples
while kill -0 $crawl 2>/dev/null; do
  sleep 2
  ticks=$(awk '{ print $14 + $15 }' /proc/$crawl/stat 2>/dev/null) || break
  resident=$(awk '/^VmRSS/ { print $2 }' /proc/$crawl/status 2>/dev/null) || break
  fetched=$(sed -n 's/^ *"documents": \([0-9]*\),/\1/p' data/crawls/1/status.json 2>/dev/null | head -1)
  known=$(sed -n 's/^ *"uris_known": \([0-9]*\),/\1/p' data/crawls/1/status.json 2>/dev/null | head -1)
  [ -n "${fetched:-}" ] && echo "$fetched $known $ticks $resident" >> samples
done
wait $crawl
awk -v hertz="$hertz" -v max="$max_documents" '
  { documents[NR] = $1; known[NR] = $2; cpu[NR] = $3 / hertz; resident[NR] = $4 }
  END {
    print "| documents | URIs known | CPU ms per document since the previous row | resident MiB |"; print "|---|---|---|---|"
    step = max / 10; next_at = step; d = documents[1]; c = cpu[1]
    for (i = 2; i <= NR; i++) if (documents[i] >= next_at || i == NR) {
      if (documents[i] > d) {
        cost = 1000 * (cpu[i] - c) / (documents[i] - d); if (++rows == 2) second = cost; last = cost
        printf "| %d | %d | %.3f | %d |\n", documents[i], known[i], cost, resident[i] / 1024
      }
      d = documents[i]; c = cpu[i]; while (next_at <= documents[i]) next_at += step
    }
    # The first tenth is not typical: tables and caches are empty.
    if (rows < 2) second = last
    printf "\nCPU cost per document, last row / second row: %.2f (at most 1.3)\n", last / second
  }' samples
echo "peak memory: $(awk "BEGIN { printf \"%.0f\", $(number peak_memory_bytes report.json) / 1048576 }") MiB (at most 300, goal 250)"
echo "URIs known at the end: $(number uris_known report.json), documents: $(number documents report.json), $(number elapsed_seconds report.json) s"
