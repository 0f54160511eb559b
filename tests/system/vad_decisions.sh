#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vad_decisions.sh PROGRAM: the voice activity detector on the host, over all recordings. At least 99 % of the decisions
# are those of float32, and they are the recorded ones.
output=$("$@")
status=$?
echo "$output"
counts=$(echo "$output" | sed -n 's/^vad: decisions=\([0-9]*\) equal=\([0-9]*\) .*/\1 \2/p')
decisions=${counts% *} equal=${counts#* }
recorded=$(sed -n 's/^ *"speech": {\(.*\)},*$/\1/p' sim/bench/quality.json)
if [ "$recorded" != "\"of\": $decisions, \"fp8_right\": $equal" ]; then
  echo "FAIL sim/bench/quality.json has $recorded; if the change is meant: make accept-quality"
  status=1
fi
if [ $status -eq 0 ] && [ "${decisions:-0}" -gt 300 ] && [ $((100 * equal)) -ge $((99 * decisions)) ]; then
  echo '1 passed, 0 failed'
else
  echo '0 passed, 1 failed'
  exit 1
fi
