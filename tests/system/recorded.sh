#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recorded.sh NAME MOST HOST COMMAND...: the recorded network of the application NAME on the chip, which COMMAND simulates.
# Its results are those of the host build HOST, and a run takes at most MOST cycles from the register write to the interrupt.
name=$1 most=$2 host_program=$3
shift 3
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
hash_of() { echo "$1" | sed -n "s/^$name: hash \([0-9a-f]*\),.*/\1/p"; }
chip=$("$@" </dev/null 2>&1) && count yes || count no "exit status $?"
echo "$chip"
host=$("$host_program") && count yes || count no "the host's exit status $?"
hash=$(hash_of "$chip")
[ -n "$hash" ] && [ "$hash" = "$(hash_of "$host")" ] && count yes ||
  count no "hash $hash on the chip, $(hash_of "$host") on the host"
cycles=$(echo "$chip" | sed -n "s/^$name: .* commands, \([0-9]*\) cycles a [a-z]*\$/\1/p")
[ "${cycles:-0}" -gt 0 ] && [ "$cycles" -le "$most" ] && count yes || count no "$cycles cycles"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
