#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vad_decisions.sh PROGRAM: the voice activity detector on the host, over all recordings. At least 99 % of the decisions
# are those of float32.
output=$("$@")
status=$?
echo "$output"
counts=$(echo "$output" | sed -n 's/^vad: decisions=\([0-9]*\) equal=\([0-9]*\) .*/\1 \2/p')
decisions=${counts% *} equal=${counts#* }
if [ $status -eq 0 ] && [ "${decisions:-0}" -gt 300 ] && [ $((100 * equal)) -ge $((99 * decisions)) ]; then
  echo '1 passed, 0 failed'
else
  echo '0 passed, 1 failed'
  exit 1
fi
