#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# digits_cycles.sh SIMULATOR PROGRAM JUDGE...: the digits application on the chip, with its default options. Its counters and
# the core's cycles for each image are those of sim/bench/results.json, which the command JUDGE compares.
sim=$1 program=$2
shift 2
output=$("$sim" --quiet "$program")
status=$?
echo "$output"
if [ $status -eq 0 ] && echo "$output" | "$@" 'make run'; then
  echo '1 passed, 0 failed'
else
  echo '0 passed, 1 failed'
  exit 1
fi
