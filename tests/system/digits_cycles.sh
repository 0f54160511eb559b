#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# digits_cycles.sh SIMULATOR PROGRAM: the digits application on the chip, with its default options. Each image takes at
# most 300 cycles of the core, beside those of the console and the checker.
output=$("$@")
status=$?
echo "$output"
cycles=$(echo "$output" | sed -n 's/^ *\([0-9]*\) cycles of the network for each image$/\1/p')
if [ $status -eq 0 ] && [ "${cycles:-0}" -gt 0 ] && [ "$cycles" -le 300 ]; then
  echo '1 passed, 0 failed'
else
  echo '0 passed, 1 failed'
  exit 1
fi
