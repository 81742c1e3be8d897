#!/usr/bin/env bash
# A small web in a box on loopback, one crawl of it, and a look at the harvest.
# Everything is in a temporary folder and ends by itself.
set -euo pipefail
bin=$(cd "$1" && pwd)
room=$(mktemp -d)
cd "$room"

mkfifo leash
"$bin/toyweb" world --preset demo --listen 127.0.0.1:0 --log access.log --seeds-out seeds.txt --until-eof \
  < leash > toyweb.out 2> toyweb.err &
web=$!
exec 9> leash                       # the web ends when this end of its leash is let go
trap 'exec 9>&-; wait $web 2>/dev/null || true; rm -rf "$room"' EXIT
for _ in $(seq 200); do grep -q '^listening on' toyweb.out && [ -s seeds.txt ] && break; sleep 0.05; done
address=$(sed -n 's/^listening on //p' toyweb.out | head -1)
[ -n "$address" ] || { cat toyweb.err; exit 1; }

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
quoted() { case $1 in *[!A-Za-z0-9_./:@=,-]*) printf " '%s'" "$1" ;; *) printf ' %s' "$1" ;; esac; }
run() { printf '$ lodeward'; for word in "$@"; do quoted "$word"; done; printf '\n'; "$bin/lodeward" "$@"; }

say "A web of 12 sites in a box, behind the proxy http://$address. Some seeds in it:"
head -3 seeds.txt
say "Crawl it (no delay between requests except where a site's robots.txt asks for one)"
run crawl @seeds.txt --proxy "http://$address" --delay 0 --data data -o harvest.nq --report report.json
say "The first of its quads"
head -4 harvest.nq
say "The harvest is a SPARQL store: what sorts of things are in it, and from how many documents?"
run query 'PREFIX void: <http://rdfs.org/ns/void#> SELECT ?type (COUNT(DISTINCT ?thing) AS ?things) (COUNT(DISTINCT ?document) AS ?documents) { ?document void:inDataset <urn:lodeward:crawl/1> . GRAPH ?document { ?thing a ?type } } GROUP BY ?type ORDER BY DESC(?things) ?type LIMIT 5' --data data --format table
say "What became of the first seed"
run explain "$(head -1 seeds.txt)" --data data
say "How good was that? The web in a box knows the truth"
exec 9>&-; wait $web 2>/dev/null || true
"$bin/toyweb" score --preset demo --log access.log --quads harvest.nq | head -24
say "Done. README.md goes on from here."
