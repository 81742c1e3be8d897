#!/usr/bin/env bash
# Question: what does the search index cost a default crawl, in CPU time and on disk? Same
# world, crawls with and without the index alternate in one run; CPU time (user + system)
# of the crawler. At its end a crawl has indexed all that it stored.
set -euo pipefail
bin=$1; rounds=${ROUNDS:-3}
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
start_web access.log seeds.txt --preset "${PRESET:-mixed}" --cache 1GiB --stop-after 50min

# crawl on|off: one crawl; sets $found, $cpu_s, $peak_mib, $archive_mb and $index_mb.
crawl() {
  local from is_on=false; from=$(wc -l < access.log); rm -rf data
  if [ "$1" = on ]; then is_on=true; fi
  cpu "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data --report report.json --quiet --set search.index=$is_on
  sleep 0.5; found=$(documents access.log "$from")
  peak_mib=$(awk "BEGIN { printf \"%.0f\", $(number peak_memory_bytes report.json) / 1048576 }")
  archive_mb=$(du -sb data/archive | awk '{ printf "%.1f", $1 / 1e6 }')
  index_mb=0; if [ -d data/search ]; then index_mb=$(du -sb data/search | awk '{ printf "%.1f", $1 / 1e6 }'); fi
}

: > rates
for round in $(seq "$rounds"); do
  for index in off on; do
    crawl $index
    printf '%s\t%s\t%s\t%s\t%s\n' "$index" "$cpu_s" "$peak_mib" "$archive_mb" "$index_mb" >> rates
    echo "round $round  index $index: $found documents, $cpu_s CPU-s, $wall_s s, $peak_mib MiB, archive $archive_mb MB, index $index_mb MB"
  done
done
column() { awk -F'\t' -v name="$1" -v n="$2" '$1 == name { print $n }' rates; }
mapfile -t off < <(column off 2); mapfile -t on < <(column on 2)
mapfile -t peak_off < <(column off 3); mapfile -t peak_on < <(column on 3)
mapfile -t archive < <(column on 4); mapfile -t index < <(column on 5)
echo
echo "| index | CPU seconds, median | peak memory, MiB | archive, MB | index, MB |"
echo "|---|---|---|---|---|"
echo "| off | $(median "${off[@]}") | $(largest "${peak_off[@]}") | | |"
echo "| on | $(median "${on[@]}") | $(largest "${peak_on[@]}") | $(median "${archive[@]}") | $(median "${index[@]}") |"
echo
awk -v off="$(median "${off[@]}")" -v on="$(median "${on[@]}")" -v archive="$(median "${archive[@]}")" -v index_mb="$(median "${index[@]}")" \
  'BEGIN { printf "The index takes %.0f %% of the CPU time of a crawl without it (target: 25 %%), and %.2f times the archive on disk (target: 1.5).\n", 100 * (on - off) / off, index_mb / archive }'
