#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vad.sh HOST SIMULATOR PROGRAM JUDGE...: the voice activity detector. HOST is its host build. In the first 24 frames,
# silence and speech, the decisions on the host are those of float32. The bytes of 5 frames are the same on chip and host,
# and a frame takes the cycles of sim/bench/results.json, which the command JUDGE compares.
host=$1 sim=$2 program=$3
shift 3
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
# The value of a field in the line of results. OUTPUT FIELD
field() { echo "$1" | sed -n "s/^vad: decisions=.*$2=\([0-9a-f]*\).*/\1/p"; }
whole=$("$host" RECORDINGS=1 FRAMES=24)
echo "$whole"
[ "$(field "$whole" equal)" = 24 ] && count yes ||
  count no "$(field "$whole" equal) of 24 decisions are those of float32"
some=$("$host" RECORDINGS=1 FRAMES=5)
chip=$("$sim" --quiet "$program" RECORDINGS=1 FRAMES=5 2>&1)
echo "$chip"
[ -n "$(field "$chip" checksum)" ] && [ "$(field "$chip" checksum)" = "$(field "$some" checksum)" ] && count yes ||
  count no "checksums: chip $(field "$chip" checksum), host $(field "$some" checksum)"
echo "$chip" | "$@" 'make run APP=vad' && count yes || count no 'a figure moved'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
