#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# verilate.sh BINARY BENCH 'C++ FLAGS' 'OBJECTS AND LIBRARIES' VERILATOR-ARGUMENT...
#
# Builds a bench. Verilator makes C++ of the RTL, and the C++ source BENCH is compiled with it as one file. Everything
# goes to the folder of BINARY. From the environment:
#   VERILATED   objects of Verilator's own code, which all benches share
#   OPTIMISE    -O1 is the default. -O0 compiles in half the time, for benches that run for seconds
#   VERILATOR, CXX
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=$1 bench=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") flags=$3 objects=$4
shift 4
folder=$(dirname "$binary")
optimise=${OPTIMISE:--O1}
mkdir -p "$folder"
rm -f "$binary" "$folder"/V*.cpp "$folder"/V*.h

# Functions of many thousand statements compile in time that grows faster than they do.
"${VERILATOR:-verilator}" --cc --quiet-exit --output-split 0 --output-split-cfuncs 1000 --Mdir "$folder" "$@"
include=$(sed -n 's/^VERILATOR_ROOT *= *//p' "$folder"/V*.mk)/include
"$here/units.sh" "$folder" 1
echo "#include \"$bench\"" >>"$folder/fast_1.cpp"

# compile ARGUMENT...
compile() { # shellcheck disable=SC2086 # several flags
  "${CXX:-g++}" -std=c++17 -isystem "$folder" -isystem "$include" -isystem "$include/vltstd" $flags "$@"
}
if [ "$optimise" = -O0 ]; then
  slow= # one file: reading the headers takes as long as compiling
  cat "$folder/slow.cpp" >>"$folder/fast_1.cpp"
else
  slow=$folder/slow.o
  compile -O0 -c -o "$slow" "$folder/slow.cpp"
fi
# shellcheck disable=SC2086 # several objects
compile "$optimise" -o "$binary" "$folder/fast_1.cpp" $slow $VERILATED $objects -pthread
