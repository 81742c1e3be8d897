#!/usr/bin/env bash
# Installs what tests and benches have in other processes, from their Python
# packages, into a folder that `cargo clean` removes: Oxigraph, a real SPARQL
# server (MIT/Apache-2.0), and clients that were not written by us: SPARQLWrapper
# and RDFLib (W3C, BSD), Schemathesis (MIT), which makes up requests from an
# OpenAPI document. Does nothing if they are there. Where there is no Python or no
# network, the tests that need them are skipped, and counted.
#
#   tools.sh TARGET_FOLDER
set -euo pipefail
tools=$1/tools

# install ROOM PACKAGE…: a virtual environment with these packages.
install() {
  local room=$tools/$1
  shift
  [ "$(cat "$room/packages" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$room"
  mkdir -p "$tools"
  if python3 -m venv "$room" && "$room/bin/pip" install --quiet --disable-pip-version-check "$@"; then
    echo "$*" > "$room/packages"
  else
    rm -rf "$room"
    echo "$* cannot be installed here: the tests that need it will be skipped" >&2
  fi
}

install oxigraph oxigraph==0.5.13
# With Hypothesis, which makes requests up: other versions make up others.
install python rdflib==7.6.0 SPARQLWrapper==2.0.0 schemathesis==4.32.5 hypothesis==6.170.15 jsonschema_rs==0.60.3
