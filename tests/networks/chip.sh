#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chip.sh FP8NET PYTHON GCC FOLDER MAKE...: a network goes from an ONNX file to host and chip, by the commands of the manual.
# The bytes of both are the executor's, and the chip takes the cycles of sim/bench/networks.json. GCC is the chip's compiler.
set -eu
fp8net=$1 python=$2 compiler=$3 folder=$4
shift 4
passed=0 failed=0
check() { # NAME CONDITION...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED $name"; fi
}
rm -rf "$folder"
mkdir -p "$folder/nets"
"$python" tests/networks/make_small.py "$folder"
"$fp8net" analyze "$folder/small.onnx"
"$fp8net" quantize "$folder/small.onnx" --data "$folder/small.npz" -o "$folder/small.q.onnx"
"$fp8net" generate "$folder/small.q.onnx" -o "$folder/nets/small" --data "$folder/small.npz" --reference "$folder/small.onnx"
for where in HOST=1 HOST=0; do
  "$@" run $where APP=small APPS_DIR="$folder/nets" >"$folder/$where.txt" 2>&1 || true
  grep -E 'compared|cycles' "$folder/$where.txt"
  check "$where compares all bytes and none differs" grep -q ' 160 bytes compared, 0 differ$' "$folder/$where.txt"
done
recorded() { "$python" -B -m sim.bench.networks small.onnx --compiler "$compiler" <"$folder/HOST=0.txt"; }
check "the chip takes the recorded cycles" recorded
check "the report has each layer" test "$(grep -c '`fp8rt_' "$folder/nets/small/report.md")" -eq 10
check "the report is JSON" "$python" -m json.tool "$folder/nets/small/report.json" "$folder/report.checked"
"$fp8net" measure "$folder/nets/small"
check "the report has cycles of layers" grep -Eq '`fp8rt_linear`.*(-|%) \| [0-9,]+ \| [0-9]+ \| [0-9]+ \|$' "$folder/nets/small/report.md"
check "a measured report says once what a run takes" test "$(grep -c 'A run ' "$folder/nets/small/report.md")" -eq 1
layers_of() { grep -v 'in two codes' "$1"; } # without a step of the quantiser, which is judged by an estimate
check "a measured report has no estimates" test "$(layers_of "$folder/nets/small/report.md" | grep -ic estimate)" -eq 0
check "estimates are near them" "$python" tests/networks/estimates.py "$folder/nets/small/report.json" 10
check "the picture has them" grep -q 'Cycles of each layer' "$folder/nets/small/report.svg"
"$fp8net" validate "$folder/small.q.onnx" --data "$folder/small.npz" --reference "$folder/small.onnx" --floor 15
check "validate by the executor" test $? -eq 0
# The program's own limit of silence goes to the simulator.
sed -i 's|^//: --silence [0-9]*$|//: --silence 5000|' "$folder/nets/small/main.c"
"$@" run APP=small APPS_DIR="$folder/nets" >"$folder/silent.txt" 2>&1 || true
check "a program says when it hangs" grep -q ' 5000 cycles without console output' "$folder/silent.txt"
# One byte of the vectors is changed: the program has to notice.
sed 's/small_output0\[\([0-9]*\)\] = {/&\n 1 +/' "$folder/nets/small/small_vectors.c" >"$folder/vectors.c"
mv "$folder/vectors.c" "$folder/nets/small/small_vectors.c"
"$@" run HOST=1 APP=small APPS_DIR="$folder/nets" >"$folder/changed.txt" 2>&1 && changed=0 || changed=1
check "a byte that differs is an error" test $changed -eq 1
check "a byte that differs is counted" grep -q ' 160 bytes compared, 1 differ$' "$folder/changed.txt"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
