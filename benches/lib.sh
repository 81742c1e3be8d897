# Shared by the benches: a generated web, CPU time, medians.
# shellcheck shell=bash

# start_web LOG|- SEEDS ARGUMENTS…: serves a world (or runs the toyweb command in $serve); sets $web_address.
start_web() {
  local log=(--log "$1") seeds=$2
  [ "$1" != - ] || log=(--no-log)
  shift 2
  rm -f stop_pipe; mkfifo stop_pipe
  "$bin/toyweb" "${serve[@]:-world}" --listen 127.0.0.1:0 "${log[@]}" --seeds-out "$seeds" --until-eof "$@" \
    < stop_pipe > toyweb.out 2> toyweb.err &
  web=$!
  exec 9> stop_pipe
  for _ in $(seq 2400); do grep -q '^listening on' toyweb.out && [ -s "$seeds" ] && break; sleep 0.05; done
  web_address=$(sed -n 's/^listening on //p' toyweb.out | head -1)
  [ -n "$web_address" ] || { cat toyweb.err; exit 1; }
}

stop_web() { exec 9>&-; wait "$web" 2>/dev/null || true; }

# cpu COMMAND…: runs it; sets $cpu_s to its user+system seconds and $wall_s to its elapsed seconds.
cpu() {
  local times
  TIMEFORMAT='%U %S %R'
  { time "$@" > command.out 2> command.err; } 2> times || true
  times=$(tail -1 times)
  cpu_s=$(awk '{print $1 + $2}' <<< "$times")
  wall_s=$(awk '{print $3}' <<< "$times")
}

# documents LOG FROM: distinct documents with status 200 after line FROM, without robots.txt.
documents() { tail -n "+$(($2 + 1))" "$1" | awk -F'\t' '$6 == 200 && $5 !~ /\/robots\.txt$/ { print $5 }' | sort -u | wc -l; }

# median NUMBERS…
median() { printf '%s\n' "$@" | sort -n | awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
smallest() { printf '%s\n' "$@" | sort -n | head -1; }
largest() { printf '%s\n' "$@" | sort -n | tail -1; }

# number KEY FILE: a top-level number of a report.
number() { sed -n "s/^  \"$1\": \([0-9.]*\),\{0,1\}\$/\1/p" "$2" | head -1; }
