#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# summary.sh LOG...: names each test that did not pass, with its first failing line and its log, and adds up the last
# lines of all logs. A test without a log did not pass: what it counted before it stopped is in LOG.out, and it counts
# as at least one failure.
here=$(dirname "$0")
passed=0 failed=0 tests_failed=0
for log; do
  if [ -f "$log" ]; then file=$log least=0; else file=$log.out least=1; fi
  counts=$(tail -n 1 "$file" 2>/dev/null | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
  p=${counts% *} f=${counts#* }
  p=${p:-0} f=${f:-0}
  [ "$f" -lt "$least" ] && f=$least
  passed=$((passed + p)) failed=$((failed + f))
  [ "$least" = 1 ] || continue
  tests_failed=$((tests_failed + 1))
  if [ -f "$file" ]; then
    printf 'FAILED   %s\n  first: %s\n  log:   %s\n' "$(basename "$log" .log)" \
      "$("$here/first_failures.sh" "$file" 1 | sed 's/^ *//')" "$file"
  else
    printf 'NOT RUN  %s\n  what it needs could not be built: see the messages above\n' "$(basename "$log" .log)"
  fi
done
[ "$tests_failed" = 0 ] || printf '%s of %s tests did not pass\n' "$tests_failed" "$#"
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
