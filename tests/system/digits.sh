#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# digits.sh SIMULATOR PROGRAM: the digits application on the chip; every output is compared with the golden model.
output=$("$@" IMAGES=32 BATCH=16)
status=$?
echo "$output"
outputs=$(echo "$output" | sed -n 's/^digits: .* outputs=\([0-9]*\) equal=\([0-9]*\) .*/\1 \2/p')
if [ $status -eq 0 ] && [ -n "$outputs" ] && [ "${outputs% *}" = "${outputs#* }" ] && [ "${outputs% *}" -gt 0 ]; then
  echo "${outputs% *} passed, 0 failed"
else
  echo '0 passed, 1 failed'
  exit 1
fi
