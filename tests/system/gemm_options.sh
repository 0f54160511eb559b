#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm_options.sh PROGRAM: the gemm application answers each bad value, and each that the array's elements do not have,
# with one sentence that names the good ones and exit status 2, and good values of every key with 0.
program=$1
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL %s\n' "$2"; fi
}

# refused BAD SENTENCE
refused() {
  output=$("$program" "$1")
  status=$?
  lines=$(printf '%s\n' "$output" | wc -l)
  case $output in
    "gemm: $1 $2"*) named=yes ;;
    *) named=no ;;
  esac
  if [ $status -ne 2 ] || [ "$lines" -ne 1 ]; then named=no; fi
  count $named "$1: status $status, $output"
}

for bad in M=0 N=-1 K=65537 K= K=12x M=99999999999999 A=fp8 B=E4M3FN D=int4 ACC=fp8 SA=33 SB=-33 SCALE=row BIAS=2 MX=2 \
  ACT=gelu OVERFLOW=wrap SEED=-1 DATA=normal m=64 SIZE=64 64; do
  refused "$bad" 'is not possible: choose '
done

for good in '' 'M=1 N=1 K=1' 'A=e5m2 B=e4m3fnuz D=bf16' 'ACC=fp16 SA=-32 SB=32' 'SCALE=tensor BIAS=1 ACT=relu D=e4m3fn' \
  'SCALE=vector BIAS=1 ACT=clamp D=e5m2fnuz' 'MX=1 M=70 K=1000 A=e2m1fn' 'DATA=codes OVERFLOW=ieee D=e5m2 SEED=7' \
  'DATA=wide OVERFLOW=saturate_finite D=e4m3fnuz' 'SCALE=vector D=int8' 'M=3 N=2 K=5000 D=float16' 'M=17 M=18'; do
  # shellcheck disable=SC2086 # several arguments
  output=$("$program" $good)
  if [ $? -eq 0 ]; then count yes; else count no "$good: $output"; fi
done

refused ACC=fixed 'is not possible with block elements: choose one of fp32 float32 fp16 float16'
export FP8RT_ELEMENT=aligned_fp32_f23
for bad in ACC=fp16 ACC=fixed; do
  refused $bad 'is not possible with aligned_fp32 elements: choose one of fp32 float32'
done
export FP8RT_ELEMENT=late_f13
refused ACC=fixed 'is not possible with late elements: choose one of fp32 float32 fp16 float16'
for element in late_f13 aligned; do
  export FP8RT_ELEMENT=$element
  for good in '' ACC=fp32 'ACC=fp16 SA=-20'; do
    # shellcheck disable=SC2086 # several arguments
    output=$("$program" $good)
    if [ $? -eq 0 ]; then count yes; else count no "$element, $good: $output"; fi
  done
done
export FP8RT_ELEMENT=kulisch
for bad in ACC=fp32 ACC=fp16; do refused $bad 'is not possible with kulisch elements: choose one of fixed'; done
for bad in A=e5m2 B=e5m2fnuz; do
  refused $bad 'is not possible with kulisch elements: choose one of e4m3fn e4m3fnuz'
done
for good in '' 'ACC=fixed A=e4m3fnuz SA=-3 D=e5m2'; do
  # shellcheck disable=SC2086 # several arguments
  output=$("$program" $good)
  if [ $? -eq 0 ]; then count yes; else count no "fixed, $good: $output"; fi
done

export FP8RT_ELEMENT=int8
for bad in A=e4m3fn B=e5m2; do refused $bad 'is not possible with int8 elements: choose one of int8'; done
refused ACC=fp32 'is not possible with int8 elements: choose one of int32'
for good in '' 'A=int8 B=int8 D=int8 SCALE=tensor' 'ACC=int32 D=e4m3fn DATA=codes'; do
  # shellcheck disable=SC2086 # several arguments
  output=$("$program" $good)
  if [ $? -eq 0 ]; then count yes; else count no "int8, $good: $output"; fi
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
