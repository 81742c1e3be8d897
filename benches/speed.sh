#!/usr/bin/env bash
# Question: how many documents per CPU-second does the crawler fetch, compared with
# wget, which parses no RDF? Same world, both sides alternate in one run; CPU time
# (user + system) of the crawler alone, and distinct documents with status 200. Once
# with the harvest in segments only, the minimum of a crawl, and once with the default
# settings: with an archive that can be queried at the end, including provenance.
set -euo pipefail
bin=$1; rounds=${ROUNDS:-5}
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
start_web access.log seeds.txt --preset mixed --cache 1GiB --stop-after 50min

lodeward_rates=(); archive_rates=(); wget_rates=(); peaks=()
# crawl NAME FLAGS…: one crawl; sets $rate.
crawl() {
  local name=$1 from found requests; shift
  from=$(wc -l < access.log); rm -rf data
  cpu "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data --report report.json --quiet "$@"
  sleep 0.5; found=$(documents access.log "$from"); requests=$(($(wc -l < access.log) - from))
  rate=$(awk "BEGIN { print $found / $cpu_s }"); peaks+=("$(number peak_memory_bytes report.json)")
  echo "round $round  $name  $found documents, $requests requests, $cpu_s CPU-s, $wall_s s"
}
for round in $(seq "$rounds"); do
  crawl "lodeward, no archive" --no-archive; lodeward_rates+=("$rate")
  crawl "lodeward, archive   " ; archive_rates+=("$rate")

  from=$(wc -l < access.log); rm -rf mirror; mkdir mirror
  # One seed only: with several, wget mirrors the web once for each.
  (cd mirror && http_proxy="http://$web_address" bash -c "TIMEFORMAT='%U %S %R'; time wget -q -r -l inf -H --delete-after '$(head -1 ../seeds.txt)'" 2> ../times) || true
  cpu_s=$(tail -1 times | awk '{print $1 + $2}'); wall_s=$(tail -1 times | awk '{print $3}')
  sleep 0.5; found=$(documents access.log "$from"); requests=$(($(wc -l < access.log) - from))
  wget_rates+=("$(awk "BEGIN { print $found / $cpu_s }")")
  echo "round $round  wget                  $found documents, $requests requests, $cpu_s CPU-s, $wall_s s"
done
ours=$(median "${lodeward_rates[@]}"); archived=$(median "${archive_rates[@]}"); theirs=$(median "${wget_rates[@]}")
echo
echo "| crawler | documents per CPU-second, median | smallest | largest |"
echo "|---|---|---|---|"
echo "| lodeward, no archive | $ours | $(smallest "${lodeward_rates[@]}") | $(largest "${lodeward_rates[@]}") |"
echo "| lodeward, archive | $archived | $(smallest "${archive_rates[@]}") | $(largest "${archive_rates[@]}") |"
echo "| wget | $theirs | $(smallest "${wget_rates[@]}") | $(largest "${wget_rates[@]}") |"
echo
echo "ratio lodeward / wget: $(awk "BEGIN { printf \"%.2f\", $ours / $theirs }"), with the archive $(awk "BEGIN { printf \"%.2f\", $archived / $theirs }")"
echo "peak memory of lodeward on this world: $(awk "BEGIN { printf \"%.0f\", $(largest "${peaks[@]}") / 1048576 }") MiB"

# The speed is meaningless unless the harvest is correct.
stop_web
start_web access2.log seeds2.txt --preset mixed --cache 1GiB
rm -rf data; "$bin/lodeward" crawl @seeds.txt --proxy "http://$web_address" --delay 0 --data data -o harvest.nq --quiet
stop_web
echo; "$bin/toyweb" score --preset mixed --log access2.log --quads harvest.nq | head -24
