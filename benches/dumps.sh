#!/usr/bin/env bash
# Question: does a crawl stream a gzipped dump of 5 GB of N-Quads with constant
# memory, and how fast? The baseline is gzip alone, which only unpacks. A twentieth
# and a fifth of the dump are crawled first, to show whether memory grows.
set -euo pipefail
bin=$1; gigabytes=${GIGABYTES:-5}
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"
web=; trap '[ -z "$web" ] || kill "$web" 2>/dev/null || true; rm -rf "$work_dir"' EXIT

# dump BYTES: that many bytes of N-Quads, deterministic: half literals, a quarter
# links, a quarter blank nodes; subjects are distinct, as in real dumps.
dump() {
  awk -v bytes="$1" 'BEGIN {
    for (i = 0; written < bytes; i++) {
      graph = "<http://dump.example/graph/" i % 1000 "> ."
      subject = "<http://dump.example/resource/item-" int(i / 4) ">"
      kind = i % 4
      if (kind == 0) line = subject " <http://vocabulary.example/label> \"The item with the number " i ", among many others\"@en " graph
      else if (kind == 1) line = subject " <http://vocabulary.example/size> \"" i * 7919 % 1000003 "\"^^<http://www.w3.org/2001/XMLSchema#integer> " graph
      else if (kind == 2) line = subject " <http://vocabulary.example/property-" i % 97 "> <http://host-" i * 31 % 5003 ".example/thing/" i ".ttl> " graph
      else line = "_:node" i " <http://vocabulary.example/part-of> _:node" i - 4 " " graph
      written += length(line) + 1
      print line
    }
  }'
}

# crawl NAME ARGUMENTS…: crawls one dump; sets $crawl_s and writes report.json.
crawl() {
  local name=$1; shift
  rm -rf data report.json
  cpu "$bin/lodeward" crawl "http://127.0.0.1:$port/$name" --allow-private --delay 0 --max-documents 1 \
    --data data --report report.json --quiet "$@"
  [ -s report.json ] || { cat command.err; exit 1; }
}

python3 -m http.server --bind 127.0.0.1 0 --directory "$work_dir" > server.out 2>&1 & web=$!
for _ in $(seq 100); do grep -q 'Serving HTTP' server.out && break; sleep 0.1; done
port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server.out | head -1)

echo "| bytes of N-Quads | gzipped | harvest into | quads | seconds | quads per second | CPU seconds | of which \`gzip -d\` | peak memory, MiB |"
echo "|---|---|---|---|---|---|---|---|---|"
for part in 20 5 1; do
  bytes=$(awk "BEGIN { printf \"%.0f\", $gigabytes * 1e9 / $part }")
  dump "$bytes" | gzip -1n > dump.nq.gz
  packed=$(stat -c %s dump.nq.gz)
  lines=$(gzip -dc dump.nq.gz | wc -l)
  cpu gzip -t dump.nq.gz; baseline_s=$cpu_s
  for way in segments archive; do
    # Feeding the archive is slow: ARCHIVE_PARTS="20 5" skips the largest dump.
    [ $way = segments ] || [[ " ${ARCHIVE_PARTS:-20 5 1} " == *" $part "* ]] || continue
    if [ $way = segments ]; then crawl dump.nq.gz --no-archive; else crawl dump.nq.gz; fi
    quads=$(number quads report.json)
    # The harvest must be complete.
    [ "$quads" = "$lines" ] || { echo "incomplete harvest: $quads quads of $lines lines" >&2; cat report.json; exit 1; }
    awk -v bytes="$bytes" -v packed="$packed" -v way="$way" -v quads="$quads" -v wall="$wall_s" -v cpu="$cpu_s" \
      -v baseline="$baseline_s" -v peak="$(number peak_memory_bytes report.json)" 'BEGIN {
        printf "| %.0f | %.0f | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", bytes, packed, way, quads, wall, quads / wall, cpu, baseline, peak / 1048576 }'
  done
done
echo
echo "\`segments\` is \`lodeward crawl --no-archive\`; \`archive\` also feeds the archive and waits until it has caught up."
