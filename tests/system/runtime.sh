#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# runtime.sh SIMULATOR: what programs find on the chip: printf with all of its conversions, the model's recipes, and a
# stack whose end is guarded. Runs make at the top of the project.
sim=$1
apps=tests/system/apps
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL %s\n' "$2"; fi
}
make APPS_DIR=$apps build/firmware/riscv/runtime.elf build/firmware/host/runtime build/firmware/riscv/deep.elf \
  >/dev/null 2>&1 && count yes || count no 'the build'

# The host's C library and compiler say what is right.
chip=$("$sim" --quiet build/firmware/riscv/runtime.elf 2>&1)
host=$(build/firmware/host/runtime 2>&1)
[ "$(printf '%s\n' "$host" | wc -l)" -eq 3 ] && count yes || count no "host: $host"
[ "$chip" = "$host" ] && count yes || count no "chip: $chip
host: $host"

# The stack has 64 KiB.
output=$("$sim" --quiet build/firmware/riscv/deep.elf KB=50 2>&1)
[ $? -eq 0 ] && count yes || count no "50 KB: $output"
for deep in 70 100 5000; do
  output=$("$sim" --quiet build/firmware/riscv/deep.elf KB=$deep 2>&1)
  status=$?
  case $status-$output in
    255-*'trap: the stack is full, mcause'*) count yes ;;
    *) count no "$deep KB: status $status, $output" ;;
  esac
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
