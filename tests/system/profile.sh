#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# profile.sh LAYERS: the profile of each fully connected layer, as text and as CSV, has the error that the application
# `layers` (on the host) prints for the layer.
layers=$1

# check NAME FIELD_SEPARATOR FORMAT: the last field of each layer's line
check() {
  "$layers" FAMILY=linear PROFILE="$3" | awk -F "$2" -v name="$1" '
    / error .* allowed there/ { split($0, words, " "); wanted = words[2] + 0; expected++ }
    $1 ~ /^linear *$/ && NF > 5 {
      difference = $NF - wanted
      if ($NF ~ /^[0-9.]+e[-+][0-9]+$/ && difference * difference <= (0.006 * wanted) ^ 2) passed++
      else { print "FAILED: " name ": " $0 ", wanted " wanted; failed++ }
    }
    END { if (passed + failed != expected) failed++; print passed + 0, failed + 0 }'
}
text=$(check text ' +' text)
csv=$(check CSV ',' csv)
printf '%s\n%s\n' "$text" "$csv" | awk '/FAILED/ { print; next } { passed += $1; failed += $2 }
  END { if (passed < 6) failed++; print passed + 0 " passed, " failed + 0 " failed"; exit failed != 0 }'
