#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# first_failures.sh LOG LINES: the first lines of a log that begin with FAIL; if there are none, the first that tell of
# an error; if there are none either, the last lines.
log=$1 lines=$2
{
  grep -m "$lines" -E '^ *FAIL|^[A-Za-z.]+Error: ' "$log" ||
    grep -m "$lines" -E '(^|[^A-Za-z_])(FAIL|ERROR|[Ee]rror:|Traceback|[Aa]ssert|Aborted|Killed|not finished)' "$log" ||
    tail -n "$lines" "$log"
} | cut -c 1-200
