#!/usr/bin/env bash
# Question: how much memory and CPU time does a hostile document or query cost at most?
# Peak resident memory of `lodeward extract` and `lodeward query` for each bomb of a catalogue, above
# that for one statement. Exits with 1 if a bomb costs 200 MB or 60 s of CPU time or more, or ends the
# process by a signal.
set -euo pipefail
bin=$(cd "$1" && pwd)
max_kb=200000
max_cpu_seconds=60
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
html_search_html() { repeat '<span>' 500; repeat '</x>' 5000000; }
html_formats_html() { printf '<p>'; numbered '<font size=' '>' 400; repeat '<p>x' 4000000; }
html_tables_html() { repeat '<table><tr><td><a href=x>' 800000; }
html_attributes_html() { printf '<div'; numbered ' a' '=x' 2000000; printf ' property=og:x>'; }
html_rdfa_prefix_html() { printf '<div prefix="p: http://a/%s">' "$(filler 100000)"; repeat '<i property=p:a>x</i>' 200000; }
html_microdata_refs_html() { printf '<div itemscope itemref="%s"></div>' "$(numbered 'r' ' ' 5000)"; numbered '<div id=r' ' itemprop=a itemscope itemref="r1 r2 r3"></div>' 5000; }
gzip_ttl.gz() { head -c 2000000000 /dev/zero | tr '\0' '#' | gzip -1; }
gzip_twice_ttl.gz() { head -c 500000000 /dev/zero | tr '\0' ' ' | gzip -1 | gzip -9; }


# Queries. Each is run on 20,000 statements with the limits of `query`.
long=$(filler 400)
nested() { local text="$1" level; for level in $(seq "$4"); do text="$2$text$3"; done; printf '%s' "$text"; }
one_rq() { echo 'SELECT * { ?s ?p 1 }'; }
sparql_replace_nested_rq() { echo "SELECT (STRLEN($(nested "'$long'" "REPLACE(" ",'x','$long')" 6)) AS ?n) {}"; }
sparql_replace_empty_rq() { echo "SELECT (STRLEN($(nested "'$long'" "REPLACE(" ",'x?','$long')" 5)) AS ?n) {}"; }
sparql_concat_bind_rq() { echo "SELECT (STRLEN(?v40) AS ?n) { BIND('x' AS ?v0)"; for n in $(seq 40); do echo "BIND(CONCAT(?v$((n - 1)), ?v$((n - 1))) AS ?v$n)"; done; echo '}'; }
sparql_encode_rq() { echo "SELECT (STRLEN($(nested "'%%%%%%%%'" "ENCODE_FOR_URI(CONCAT(" ",'%'))" 24)) AS ?n) {}"; }
sparql_group_concat_rq() { echo 'SELECT (STRLEN(GROUP_CONCAT(STR(?a))) AS ?n) { ?a ?p ?b . ?c ?p ?d }'; }
sparql_strdt_rq() { echo "SELECT (COUNT(DISTINCT ?t) AS ?n) { ?a ?p ?b . ?c ?p ?d BIND(STRDT(CONCAT(STR(?a), STR(?c), '$long'), ?p) AS ?t) }"; }
sparql_order_rq() { echo 'SELECT * { ?a ?p ?b . ?c ?p ?d } ORDER BY ?b ?d'; }
sparql_distinct_rq() { echo 'SELECT DISTINCT ?a ?c { ?a ?p ?b . ?c ?p ?d }'; }
sparql_construct_rq() { echo 'CONSTRUCT { ?a ?p ?c . ?c ?p ?a } { ?a ?p ?b . ?c ?p ?d }'; }
sparql_product_rq() { echo 'SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }'; }
sparql_variables_rq() { printf 'SELECT'; numbered ' ?v' '' 120000; printf ' { ?s ?p ?o }'; }
sparql_optionals_rq() { echo 'SELECT * { ?s ?p ?o'; numbered 'OPTIONAL { ?s <http://b/' '> ?o1 }' 300; echo '}'; }
sparql_unions_rq() { echo 'SELECT * { { ?s ?p ?o }'; numbered 'UNION { ?s ?p ' ' }' 5000; echo '}'; }
sparql_values_rq() { echo 'SELECT * { VALUES ?a {'; numbered '' ' ' 100000; echo '} VALUES ?b {'; numbered '' ' ' 50000; echo '} }  ORDER BY ?a'; }
sparql_paths_rq() { echo 'SELECT (COUNT(*) AS ?n) { ?a (<http://b/>|!<http://c/>)* ?b . ?b (<http://b/>|!<http://c/>)* ?c }'; }
sparql_brackets_rq() { printf 'ASK '; repeat '{' 400000; repeat '}' 400000; }
sparql_regex_rq() { echo "SELECT * { ?s ?p ?o FILTER(REGEX(STR(?s), '$(nested x '(' '{1,50})' 4)')) }"; }

bombs=$(declare -F | awk '{ print $3 }' | grep -E '_(rdf|svg|ttl|nt|jsonld|html|ttl\.gz|rq)$' | grep -v '^one_')
query_limits=(--max-memory 100MB --timeout 8s)

# Prints peak memory in kB, CPU seconds and exit code of `lodeward extract` or `lodeward query`.
measure() {
  case $1 in
    *.rq) "$bin/lodeward" query --data data --file "$1" "${query_limits[@]}" >/dev/null 2>stderr & pid=$! ;;
    *) "$bin/lodeward" extract --base http://a.example/document "$1" >/dev/null 2>stderr & pid=$! ;;
  esac
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

one_ttl > one.ttl; one_rq > one.rq
numbered '<http://a/' '> <http://b/> "x" .
' 20000 > statements.nt
"$bin/lodeward" import statements.nt --data data >/dev/null 2>&1
# A short process may end before it is measured.
idle_document=0; idle_query=0
while [ "$idle_document" = 0 ]; do read -r idle_document _ _ < <(measure one.ttl); done
while [ "$idle_query" = 0 ]; do read -r idle_query _ _ < <(measure one.rq); done
echo "Peak resident memory with one statement: $((idle_document / 1000)) MB; with a query without results: $((idle_query / 1000)) MB."
echo "Limits of queries: \`${query_limits[*]}\`."
echo
echo "| document or query | MB | peak MB above that | CPU s | first fault |"; echo "|---|--:|--:|--:|---|"
failed=0
for bomb in ${BOMBS:-$bombs}; do
  file=${bomb%_*}.${bomb##*_}
  $bomb > "$file" || true
  read -r peak cpu code < <(measure "$file")
  case $file in *.rq) idle=$idle_query ;; *) idle=$idle_document ;; esac
  above=$((peak > idle ? peak - idle : 0))
  fault=$(grep -m1 -oE '(fault|error): .*' stderr | sed -E 's/^(fault|error): //' | cut -c1-103 || true)
  [ "$code" -lt 128 ] || fault="ended by signal $((code - 128))"
  [ "$code" -lt 128 ] && [ $above -lt $max_kb ] && [ "${cpu%.*}" -lt $max_cpu_seconds ] || failed=1
  printf '| `%s` | %s | %s | %s | %s |\n' "$file" "$(du -k --apparent-size "$file" | awk '{ printf "%.1f", $1 / 1000 }')" $((above / 1000)) "$cpu" "${fault//|/\\|}"
  rm -f "$file"
done
exit $failed
