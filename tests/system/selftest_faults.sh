#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# selftest_faults.sh SELFTEST: the host build of `selftest` names a stuck bit of the golden model's accelerator, for bits
# of every memory and data path (FP8RT_FAULT, firmware/port/host/fp8rt_host_fault.h). Without a fault it finds none.
selftest=$1
passed=0 failed=0
export FP8RT_ARRAY=2x2x1 FP8RT_ELEMENT=block
# FAULT PART TEXT: the last line but one is "broken: PART", and a line has the text.
names() {
  output=$(FP8RT_FAULT=$1 "$selftest" TRIALS=0)
  status=$?
  summary=$(printf '%s\n' "$output" | tail -n 2 | head -n 1)
  if [ $status -ne 0 ] && [ "$summary" = "broken: $2" ] && printf '%s\n' "$output" | grep -qF "FAIL ${2%%,*}: $3"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) && printf 'FAIL FP8RT_FAULT=%s\n%s\n' "$1" "$output"
  fi
}
if "$selftest" TRIALS=0 | tail -n 1 | grep -q '^[1-9][0-9]* passed, 0 failed$'; then
  passed=$((passed + 1))
else
  failed=$((failed + 1)) && echo 'FAIL without a fault'
fi
# Bits of each part, with other places and values from bit to bit: all with more random steps
bits='1 4 7'
[ "${RANDOM_STEPS:-1}" -gt 1 ] && bits='0 1 2 3 4 5 6 7'
for bit in $bits; do
  lane=$((bit * 5 % 16)) unit=$((bit / 2 % 2)) value=$((bit % 2))
  stuck="byte $lane of a beat, bit $bit stuck at $value"
  other="byte $lane of a beat, bit $bit stuck at $((1 - value))"
  names "d:0:$lane:$bit:$value" 'D path' "$stuck"
  names "x:0:$lane:$bit:$((1 - value))" 'X path' "$other"
  names "c:0:$lane:$bit:$value" 'C path' "$stuck"
  names "bias:0:$lane:$bit:$((1 - value))" 'bias vector' "$other"
  names "a:$unit:$lane:$bit:$value" 'operand buffer A' "row RAM $unit, $stuck"
  names "b:$unit:$lane:$bit:$((1 - value))" 'operand buffer B' "row RAM $unit, $other"
  if [ $((lane % 4)) -ne 3 ] || [ "$bit" -ne 7 ]; then # a scale has no sign
    names "scale_a:0:$lane:$bit:$value" 'scale_a vector' "$stuck"
    names "scale_b:0:$lane:$bit:$((1 - value))" 'scale_b vector' "$other"
  fi
  names "mx_a:$unit:$unit:$bit:$value" 'MX scale buffer A' \
    "row RAM $unit, byte $unit of a beat, bit $bit stuck at $value"
  names "mx_b:$unit:$((1 - unit)):$bit:$((1 - value))" 'MX scale buffer B' \
    "row RAM $unit, byte $((1 - unit)) of a beat, bit $bit stuck at $((1 - value))"
  names "table:$((unit + 1)):$((lane % 4)):$bit:$value" table "table $((unit + 1)), byte $((lane % 4)) of a"
done
for unit in 0 1; do
  for column in 0 1; do
    names "array:$unit:$column:22:0" array "the element in row $unit, column $column"
    names "array:$unit:$column:25:1" array "the element in row $unit, column $column"
  done
done
# The operands of the data paths are e4m3fn.
names format:0:0:30:1 'products, format e4m3fn of A' ''
names format:0:1:30:1 'products, format e4m3fn of B' ''
for format in 1=e5m2 2=e4m3fnuz 3=e5m2fnuz 19=e3m2fn 20=e2m3fn 21=e2m1fn; do
  names "format:${format%=*}:0:30:1" "format ${format#*=} of A" 'every product'
  names "format:${format%=*}:1:30:1" "format ${format#*=} of B" 'every product'
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
