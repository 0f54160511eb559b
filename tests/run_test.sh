#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_test.sh NAME LOG COMMAND...: runs one test and prints one line about it.
#
# The test passes if the command succeeds and its last line is "N passed, 0 failed" with N > 0: a run of no checks is a
# failure. The output is kept in LOG, or in LOG.out if the test did not pass; then its first failing lines are printed.
#   TEST_TOTAL   from the environment: how many tests there are, for the progress that each line begins with
# A line for each finished test goes to `times` beside LOG: name, seconds, processor seconds.
name=$1 log=$2
shift 2
folder=$(dirname "$log")
mkdir -p "$folder"
start=$(date +%s)
"$@" >"$log.part" 2>&1
status=$?
seconds=$(($(date +%s) - start))
times >"$log.cpu" # the second line: user and system time of the command, as 1m2.50s
processor=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
  printf "%.1f", 60 * (u[1] + s[1]) + u[2] + s[2] }' "$log.cpu")
rm -f "$log.cpu"
last=$(tail -n 1 "$log.part")
case $last in
  *[!0-9\ a-z,]*) ok=0 ;;
  0\ passed*) ok=0 ;;
  [0-9]*\ passed,\ 0\ failed) ok=1 ;;
  *) ok=0 ;;
esac
[ $status -eq 0 ] || ok=0

# Tests run at once: one at a time counts itself.
number=$(
  exec 9>"$folder/times.lock"
  flock 9
  printf '%s %s %s\n' "$name" "$seconds" "$processor" >>"$folder/times"
  wc -l <"$folder/times"
)
progress=
if [ -n "$TEST_TOTAL" ]; then progress=$(printf '[%3s/%s] ' "$number" "$TEST_TOTAL"); fi

if [ $ok -eq 1 ]; then
  mv "$log.part" "$log"
  rm -f "$log.out"
  printf '%sok   %-36s %s (%s s)\n' "$progress" "$name" "$last" "$seconds"
else
  mv "$log.part" "$log.out"
  rm -f "$log"
  printf '%sFAIL %-36s exit status %s, last line: %s (%s s)\n' "$progress" "$name" "$status" "$last" "$seconds"
  "$(dirname "$0")/first_failures.sh" "$log.out" 5 | sed 's/^/       /'
  printf '       whole log: %s\n' "$log.out"
  exit 1
fi
