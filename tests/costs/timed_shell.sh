#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# timed_shell.sh TARGET -c LINE: the shell of make's recipes while tests run. It runs a line as /bin/sh does, and appends
# "SECONDS TARGET", the processor time of the line and of all that it started, to the file $TEST_COSTS. A make that the
# line starts is part of the line.
file=$TEST_COSTS target=$1
shift
unset TEST_COSTS
/bin/sh "$@"
status=$?
times >"$file.$$"
awk -v target="$target" 'NR == 2 {
  seconds = 0
  for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); seconds += 60 * part[1] + part[2] }
  if (seconds >= 0.05) printf "%.2f %s\n", seconds, target }' "$file.$$" >>"$file"
rm -f "$file.$$"
exit $status
