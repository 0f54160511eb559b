#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# digits_cycles.sh SIMULATOR PROGRAM: the digits application on the chip, with its default options. Each image takes at
# most 300 cycles of the core, beside those of the console and the checker; 310 with GCC 13 or newer, whose code is slower.
limit=300
[ "$(riscv64-unknown-elf-gcc -dumpversion | cut -d. -f1)" -le 12 ] || limit=310
output=$("$@")
status=$?
echo "$output"
cycles=$(echo "$output" | sed -n 's/^ *\([0-9]*\) cycles of the network for each image$/\1/p')
if [ $status -eq 0 ] && [ "${cycles:-0}" -gt 0 ] && [ "$cycles" -le $limit ]; then
  echo '1 passed, 0 failed'
else
  echo '0 passed, 1 failed'
  exit 1
fi
