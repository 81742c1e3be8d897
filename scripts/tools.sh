#!/usr/bin/env bash
# Installs what tests and benches have in other processes: Oxigraph, a real
# SPARQL server, from its Python package (MIT/Apache-2.0), into a folder that
# `cargo clean` removes. Does nothing if it is there. Where there is no Python
# or no network, the tests that need it are skipped, and counted.
#
#   tools.sh TARGET_FOLDER
set -euo pipefail
version=0.5.13
room=$1/tools/oxigraph
[ ! -x "$room/bin/oxigraph" ] || [ "$(cat "$room/version" 2>/dev/null)" != $version ] || exit 0
rm -rf "$room.new"
mkdir -p "$(dirname "$room")"
if python3 -m venv "$room.new" && "$room.new/bin/pip" install --quiet --disable-pip-version-check "oxigraph==$version"; then
  echo $version > "$room.new/version"
  rm -rf "$room"
  mv "$room.new" "$room"
else
  rm -rf "$room.new"
  echo "oxigraph $version cannot be installed here: its tests will be skipped" >&2
fi
