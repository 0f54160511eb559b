#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpi.sh SIMULATION: the example's scoreboard agrees with the element, and sees a fault that is put into it.
count() { printf '%s\n' "$1" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' | tail -n 1; }
clean=$("$1")
printf '%s\n' "$clean"
fault=$(count "$("$1" +fault=50)")
clean=$(count "$clean")
passed=${clean% *} failed=${clean#* } seen=${fault#* }
echo "with a fault in every fiftieth step: ${seen:-0} differences seen"
if [ "${seen:-0}" -gt 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
echo "${passed:-0} passed, ${failed:-1} failed"
[ "${failed:-1}" = 0 ] && [ "${passed:-0}" -gt 1 ]
