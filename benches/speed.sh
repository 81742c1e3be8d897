#!/usr/bin/env bash
# Question: how many documents per CPU-second does the crawler fetch, compared with
# wget, which parses no RDF? Same world, all variants alternate in one run; CPU time
# (user + system) of the crawler alone, and distinct documents with status 200. The
# default is strategy `learned` with an archive that can be queried at the end; the
# other variants leave out the archive, the strategy, or both. Then: does a second core
# help, or is the conductor the limit?
set -euo pipefail
bin=$1; rounds=${ROUNDS:-5}
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
start_web access.log seeds.txt --preset mixed --cache 1GiB --stop-after 50min

# crawl COMMAND…: one crawl with these flags; sets $found, $cpu_s, $wall_s and $peak_mib.
crawl() {
  local from; from=$(wc -l < access.log); rm -rf data
  cpu "$@" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data --report report.json --quiet "${flags[@]}"
  sleep 0.5; found=$(documents access.log "$from")
  peak_mib=$(awk "BEGIN { printf \"%.0f\", $(number peak_memory_bytes report.json) / 1048576 }")
}

# mirror: the same with wget. One seed only: with several, wget mirrors the web once for each.
mirror() {
  local from; from=$(wc -l < access.log); rm -rf mirror; mkdir mirror
  (cd mirror && http_proxy="http://$web_address" bash -c "TIMEFORMAT='%U %S %R'; time wget -q -r -l inf -H --delete-after '$(head -1 ../seeds.txt)'" 2> ../times) || true
  cpu_s=$(tail -1 times | awk '{print $1 + $2}'); wall_s=$(tail -1 times | awk '{print $3}')
  sleep 0.5; found=$(documents access.log "$from"); peak_mib=
}

# Name, flags, and the ratio to wget that is required and aimed at.
variants=(
  "default||0.50|0.70"
  "bfs|--strategy bfs||"
  "learned, no archive|--no-archive|0.85|1.0"
  "bfs, no archive|--no-archive --strategy bfs|1.0|1.3"
  "wget|||"
)
: > rates
for round in $(seq "$rounds"); do
  for variant in "${variants[@]}"; do
    IFS='|' read -r name arguments _ _ <<< "$variant"; read -ra flags <<< "$arguments"
    if [ "$name" = wget ]; then mirror; else crawl "$bin/lodeward"; fi
    printf '%s\t%s\t%s\n' "$name" "$(awk "BEGIN { print $found / $cpu_s }")" "$peak_mib" >> rates
    echo "round $round  $name: $found documents, $cpu_s CPU-s, $wall_s s${peak_mib:+, $peak_mib MiB}"
  done
done
# column NAME N: the values of a variant in one column of rates.
column() { awk -F'\t' -v name="$1" -v n="$2" '$1 == name { print $n }' rates; }
mapfile -t wget_rates < <(column wget 2); wget_rate=$(median "${wget_rates[@]}")
echo
echo "| crawler | documents per CPU-second, median | smallest | largest | ratio to wget | at least | goal | peak memory, MiB |"
echo "|---|---|---|---|---|---|---|---|"
for variant in "${variants[@]}"; do
  IFS='|' read -r name _ bar goal <<< "$variant"
  mapfile -t values < <(column "$name" 2); mapfile -t peaks < <(column "$name" 3); rate=$(median "${values[@]}")
  awk -v name="$name" -v rate="$rate" -v low="$(smallest "${values[@]}")" -v high="$(largest "${values[@]}")" -v wget="$wget_rate" \
    -v bar="$bar" -v goal="$goal" -v peak="$(largest "${peaks[@]}")" \
    'BEGIN { printf "| %s | %.0f | %.0f | %.0f | %.2f | %s | %s | %s |\n", name, rate, low, high, rate / wget, bar, goal, peak }'
done

echo
echo "| crawler | cores | documents per second | documents per CPU-second |"
echo "|---|---|---|---|"
for cores in 0 0,1; do
  for variant in "${variants[0]}" "${variants[2]}"; do
    IFS='|' read -r name arguments _ _ <<< "$variant"; read -ra flags <<< "$arguments"
    crawl taskset -c "$cores" "$bin/lodeward"
    count=$(awk -F, '{ print NF }' <<< "$cores")
    awk -v name="$name" -v cores="$count" -v found="$found" -v wall="$wall_s" -v cpu="$cpu_s" \
      'BEGIN { printf "| %s | %d | %.0f | %.0f |\n", name, cores, found / wall, found / cpu }'
  done
done
echo
echo "The web server runs on the same cores; all crawls have the same delay, 0."

# The speed is meaningless unless the harvest is correct.
stop_web
start_web access2.log seeds2.txt --preset mixed --cache 1GiB
rm -rf data; "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data -o harvest.nq --quiet
stop_web
echo; "$bin/toyweb" score --preset mixed --log access2.log --quads harvest.nq | head -24
