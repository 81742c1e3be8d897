#!/usr/bin/env bash
# Question: what does a refresh cost, and is it exact? A world of 10,000 documents is
# crawled and refreshed without changes: every document with validators must be
# answered with 304, and nothing is written. Then it is refreshed after 5 % of the
# documents changed and 1 % were deleted: the RDF Patch must equal the difference of
# the two harvests, line by line, and the new harvest that of a fresh crawl.
set -euo pipefail
bin=$(cd "$1" && pwd)
source "$(dirname "$0")/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
world=(--preset "${PRESET:-mixed}" --set hosts="${HOSTS:-100}" --set documents_per_host="${DOCUMENTS:-100}"
  --set robots.crawl_delay_share=0.0 --set changes.etag_share=${ETAG_SHARE:-1} --set changes.last_modified_share=0.5
  --set changes.changed_share=0.05 --set changes.deleted_share=0.01)
crawl() { "$bin/lodeward" crawl --proxy "http://$web_address" --ca-cert ca.pem --delay 0 --max-documents 0 --quiet "$@"; }
# responses LOG STATUS: the number of responses with this status, without robots.txt.
responses() { awk -F'\t' -v status="$2" '$6 == status && $5 !~ /\/robots\.txt$/' "$1" | wc -l; }
bytes() { awk -F'\t' '{ sum += $7 } END { print sum + 0 }' "$1"; }
segments() { du -sb data/crawls/1/segments | cut -f1; }
row() { # NAME LOG
  echo "| $1 | $(wc -l < "$2") | $(responses "$2" 200) | $(responses "$2" 304) | $(bytes "$2") | $(($(segments) - before)) | $wall_s | $cpu_s |"
}
serve() { # REVISION LOG
  start_web "$2" seeds.txt "${world[@]}" --set changes.revision="$1" --ca-out ca.pem
}
echo "| run | requests | 200 | 304 | bytes received | bytes written | seconds | CPU seconds |"
echo "|---|---|---|---|---|---|---|---|"
before=0
serve 0 first.log
cpu crawl @seeds.txt --data data -o before.nq
stop_web; row "first crawl" first.log
before=$(segments)
serve 0 second.log
cpu crawl --refresh all --data data --rdf-patch unchanged.rdfp --report unchanged.json
stop_web; row "refresh, unchanged" second.log
before=$(segments)
serve 1 third.log
cpu crawl --refresh all --data data --rdf-patch changes.rdfp -o after.nq --report changed.json
stop_web; row "refresh, 5 % changed, 1 % deleted" third.log
serve 1 fresh.log
crawl @seeds.txt --data fresh -o fresh.nq
stop_web
export LC_ALL=C
for file in before after fresh; do sort -u -o $file.nq $file.nq; done
comm -13 before.nq after.nq > added; comm -23 before.nq after.nq > deleted
sed -n 's/^A //p' changes.rdfp | sort > patch.added; sed -n 's/^D //p' changes.rdfp | sort > patch.deleted
same() { if cmp -s "$1" "$2"; then echo yes; else echo "NO"; fi; }
echo
echo "- unchanged: statements in the patch: $(grep -c '^[AD] ' unchanged.rdfp || true)"
echo "- changed: $(wc -l < added) statements added, $(wc -l < deleted) deleted; the patch is equal: $(same added patch.added), $(same deleted patch.deleted)"
echo "- the harvest equals that of a fresh crawl: $(same after.nq fresh.nq)"
sed -n '/"refresh"/,/}/p' changed.json | tr -d '\n ' | sed 's/^/- counts: `/; s/$/`/'; echo
[ "$(same added patch.added)$(same deleted patch.deleted)$(same after.nq fresh.nq)" = yesyesyes ]
