#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# footprint.sh SIMULATOR SIZE DIRECTORY: the applications stay within the limits of footprint.txt. SIZE is the cross
# compiler's program `size`, DIRECTORY has the applications.
sim=$1 size=$2 directory=$3
passed=0 failed=0
within() { # NAME VALUE LIMIT
  if [ "$2" -gt 0 ] && [ "$2" -le "$3" ]; then
    passed=$((passed + 1)) && printf 'ok   %-32s %6u bytes, at most %u\n' "$1" "$2" "$3"
  else
    failed=$((failed + 1)) && printf 'FAIL %-32s %6s bytes, at most %u\n' "$1" "$2" "$3"
  fi
}
# The bytes of stack that a run has used; 0 if it failed. COMMAND...
stack_of() {
  if output=$("$@" 2>&1); then
    printf '%s\n' "$output" | sed -n 's/^fp8mac-sim: \([0-9]*\) of [0-9]* bytes of stack were used$/\1/p'
  else
    echo 0
  fi
}
while read -r app code data stack options; do
  case $app in '#'* | '') continue ;; esac
  # shellcheck disable=SC2046 # several words
  set -- $("$size" "$directory/$app.elf" | tail -n 1)
  within "$app: code and constants" "$1" "$code"
  within "$app: data" $(($2 + $3)) "$data"
  # shellcheck disable=SC2086 # several options
  within "$app: stack" "$(stack_of "$sim" --heartbeat 0 "$directory/$app.elf" $options </dev/null)" "$stack"
done <tests/system/footprint.txt

# A recursion of 50 kB, with the frames around it
used=$(stack_of "$sim" --heartbeat 0 "$directory/deep.elf" KB=50)
within 'deep: stack, at most' "$used" 56000
within 'deep: stack, at least' $((106000 - used)) 56000
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -ge 14 ]
