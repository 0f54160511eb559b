#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recorded.sh NAME HOST SIMULATOR PROGRAM JUDGE...: the recorded network of the application NAME on the chip. Its results are
# those of the host build HOST. Its cycles, from the register write to the interrupt, are those of sim/bench/results.json,
# which the command JUDGE compares.
name=$1 host_program=$2 sim=$3 program=$4
shift 4
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
hash_of() { echo "$1" | sed -n "s/^$name: hash \([0-9a-f]*\),.*/\1/p"; }
chip=$("$sim" --quiet "$program" </dev/null 2>&1) && count yes || count no "exit status $?"
echo "$chip"
host=$("$host_program") && count yes || count no "the host's exit status $?"
hash=$(hash_of "$chip")
[ -n "$hash" ] && [ "$hash" = "$(hash_of "$host")" ] && count yes ||
  count no "hash $hash on the chip, $(hash_of "$host") on the host"
echo "$chip" | "$@" "make run APP=$name" && count yes || count no 'a figure moved'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
