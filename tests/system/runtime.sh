#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# runtime.sh SIMULATOR: what programs find on the chip: printf with all of its conversions, the model's recipes, a stack
# whose end is guarded, and the report of a trap. Runs make at the top of the project.
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

# STACK makes it larger, and a size that cannot be is refused.
make APPS_DIR=$apps STACK=131072 build/firmware/riscv/deep.elf >/dev/null 2>&1 || count no 'the build with STACK'
output=$("$sim" --quiet build/firmware/riscv/deep.elf KB=100 2>&1)
[ $? -eq 0 ] && count yes || count no "100 KB with STACK: $output"
output=$(make APPS_DIR=$apps STACK=1000 build/firmware/riscv/deep.elf 2>&1)
case $output in *'not a multiple of 256'*) count yes ;; *) count no "STACK=1000: $output" ;; esac
make APPS_DIR=$apps build/firmware/riscv/deep.elf >/dev/null 2>&1 || count no 'the build without STACK'

# A trap says where: program counter, return address, registers, and the functions on the stack.
make APPS_DIR=$apps build/firmware/riscv/trap.elf >/dev/null 2>&1
output=$("$sim" --quiet build/firmware/riscv/trap.elf 2>&1)
[ $? -eq 255 ] && count yes || count no "trap: status"
for line in 'trap: load access fault, mcause 0x00000005, mtval 0x50000000' 'pc 0x8[0-9a-f]* (inner+0x' \
  'ra 0x8[0-9a-f]* (outer+0x' '  sp 0x80[0-9a-f]*  ' '    0x8[0-9a-f]* (main+0x' '    0x8[0-9a-f]* (fp8rt_start+0x'; do
  printf '%s\n' "$output" | grep -q -- "$line" && count yes || count no "trap: no '$line' in: $output"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
