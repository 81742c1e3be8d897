#!/usr/bin/env bash
# Builds the wheel of the Python package with a program that is already compiled,
# installs it into an empty directory, and runs its tests with the real interpreter.
# Without the virtual environment `wheel` of tools.sh, the tests are skipped.
#
#   python-test.sh BINARY TARGET_DIR
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$(realpath "$1")
target=$(realpath "$2")
python=${LODEWARD_TEST_WHEEL:-$target/tools/wheel/bin/python}
if [ ! -x "$python" ]; then
  echo "tool: Python packages for the wheel are not installed" >> "${LODEWARD_TEST_SKIPPED:-/dev/null}"
  echo "skipped: $python does not exist (make tools)"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
LODEWARD_BINARY=$binary "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$out/wheels" packaging/python
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$out/site" "$out"/wheels/*.whl
cp packaging/python/tests/test_package.py "$out"
cd "$out"
PYTHONPATH=$out/site "$python" -m unittest -v test_package
