# What the benches share: a web in a box, CPU seconds, medians.
# shellcheck shell=bash

# start_web LOG|- SEEDS ARGUMENTS…: serves a world, or what $serve says; sets $web_address.
start_web() {
  local log=(--log "$1") seeds=$2
  [ "$1" != - ] || log=(--no-log)
  shift 2
  rm -f leash; mkfifo leash
  "$bin/toyweb" "${serve[@]:-world}" --listen 127.0.0.1:0 "${log[@]}" --seeds-out "$seeds" --until-eof "$@" \
    < leash > toyweb.out 2> toyweb.err &
  web=$!
  exec 9> leash
  for _ in $(seq 2400); do grep -q '^listening on' toyweb.out && [ -s "$seeds" ] && break; sleep 0.05; done
  web_address=$(sed -n 's/^listening on //p' toyweb.out | head -1)
  [ -n "$web_address" ] || { cat toyweb.err; exit 1; }
}

stop_web() { exec 9>&-; wait "$web" 2>/dev/null || true; }

# cpu COMMAND…: runs it; sets $cpu_s to its user+system seconds, $wall_s.
cpu() {
  local times
  TIMEFORMAT='%U %S %R'
  { time "$@" > command.out 2> command.err; } 2> times || true
  times=$(tail -1 times)
  cpu_s=$(awk '{print $1 + $2}' <<< "$times")
  wall_s=$(awk '{print $3}' <<< "$times")
}

# documents LOG FROM: distinct documents answered 200 from that line on, robots.txt aside.
documents() { tail -n "+$(($2 + 1))" "$1" | awk -F'\t' '$6 == 200 && $5 !~ /\/robots\.txt$/ { print $5 }' | sort -u | wc -l; }

# median NUMBERS…
median() { printf '%s\n' "$@" | sort -n | awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
smallest() { printf '%s\n' "$@" | sort -n | head -1; }
largest() { printf '%s\n' "$@" | sort -n | tail -1; }

# number KEY FILE: a number at the top level of a report.
number() { sed -n "s/^  \"$1\": \([0-9.]*\),\{0,1\}\$/\1/p" "$2" | head -1; }
