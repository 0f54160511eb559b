#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_test.sh NAME LOG COMMAND...: runs one test, keeps its output in LOG, and fails unless the command succeeds and
# its last line is "N passed, 0 failed" with N > 0: a run of no tests is a failure.
name=$1 log=$2
shift 2
mkdir -p "$(dirname "$log")"
start=$(date +%s)
"$@" >"$log.part" 2>&1
status=$?
last=$(tail -n 1 "$log.part")
mv "$log.part" "$log.out"
case $last in
  *[!0-9\ a-z,]*) ok=0 ;;
  0\ passed*) ok=0 ;;
  [0-9]*\ passed,\ 0\ failed) ok=1 ;;
  *) ok=0 ;;
esac
if [ $status -ne 0 ] || [ $ok -ne 1 ]; then
  tail -n 30 "$log.out"
  printf 'FAIL %-28s exit status %s, last line: %s\n' "$name" "$status" "$last"
  exit 1
fi
mv "$log.out" "$log"
printf 'ok   %-28s %s (%s s)\n' "$name" "$last" "$(($(date +%s) - start))"
