#!/usr/bin/env bash
# Question: do 200 clients of the API, and 500 who listen to events, hold up five
# crawls, and are they answered? The same five crawls of one world run alone and
# beside them, in turns. Crawls and API have threads of their own, so that what
# crawling costs can be told from what answering costs.
#
#   benches/service.sh BIN_FOLDER [ROUNDS]
set -euo pipefail
bin=$(realpath "$1"); rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
command -v wrk >/dev/null || { apt-get install -y -q wrk >/dev/null 2>&1 || sudo apt-get install -y -q wrk >/dev/null; }
source "$here/lib.sh"
room=$(mktemp -d); cd "$room"; trap 'stop_web; rm -rf "$room"' EXIT
ulimit -n 8192 2>/dev/null || true
start_web access.log seeds.txt --preset mixed --set hosts=40 --set documents_per_host=150
echo "\`benches/service.sh\`, $rounds rounds; five crawls of 2,000 documents each; 200 connections of wrk on four cheap reads; 500 listeners to events, 100 of whom never read."
echo
python3 "$here/service.py" "$bin/lodeward" "http://$web_address" seeds.txt "$rounds"
