#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# layers.sh HOST 'FAMILY ...' COMMAND...: for these families of layers (none: all) the application `layers` prints the same hashes of outputs and scales on the host, where the
# golden model computes them, and on the chip, which COMMAND runs. On the host every output is also within the error
# that its header states.
host_program=$1 families=$2
shift 2
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
# run FILE COMMAND...: all families, and each must have hashes
run() {
  file=$directory/$1
  shift
  for family in ${families:-all}; do
    option=
    [ "$family" = all ] || option=FAMILY=$family
    # shellcheck disable=SC2086 # none or one word
    said=$("$@" $option 2>&1) && printf '%s\n' "$said" | grep hash >>"$file" ||
      { printf '%s\n%s\n0 passed, 1 failed\n' "$family" "$said"; exit 1; }
    [ "${file##*/}" = host ] || printf '%s\n' "$said"
  done
}
run host "$host_program"
run chip "$@"
lines=$(wc -l <"$directory/chip")
# The host has more cases: those that cost the core most.
if [ "$lines" -gt 60 ] && ! grep -vxFf "$directory/host" "$directory/chip"; then
  echo "$lines passed, 0 failed"
else
  echo '0 passed, 1 failed'
  exit 1
fi
