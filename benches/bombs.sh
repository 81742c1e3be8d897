#!/usr/bin/env bash
# Question: how much memory and CPU time does a hostile document cost at most?
# Peak resident memory of `lodeward extract` for each document of a catalogue of bombs, above that
# for a document with one statement. Exits with 1 if a bomb costs 200 MB or more, or ends the process
# by a signal.
set -euo pipefail
bin=$(cd "$1" && pwd)
max_kb=200000
work_dir=$(mktemp -d); trap 'rm -rf "$work_dir"' EXIT
cd "$work_dir"

# repeat TEXT TIMES; filler BYTES
repeat() { awk -v text="$1" -v times="$2" 'BEGIN { for (i = 0; i < times; i++) printf "%s", text }'; }
filler() { head -c "$1" /dev/zero | tr '\0' 'x'; }
numbered() { awk -v before="$1" -v after="$2" -v times="$3" 'BEGIN { for (i = 0; i < times; i++) printf "%s%d%s", before, i, after }'; }
rdf="xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://n/' xmlns:n='http://n/'"
xml() { printf "%s<r:RDF %s %s>" "$1" "$rdf" "$2"; cat; printf "</r:RDF>"; }

laughs() { printf '<!DOCTYPE r [<!ENTITY e0 "lol">'
  for level in 1 2 3 4 5 6 7 8 9; do printf '<!ENTITY e%d "%s">' $level "$(repeat "&e$((level - 1));" 10)"; done; printf ']>'; }

# One function per bomb; its name is the file name, with the extension after the last underscore.
one_ttl() { echo '<http://a/> <http://b/> "c" .'; }
xml_entities_nested_rdf() { echo '<A><p>&e9;</p></A>' | xml "$(laughs)" ""; }
xml_entity_large_rdf() { repeat '<A><p>&e;</p></A>' 5000 | xml "<!DOCTYPE r [<!ENTITY e \"$(filler 100000)\">]>" ""; }
xml_entity_repeated_rdf() { repeat '<A><p>&e;</p></A>' 50000 | xml "<!DOCTYPE r [<!ENTITY e \"$(filler 16000)\">]>" ""; }
xml_attributes_rdf() { { printf '<A'; numbered ' n:a' '="x"' 300000; printf '/>'; } | xml "" ""; }
xml_namespaces_rdf() { repeat '<A><n:p/></A>' 500000 | xml "" "$(numbered ' xmlns:m' "='n:'" 5000)"; }
xml_depth_rdf() { repeat '<A><p>' 500000 | xml "" ""; }
xml_base_depth_rdf() { repeat '<A r:about="x"><p>' 120 | xml "" "xml:base='http://e/$(filler 100000)'"; }
xml_ids_rdf() { numbered '<A r:ID="i' '"/>' 200000 | xml "" "xml:base='http://e/$(filler 100000)'"; }
xml_literal_namespaces_rdf() { { printf '<A><p r:parseType="Literal">'; repeat '<b/>' 500000; printf '</p></A>'; } | xml "" "xmlns:m='http://e/$(filler 100000)'"; }
xml_text_rdf() { { printf '<A><p>'; filler 60000000; printf '</p></A>'; } | xml "" ""; }
svg_entities_svg() { printf "%s<svg xmlns='http://www.w3.org/2000/svg' property='a:b'>" "$(laughs)"; repeat '&e3;' 200000; printf '</svg>'; }
turtle_prefix_ttl() { printf '@prefix p: <http://a/%s> .\n' "$(filler 100000)"; repeat 'p: p: p: .
' 100000; }
turtle_nesting_ttl() { printf '<http://a/> <http://b/> '; repeat '(' 30000000; }
turtle_nesting_after_error_ttl() { printf '<http://a/> <http://b/> """\\q . <http://a/> <http://b/> '; repeat '[ <p:> ' 5000000; }
turtle_literal_ttl() { printf '<http://a/> <http://b/> "'; filler 60000000; printf '" .'; }
ntriples_literal_nt() { printf '<http://a/> <http://b/> "'; filler 60000000; printf '" .\n'; }
jsonld_nesting_jsonld() { repeat '{"http://a/p":' 1000000; }
jsonld_vocab_jsonld() { printf '{"@context":{"@vocab":"http://a/%s"},"@graph":[' "$(filler 100000)"; repeat '{"p":1},' 200000; printf '{}]}'; }
jsonld_contexts_jsonld() { printf '['; repeat '{"@context":[{"a":"http://a/","b":{"@id":"a:b","@context":{"c":"a:c"}}}],"b":{"c":1}},' 200000; printf '{}]'; }
jsonld_string_jsonld() { printf '{"http://a/p":"'; filler 60000000; printf '"}'; }
jsonld_context_last_jsonld() { printf '{"@graph":['; repeat '{"p":"xxxxxxxxxxxxxxxxxxxx"},' 1000000; printf '{}],"@context":{"@vocab":"http://a/"}}'; }
html_nesting_html() { repeat '<div><b><p>' 2000000; }
html_attributes_html() { printf '<div'; numbered ' a' '=x' 2000000; printf ' property=og:x>'; }
html_rdfa_prefix_html() { printf '<div prefix="p: http://a/%s">' "$(filler 100000)"; repeat '<i property=p:a>x</i>' 200000; }
html_microdata_refs_html() { printf '<div itemscope itemref="%s"></div>' "$(numbered 'r' ' ' 5000)"; numbered '<div id=r' ' itemprop=a itemscope itemref="r1 r2 r3"></div>' 5000; }
gzip_ttl.gz() { head -c 2000000000 /dev/zero | tr '\0' '#' | gzip -1; }
gzip_twice_ttl.gz() { head -c 500000000 /dev/zero | tr '\0' ' ' | gzip -1 | gzip -9; }

bombs=$(declare -F | awk '{ print $3 }' | grep -E '_(rdf|svg|ttl|nt|jsonld|html|ttl\.gz)$' | grep -v '^one_')
# Queries as bombs for `lodeward query`: one function per query, its name starts with `sparql_`.

# Prints peak memory in kB, CPU seconds and exit code of `lodeward extract`.
measure() {
  "$bin/lodeward" extract --base http://a.example/document "$1" >/dev/null 2>stderr & pid=$!
  peak=0; cpu=0
  while line=$(cat /proc/$pid/status 2>/dev/null) && [ -n "$line" ]; do
    now=$(awk '/^VmHWM/ { print $2 }' <<<"$line"); [ -n "$now" ] && peak=$now
    ticks=$(awk '{ print $14 + $15 }' /proc/$pid/stat 2>/dev/null) && [ -n "$ticks" ] && cpu=$ticks
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
  done
  code=0; wait $pid || code=$?
  echo "$peak $(awk -v ticks="$cpu" -v hertz="$(getconf CLK_TCK)" 'BEGIN { printf "%.1f", ticks / hertz }') $code"
}

one_ttl > one.ttl
read -r idle _ _ < <(measure one.ttl)
echo "Peak resident memory with one statement: $((idle / 1000)) MB."
echo
echo "| document | MB | peak MB above that | CPU s | first fault |"; echo "|---|--:|--:|--:|---|"
failed=0
for bomb in ${BOMBS:-$bombs}; do
  file=${bomb%_*}.${bomb##*_}
  $bomb > "$file" || true
  read -r peak cpu code < <(measure "$file")
  above=$((peak > idle ? peak - idle : 0))
  fault=$(grep -m1 -o 'fault: .*' stderr | cut -c8-110 || true)
  [ "$code" -lt 128 ] || fault="ended by signal $((code - 128))"
  [ "$code" -lt 128 ] && [ $above -lt $max_kb ] || failed=1
  printf '| `%s` | %s | %s | %s | %s |\n' "$file" "$(du -k --apparent-size "$file" | awk '{ printf "%.1f", $1 / 1000 }')" $((above / 1000)) "$cpu" "${fault//|/\\|}"
  rm -f "$file"
done
exit $failed
