#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cycles.sh SIMULATOR JUDGE...: builds the application `cycles` and runs it on the chip. Its cycles are those of
# sim/bench/results.json, which the command JUDGE compares. Runs make at the top of the project.
sim=$1
shift
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
make APPS_DIR=tests/system/apps build/firmware/riscv/cycles.elf >/dev/null || exit 1
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
output=$("$sim" --quiet build/firmware/riscv/cycles.elf) && count yes || count no "exit status $?"
echo "$output"
echo "$output" | "$@" 'make run APP=cycles APPS_DIR=tests/system/apps' && count yes || count no 'a figure moved'
calls=$(echo "$output" | grep -c '^ok ')
[ "$calls" -gt 0 ] && count yes || count no 'no call was measured'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
