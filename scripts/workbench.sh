#!/usr/bin/env bash
# A service with a small generated web and three crawls, one of them reviewed, to try the browser
# interface. Runs until Ctrl-C; all files are in a temporary directory, which is removed at the end.
#
#   workbench.sh BINARY_DIR [LISTEN]
set -euo pipefail
bin=$(cd "$1" && pwd)
listen=${2:-127.0.0.1:7474}
work_dir=$(mktemp -d)
cd "$work_dir"

mkfifo stop_pipe
"$bin/toyweb" world --preset demo --listen 127.0.0.1:0 --no-log --seeds-out seeds.txt --until-eof \
  < stop_pipe > toyweb.out 2> toyweb.err &
web=$!
exec 9> stop_pipe                   # the server exits when descriptor 9 is closed
trap 'exec 9>&-; wait $web 2>/dev/null || true; rm -rf "$work_dir"' EXIT
for _ in $(seq 200); do grep -q '^listening on' toyweb.out && [ -s seeds.txt ] && break; sleep 0.05; done
address=$(sed -n 's/^listening on //p' toyweb.out | head -1)
[ -n "$address" ] || { cat toyweb.err; exit 1; }

cat > lodeward.toml <<TOML
[fetch]
proxy = "http://$address"
[search]
index = true
TOML
crawl() { "$bin/lodeward" crawl "$@" --data data --config lodeward.toml --delay 0 --quiet > /dev/null; }
echo "preparing three crawls of a generated web"
crawl "$(sed -n 1p seeds.txt)" "$(sed -n 2p seeds.txt)" "$(sed -n 3p seeds.txt)" --name cathedrals --strategy focus --max-requests 300
crawl "$(sed -n 4p seeds.txt)" "$(sed -n 5p seeds.txt)" --name bridges --strategy focus --max-requests 150
crawl @seeds.txt --name everything --max-requests 600
mark() { "$bin/lodeward" candidates "$@" --name cathedrals --data data --by alice --quiet > /dev/null; }
mark keep 1 2 3 5 6 8 11 12
mark drop 4 7 9 10
mark drop --filter 'hop >= 4'
"$bin/lodeward" export --crawl cathedrals --to-archive --data data --config lodeward.toml --quiet > /dev/null
"$bin/lodeward" serve --no-auth --listen "$listen" --data data --config lodeward.toml --set politeness.delay=200ms
