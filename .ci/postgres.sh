#!/bin/sh
# A private PostgreSQL cluster for tests. Works as root (CI) and as a plain user.
#
#   .ci/postgres.sh start <dir>   makes a cluster in <dir> (new), starts it, prints the URL of its maintenance database
#   .ci/postgres.sh stop <dir>    stops it and removes <dir>
#   .ci/postgres.sh standby <dir> <url>   makes a cluster in <dir> (new) that follows the one at <url>, starts it, prints its URL
#   .ci/postgres.sh promote <dir>         makes it a cluster of its own
#
# TCP on a free port of 127.0.0.1, unix sockets in <dir>. fsync is on, as in production: FSYNC=off for speed.
set -eu

# PostgreSQL refuses to run as root; its own account is there wherever its packages are.
as_owner() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

find_binaries() {
  for found in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -V -r); do
    if [ -x "$found/initdb" ]; then echo "$found"; return; fi
  done
  if command -v initdb >/dev/null 2>&1; then dirname "$(command -v initdb)"; fi
}

require_binaries() {
  bin=$(find_binaries)
  if [ -z "$bin" ] && [ "$(id -u)" = 0 ]; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; } >&2
    bin=$(find_binaries)
  fi
  if [ -z "$bin" ]; then echo "PostgreSQL's initdb is nowhere to be found" >&2; exit 1; fi
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

own_folder() {
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; fi
  cd "$dir"
}

run_cluster() {
  port=$(free_port)
  options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$dir -c fsync=${FSYNC:-on} -c max_connections=200"
  as_owner "$bin/pg_ctl" -D "$dir/data" -l "$dir/server.log" -o "$options" -w start >&2
  echo "postgres://parley@127.0.0.1:$port/postgres"
}

start() {
  require_binaries
  own_folder "$1"
  as_owner "$bin/initdb" -D "$dir/data" -U parley --auth=trust --encoding=UTF8 --locale=C.UTF-8 >"$dir/initdb.log"
  run_cluster
}

standby() {
  require_binaries
  own_folder "$1"
  as_owner "$bin/pg_basebackup" -d "$2" -D "$dir/data" -R -X stream -c fast >&2
  run_cluster
}

promote() {
  require_binaries
  dir=$(cd "$1" && pwd)
  cd "$dir"
  as_owner "$bin/pg_ctl" -D "$dir/data" -w promote >&2
}

stop() {
  require_binaries
  dir=$(cd "$1" && pwd)
  cd /
  as_owner "$bin/pg_ctl" -D "$dir/data" -m fast -w stop >&2 || true
  rm -rf "$dir"
}

case "${1:-}" in
  start) start "$2" ;;
  stop) stop "$2" ;;
  standby) standby "$2" "$3" ;;
  promote) promote "$2" ;;
  *) echo "usage: $0 start|stop|promote <dir>, $0 standby <dir> <url>" >&2; exit 2 ;;
esac
