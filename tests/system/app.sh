#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# app.sh NAME COMMAND...: builds the application NAME of tests/system/apps and runs it on the chip that COMMAND
# simulates, and on the host under the sanitizers. The last line adds their counts. Runs make at the top of the project.
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
name=$1
shift
passed=0 failed=0
add() { # STATUS OUTPUT
  printf '%s\n' "$2"
  sum=$(printf '%s\n' "$2" | tail -n 1)
  case $1-$sum in
    0-*' passed, 0 failed') passed=$((passed + ${sum%% *})) ;;
    *) failed=$((failed + 1)) ;;
  esac
}
make APPS_DIR=tests/system/apps "build/firmware/riscv/$name.elf" "build/firmware/host-san/$name" >/dev/null || failed=1
output=$("build/firmware/host-san/$name" 2>&1)
add $? "$output"
output=$("$@" "build/firmware/riscv/$name.elf" 2>&1)
add $? "$output"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
