#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layers_core.sh HOST: layers with row operations give the same bytes with row commands and without them, where the core
# computes. HOST is the application `layers` on the host.
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for core in 0 1; do
  for family in attention normalise reduce transformer row_scales; do
    "$1" CORE=$core FAMILY=$family >"$directory/said" ||
      { cat "$directory/said"; echo '0 passed, 1 failed'; exit 1; }
    grep hash "$directory/said" >>"$directory/$core"
  done
done
lines=$(wc -l <"$directory/0")
if [ "$lines" -gt 30 ] && diff "$directory/0" "$directory/1"; then
  echo "$lines passed, 0 failed"
else
  echo '0 passed, 1 failed'
  exit 1
fi
