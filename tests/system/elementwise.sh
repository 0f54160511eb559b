#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# elementwise.sh HOST COMMAND...: the application `elementwise` prints the same hashes of D, amaxes and flags on the
# host, where the golden model computes them, and on the chip, which COMMAND runs.
host_program=$1
shift
host=$("$host_program" 2>&1) || { printf '%s\n0 passed, 1 failed\n' "$host"; exit 1; }
chip=$("$@" 2>&1) || { printf '%s\n0 passed, 1 failed\n' "$chip"; exit 1; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
printf '%s\n' "$host" | grep hash >"$directory/host"
printf '%s\n' "$chip" | grep hash >"$directory/chip"
lines=$(wc -l <"$directory/host")
if [ "$lines" -gt 20 ] && diff "$directory/host" "$directory/chip"; then
  echo "$lines passed, 0 failed"
else
  echo '0 passed, 1 failed'
  exit 1
fi
