#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# arrays.sh PROGRAM ROWSxCOLSxLANES[:ELEMENT]...: a host-built test program over the golden model of each array; sums
# the counts.
program=$1
shift
passed=0 failed=0
for array in "$@"; do
  echo "--- $array"
  case $array in
    *:*) element=${array#*:} ;;
    *) element=exact ;;
  esac
  output=$(FP8RT_ARRAY=${array%:*} FP8RT_ELEMENT=$element "$program")
  status=$?
  printf '%s\n' "$output"
  set_of=$(printf '%s\n' "$output" | tail -n 1)
  case $set_of in
    *' passed, '*' failed') ;;
    *) set_of='0 passed, 1 failed' ;;
  esac
  if [ $status -ne 0 ] && [ "${set_of##*, }" = '0 failed' ]; then set_of='0 passed, 1 failed'; fi
  passed=$((passed + ${set_of%% passed*}))
  count=${set_of##*, }
  failed=$((failed + ${count%% failed}))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
