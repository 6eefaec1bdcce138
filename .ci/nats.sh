#!/bin/sh
# A private NATS server for tests.
#
#   .ci/nats.sh start <dir> [<line of configuration>...]   starts it with its files in <dir>, prints its URL
#   .ci/nats.sh stop <dir>                                 stops it and removes <dir>
#
# On the port PORT of 127.0.0.1, else a free one. The program is Debian's package nats-server, which is not installed here.
set -eu

find_binary() {
  for found in "$(command -v nats-server || true)" /usr/sbin/nats-server /usr/local/bin/nats-server; do
    if [ -n "$found" ] && [ -x "$found" ]; then echo "$found"; return; fi
  done
  echo "nats-server is not installed" >&2
  exit 1
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

start() {
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  shift
  bin=$(find_binary)
  port=${PORT:-$(free_port)}
  rm -f "$dir/server.log"
  { printf 'listen: "127.0.0.1:%s"\nlog_file: "%s"\n' "$port" "$dir/server.log"; for line in "$@"; do echo "$line"; done; } >"$dir/server.conf"
  "$bin" -c "$dir/server.conf" -P "$dir/server.pid" >"$dir/output.log" 2>&1 &
  tries=0
  until grep -q "Server is ready" "$dir/server.log" 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 $! 2>/dev/null; then
      cat "$dir/output.log" "$dir/server.log" >&2 2>/dev/null || true
      exit 1
    fi
    sleep 0.05
  done
  echo "nats://127.0.0.1:$port"
}

stop() {
  dir=$(cd "$1" && pwd)
  cd /
  if [ -f "$dir/server.pid" ]; then
    pid=$(cat "$dir/server.pid")
    kill "$pid" 2>/dev/null || true
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.05; done
  fi
  rm -rf "$dir"
}

case "${1:-}" in
  start) shift; start "$@" ;;
  stop) stop "$2" ;;
  *) echo "usage: $0 start <dir> [<line>...] | stop <dir>" >&2; exit 2 ;;
esac
