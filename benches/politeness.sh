#!/usr/bin/env bash
# Question: is the delay of every domain and every IP address kept, as seen by the
# server? Delay fulfilment is the smallest gap between the end of a response and the
# next request, divided by the required gap: the configured delay or Crawl-delay,
# whichever is longer. In real time, over real sockets, including robots.txt and
# redirects; directly, with many hosts on few IP addresses, and through a proxy.
set -euo pipefail
bin=$1
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
world=(--preset polite --set hosts=12 --set documents_per_host=5 --set robots.crawl_delay_seconds=0.4)
echo "| delay | mode | requests | domains: minimum fulfilment | IP addresses: minimum fulfilment | disallowed requests |"
echo "|---|---|---|---|---|---|"
for delay in 0 100 1000; do
  for mode in direct proxy; do
    start_web access.log seeds.txt "${world[@]}" --listen 127.0.0.2:0 --listen 127.0.0.3:0
    rm -rf data; : > addresses.tsv; route=()
    if [ $mode = proxy ]; then route=(--proxy "http://$web_address"); else
      mapfile -t listening < <(sed -n 's/^listening on //p' toyweb.out)
      number=0
      for host in $("$bin/toyweb" truth "${world[@]}" | sed -n 's/^{"url":"https\{0,1\}:\/\/\([^/"]*\).*/\1/p' | sort -u); do
        address=${listening[$((number++ % ${#listening[@]}))]}
        route+=(--resolve "$host:$address"); printf '%s\t%s\n' "$host" "${address%:*}" >> addresses.tsv
      done
    fi
    "$bin/lodeward" crawl @seeds.txt "${route[@]}" --delay "${delay}ms" --data data -o harvest.nq --quiet
    stop_web
    score=(--log access.log --quads harvest.nq --delay "${delay}ms" --json score.json)
    [ $mode = direct ] && [ $delay -gt 0 ] && score+=(--addresses addresses.tsv)
    "$bin/toyweb" score "${world[@]}" "${score[@]}" > score.txt
    ratios=$(sed -n 's/^    "min_ratio": \([0-9.]*\).*/\1/p' score.json)
    per_domain=$(sed -n 1p <<< "$ratios"); per_address=$(sed -n 2p <<< "$ratios")
    echo "| $delay ms | $mode | $(sed -n 's/^    "all": \([0-9]*\).*/\1/p' score.json) | ${per_domain:-none required} | ${per_address:-–} | $(sed -n 's/^    "disallowed": \([0-9]*\).*/\1/p' score.json) |"
  done
done
