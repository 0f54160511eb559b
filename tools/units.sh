#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# units.sh FOLDER N: gathers the C++ files that Verilator wrote to FOLDER into N + 1 files, each of which includes its
# share: FOLDER/fast_1.cpp to fast_N.cpp with the code that runs in every cycle, FOLDER/slow.cpp with the code that runs
# once. Every file begins with the same header, a megabyte for a chip, so that fewer files compile in half the time.
set -eu
cd "$1"
rm -f fast_*.cpp slow.cpp
is_slow() { case $1 in *__Slow.cpp | *__Syms.cpp | *__ConstPool_*) true ;; *) false ;; esac; }
: >slow.cpp
for source in V*.cpp; do
  if is_slow "$source"; then echo "#include \"$source\"" >>slow.cpp; else wc -c "$source"; fi
done | sort -rn | awk -v n="$2" '
  # The largest file first, each to the unit with the fewest bytes so far.
  { least = 1; for (i = 2; i <= n; i++) if (bytes[i] < bytes[least]) least = i
    bytes[least] += $1; print "#include \"" $2 "\"" >("fast_" least ".cpp") }
  END { for (i = 1; i <= n; i++) printf "" >>("fast_" i ".cpp") }'
