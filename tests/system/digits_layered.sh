#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# digits_layered.sh HOST COMMAND...: the digits' convolutional network and transformer on the chip, which COMMAND
# simulates. All outputs have the committed hashes and those of the host build HOST.
host_program=$1
shift
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
# A field of the line for programs. OUTPUT NAME
field() { echo "$1" | sed -n "s/^digits: .* $2=\([0-9a-f]*\).*/\1/p"; }
# Each runs two batches, of which the second has the plans of the first.
while read -r net images outputs; do
  options="NET=$net IMAGES=$images BATCH=$((images / 2))"
  # shellcheck disable=SC2086 # several options
  chip=$("$@" $options </dev/null 2>&1) && count yes || count no "$net: exit status $?"
  echo "$chip"
  # shellcheck disable=SC2086
  host=$("$host_program" $options)
  hash=$(field "$chip" hash)
  [ -n "$hash" ] && [ "$hash" = "$(field "$host" hash)" ] && count yes ||
    count no "$net: hash $hash on the chip, $(field "$host" hash) on the host"
  [ "$(field "$chip" equal)" = $((outputs * images)) ] && count yes ||
    count no "$net: $(field "$chip" equal) of $((outputs * images)) outputs are equal"
done <<END
cnn 4 1546
transformer 2 4106
END
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
