#!/usr/bin/env bash
# Serves a small generated web on loopback, crawls it, and shows the harvest.
# All files are in a temporary directory, which is removed at the end.
set -euo pipefail
bin=$(cd "$1" && pwd)
work_dir=$(mktemp -d)
cd "$work_dir"

mkfifo stop_pipe
"$bin/toyweb" world --preset demo --listen 127.0.0.1:0 --log access.log --seeds-out seeds.txt --until-eof \
  < stop_pipe > toyweb.out 2> toyweb.err &
web=$!
exec 9> stop_pipe                   # the server exits when descriptor 9 is closed
trap 'exec 9>&-; wait $web 2>/dev/null || true; rm -rf "$work_dir"' EXIT
for _ in $(seq 200); do grep -q '^listening on' toyweb.out && [ -s seeds.txt ] && break; sleep 0.05; done
address=$(sed -n 's/^listening on //p' toyweb.out | head -1)
[ -n "$address" ] || { cat toyweb.err; exit 1; }

heading() { printf '\n\033[1m%s\033[0m\n' "$*"; }
quoted() { case $1 in *[!A-Za-z0-9_./:@=,-]*) printf " '%s'" "$1" ;; *) printf ' %s' "$1" ;; esac; }
run() { printf '$ lodeward'; for word in "$@"; do quoted "$word"; done; printf '\n'; "$bin/lodeward" "$@"; }

heading "A generated web of 12 sites, served by the proxy http://$address. Some of its seeds:"
head -3 seeds.txt
heading "Crawl it (without a delay, except where a robots.txt sets a Crawl-delay)"
run crawl @seeds.txt --proxy "http://$address" --delay 0 --data data -o harvest.nq --report report.json
heading "The first quads"
head -4 harvest.nq
heading "The harvest is in a SPARQL store: instances per class, and the number of documents"
run query 'SELECT ?type (COUNT(DISTINCT ?thing) AS ?things) (COUNT(DISTINCT ?document) AS ?documents) { GRAPH ?document { ?thing a ?type } } GROUP BY ?type ORDER BY DESC(?things) ?type LIMIT 5' --data data --format table
heading "The outcome of the first seed"
run explain "$(head -1 seeds.txt)" --data data
heading "Score of the crawl against the ground truth of the generated web"
exec 9>&-; wait $web 2>/dev/null || true
"$bin/toyweb" score --preset demo --log access.log --quads harvest.nq | head -24
if [ -t 0 ] && [ -t 1 ]; then
  heading "Open the address below in a browser to see the crawl; Ctrl-C ends the demo"
  "$bin/lodeward" serve --no-auth --listen 127.0.0.1:0 --data data --quiet || true
fi
heading "Done. Continue with README.md."
