#!/usr/bin/env bash
# Question: is every domain and every address left alone for as long as it should
# be, as seen by the server? Delay fulfilment is the smallest gap between the end
# of an answer and the next request, over the gap required: own delay or
# Crawl-delay, whichever is longer. In real time, over real sockets, robots.txt and
# redirects included; directly, with many hosts on few addresses, and by proxy.
set -euo pipefail
bin=$1
source "$(dirname "$0")/lib.sh"
room=$(mktemp -d); cd "$room"; trap 'stop_web; rm -rf "$room"' EXIT
world=(--preset polite --set hosts=12 --set documents_per_host=5 --set robots.crawl_delay_s=0.4)
echo "| delay | mode | requests | domains: least fulfilment | addresses: least fulfilment | disallowed requests |"
echo "|---|---|---|---|---|---|"
for delay in 0 100 1000; do
  for mode in direct proxy; do
    start_web access.log seeds.txt "${world[@]}" --listen 127.0.0.2:0 --listen 127.0.0.3:0
    rm -rf data; : > addresses.tsv; way=()
    if [ $mode = proxy ]; then way=(--proxy "http://$web_address"); else
      mapfile -t listening < <(sed -n 's/^listening on //p' toyweb.out)
      number=0
      for host in $("$bin/toyweb" truth "${world[@]}" | sed -n 's/^{"url":"https\{0,1\}:\/\/\([^/"]*\).*/\1/p' | sort -u); do
        address=${listening[$((number++ % ${#listening[@]}))]}
        way+=(--resolve "$host:$address"); printf '%s\t%s\n' "$host" "${address%:*}" >> addresses.tsv
      done
    fi
    "$bin/lodeward" crawl @seeds.txt "${way[@]}" --delay $delay --data data -o harvest.nq --quiet
    stop_web
    score=(--log access.log --quads harvest.nq --delay-ms $delay --json score.json)
    [ $mode = direct ] && [ $delay -gt 0 ] && score+=(--addresses addresses.tsv)
    "$bin/toyweb" score "${world[@]}" "${score[@]}" > score.txt
    ratios=$(sed -n 's/^    "ratio_min": \([0-9.]*\).*/\1/p' score.json)
    per_domain=$(sed -n 1p <<< "$ratios"); per_address=$(sed -n 2p <<< "$ratios")
    echo "| $delay ms | $mode | $(sed -n 's/^    "all": \([0-9]*\).*/\1/p' score.json) | ${per_domain:-none required} | ${per_address:-–} | $(sed -n 's/^    "disallowed": \([0-9]*\).*/\1/p' score.json) |"
  done
done
