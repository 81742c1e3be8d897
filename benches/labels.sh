#!/usr/bin/env bash
# Question: do our labels of the documents of a recorded web agree with those of
# other tools (rdflib, extruct, pyRdfa)? Needs the shared miniweb and `cargo build --release -p lodeward --example labels`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); bin=$(cd "$1" && pwd)
web=${LODEWARD_SHARED:-$here/../../shared}/data/miniweb
"$bin/examples/labels" "$web/manifest.tsv.gz" "$web"/public-*.warc.gz > "${TMPDIR:-/tmp}/labels.tsv"
sed '/^$/,$d' "${TMPDIR:-/tmp}/labels.tsv" | sed 's/^  /- /; s/^\([ah]\)/\n\1/'
echo
echo "Disagreements by kind (reasons: explained.md):"
echo
echo "| documents | manifest | lodeward | read as | first fault, without URLs | example |"
echo "|---|---|---|---|---|---|"
sed '1,/^expected\t/d' "${TMPDIR:-/tmp}/labels.tsv" | awk -F'\t' '
  { fault = $7; gsub(/line [0-9]+|columns? [0-9]+( and [0-9]+)?|between |`[^`]*`|<?https?:[^ >]*>?/, "…", fault); gsub(/\|/, "/", fault)
    key = $1 " | " $2 " | " $5 " | " fault; count[key]++; if (!(key in one)) one[key] = $3 }
  END { for (key in count) print "| " count[key] " | " key " | " one[key] " |" }' | sort -t'|' -k2,2nr -k3
