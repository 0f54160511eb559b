#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# equal_bytes.sh FILE FILE: the outputs that the chip and the host build computed are the same bytes, and there are some.
bytes=$(wc -c <"$1")
if [ "$bytes" -gt 0 ] && cmp "$1" "$2"; then
  echo "$bytes bytes of outputs are equal"
  echo '1 passed, 0 failed'
else
  echo "$1 has $bytes bytes, $2 $(wc -c <"$2")"
  echo '0 passed, 1 failed'
  exit 1
fi
