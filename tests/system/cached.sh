#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cached.sh HOST CACHED LAYERS: programs whose core has a cache (tests/system/cached.c), in the folder CACHED, give what those of the folder HOST give,
# byte for byte, layers one by one and recorded. LAYERS is the output of the program `layers` there.
host=$1 cached=$2 layers=$3
passed=0 failed=0
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
fail() {
  failed=$((failed + 1))
  echo "FAIL $*"
}
# try EXPECTED PROGRAM ARGUMENT...: the program's output is that of the file, and the library has used the cache.
try() {
  expected=$1
  shift
  program=$1
  shift
  CACHE_TOTALS=1 "$cached/$program" "$@" >"$directory/cached" 2>"$directory/said" || fail "$program $*: exit status $?"
  if grep -q '^cache: [1-9][0-9]* bytes cleaned, [1-9][0-9]* invalidated$' "$directory/said" &&
    diff "$expected" "$directory/cached"; then
    passed=$((passed + 1))
    echo "ok   $program $*: $(tail -n 1 "$directory/said")"
  else
    cat "$directory/said"
    fail "$program $*: with a cache the output is another one"
  fi
}
# compare PROGRAM ARGUMENT...
compare() {
  name=$1
  shift
  "$host/$name" "$@" >"$directory/host" 2>&1 || fail "$name $* on the host: exit status $?"
  try "$directory/host" "$name" "$@"
}
try "$layers" layers
compare dscnn
compare decoder
compare digits IMAGES=64
compare digits NET=cnn IMAGES=32
compare digits NET=transformer IMAGES=32
compare vad RECORDINGS=1 FRAMES=16
compare tokens TOKENS=4
compare elementwise
compare rows
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
