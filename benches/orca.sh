#!/usr/bin/env bash
# Question: what are recall, time and memory on the ORCA benchmark? "Data web" (100
# nodes: CKAN, dereferencing, dumps, RDFa, SPARQL) with three delays; "efficiency"
# (200 dereferencing nodes, 44,600 documents) compared with wget, which gets a list
# of all URLs because it finds no links in RDF; "robots" (Crawl-delay of 10 s, 10 %
# disallowed) in virtual time.
set -euo pipefail
bin=$1; here=$(cd "$(dirname "$0")" && pwd)
source "$here/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
serve=(orca serve)

# score_of PATH: a number of score.json, by its path, for example `recall.micro`.
score_of() { python3 -c 'import json, sys
value = json.load(open("score.json"))
for key in sys.argv[1].split("."): value = value[key]
print(value if isinstance(value, int) else f"{value:.4f}")' "$1"; }

echo "## Data web"
echo
echo "| delay | micro recall | macro recall | requests | seconds | CPU-s | peak MiB |"
echo "|---|---|---|---|---|---|---|"
for delay in ${DELAYS:-0 100 500}; do
  rm -rf data; start_web access.log seeds.txt --preset "${DATA_WEB:-data-web}" --stop-after 1h
  cpu "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay "${delay}ms" --endpoints harvest --follow-harvested --data data \
    -o harvest.nq --report report.json --quiet
  stop_web
  "$bin/toyweb" orca score --preset "${DATA_WEB:-data-web}" --log access.log --quads harvest.nq --json score.json > "score-$delay.txt"
  echo "| $delay ms | $(score_of recall.micro) | $(score_of recall.macro) | $(number requests report.json) | $wall_s | $cpu_s | $(awk "BEGIN { printf \"%.0f\", $(number peak_memory_bytes report.json) / 1048576 }") |"
done
echo; echo "Recall by kind of node, with the last delay:"; echo; echo '```'; cat "score-$delay.txt"; echo '```'

echo; echo "## Efficiency"; echo
rates=(); wget_rates=(); peaks=()
for round in $(seq "${ROUNDS:-3}"); do
  rm -rf data; start_web access.log seeds.txt --preset "${EFFICIENCY:-efficiency}" --stop-after 1h
  cpu "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --no-archive --data data -o harvest.nq \
    --report report.json --quiet --max-documents 0
  sleep 1; found=$(documents access.log 0); rates+=("$(awk "BEGIN { print $found / $cpu_s }")")
  peaks+=("$(number peak_memory_bytes report.json)")
  echo "round $round  lodeward  $found documents, $cpu_s CPU-s, $wall_s s"; echo
  awk -F'\t' '$6 == 200 && $5 !~ /\/robots\.txt$/ { print $5 }' access.log | sort -u > urls.txt
  [ "$round" != 1 ] || cp access.log first.log
  from=$(wc -l < access.log)
  export http_proxy="http://$web_address"
  cpu wget -q -i urls.txt -O /dev/null
  unset http_proxy
  sleep 1; found=$(documents access.log "$from"); wget_rates+=("$(awk "BEGIN { print $found / $cpu_s }")")
  echo "round $round  wget  $found documents, $cpu_s CPU-s, $wall_s s"; echo
  stop_web
done
"$bin/toyweb" orca score --preset "${EFFICIENCY:-efficiency}" --log first.log --quads harvest.nq --json score.json > efficiency.txt
echo "| crawler | documents per CPU-second, median | smallest | largest |"
echo "|---|---|---|---|"
echo "| lodeward | $(median "${rates[@]}") | $(smallest "${rates[@]}") | $(largest "${rates[@]}") |"
echo "| wget, with a list of all URLs | $(median "${wget_rates[@]}") | $(smallest "${wget_rates[@]}") | $(largest "${wget_rates[@]}") |"
echo
echo "micro recall $(score_of recall.micro), macro recall $(score_of recall.macro); peak memory $(awk "BEGIN { printf \"%.0f\", $(largest "${peaks[@]}") / 1048576 }") MiB"

echo; echo "## Robots, in virtual time"; echo; echo '```'
cd "$here/.."
LODEWARD_TEST_TORTURE=1 cargo test --quiet -p lodeward --test it -- --nocapture orca::crawl_delay 2>/dev/null | grep '^robots:'
echo '```'
