#!/usr/bin/env bash
# Question: do 200 API clients and 500 event subscribers slow down five crawls, and
# what is their latency? The same five crawls of one world run with and without
# clients, alternating. Crawls and API have separate threads, so their CPU times are
# measured separately.
#
#   benches/service.sh BIN_DIR [ROUNDS]
set -euo pipefail
bin=$(realpath "$1"); rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
command -v wrk >/dev/null || { apt-get install -y -q wrk >/dev/null 2>&1 || sudo apt-get install -y -q wrk >/dev/null; }
source "$here/lib.sh"
work_dir=$(mktemp -d); cd "$work_dir"; trap 'stop_web; rm -rf "$work_dir"' EXIT
ulimit -n 8192 2>/dev/null || true
start_web access.log seeds.txt --preset mixed --set hosts=40 --set documents_per_host=150
echo "\`benches/service.sh\`, $rounds rounds; five crawls of 2,000 documents each; 200 connections of wrk on four cheap reads; 500 event subscribers, 100 of which never read."
echo
python3 "$here/service.py" "$bin/lodeward" "http://$web_address" seeds.txt "$rounds"
