#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh COUNT SAMPLE COMMAND...: COUNT random descriptors on the host under the sanitizers; of SAMPLE others, host and
# chip print the same lines, which hold every status and a hash of all memory. COMMAND simulates the chip. Runs make at
# the top of the project.
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
count=$1 sample=$2
shift 2
fail() {
  printf '%s\n0 passed, 1 failed\n' "$1"
  exit 1
}
make APPS_DIR=tests/system/apps build/firmware/riscv/fuzz.elf build/firmware/host-san/fuzz >/dev/null || fail 'make fails'
long=$(build/firmware/host-san/fuzz "COUNT=$count" SEED=2 2>&1) || fail "$long"
host=$(build/firmware/host-san/fuzz "COUNT=$sample" SEED=1 2>&1) || fail "$host"
chip=$("$@" build/firmware/riscv/fuzz.elf "COUNT=$sample" SEED=1 2>&1) || fail "$chip"
[ "$host" = "$chip" ] || fail "host:
$host
chip:
$chip"
printf '%s\n' "$long" | grep -v '^descriptors'
echo "host and chip print the same of $sample descriptors"
echo "$((count + sample)) passed, 0 failed"
