#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# summary.sh LOG...: adds up the last lines of the tests' logs. A test without a log did not pass: what it counted
# before it stopped is in LOG.out, and it counts as at least one failure.
passed=0 failed=0
for log; do
  if [ -f "$log" ]; then file=$log least=0; else file=$log.out least=1; fi
  counts=$(tail -n 1 "$file" 2>/dev/null | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
  p=${counts% *} f=${counts#* }
  p=${p:-0} f=${f:-0}
  [ "$f" -lt "$least" ] && f=$least
  [ "$least" = 1 ] && printf 'not passed: %s\n' "$(basename "$log" .log)"
  passed=$((passed + p)) failed=$((failed + f))
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
