#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# command_line.sh SIM SOC_ELF FOLDER: what the simulator refuses, how it ends, and what it says then.
sim=$1 elf=$2 tmp=$3
passed=0 failed=0

# expect STATUS PATTERN ARGUMENTS...: exit status and, on stderr, a line that matches; a refusal (2) says one line.
expect() {
  status=$1 pattern=$2
  shift 2
  timeout --signal=KILL 1800 "$sim" "$@" >"$tmp/out" 2>"$tmp/err"
  got=$?
  [ $got -ne 137 ] || echo "not finished in 1800 s: $*"
  lines=$(grep -c '' "$tmp/err")
  if [ $got -eq "$status" ] && grep -q -- "$pattern" "$tmp/err" && { [ "$status" -ne 2 ] || [ "$lines" -eq 1 ]; }; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $* gave status $got and said:"
    cat "$tmp/err"
  fi
}

# refuse PATTERN ARGUMENTS...
refuse() {
  pattern=$1
  shift
  expect 2 "^fp8mac-sim: .*$pattern" "$@"
}

printf 'no ELF here' >"$tmp/text"
head -c 600 "$elf" >"$tmp/short.elf"

refuse 'no program'
refuse "unknown option '--foo'" --foo "$elf"
refuse "unknown option '--stall-'" --stall- "$elf"
refuse 'wants a value' --timeout
refuse '0 to 900' --stall 901 "$elf"
refuse '0 to 900' --stall -1 "$elf"
refuse '0 to 900' --stall= "$elf"
refuse '0 to 900' --stall 1x "$elf"
refuse '0 to 255' --latency 256 "$elf"
refuse 'a number' --seed 99999999999999999999 "$elf"
refuse 'a number' --timeout ' 5' "$elf"
refuse 'a number' --silence never "$elf"
refuse 'seconds' --heartbeat nan "$elf"
refuse 'seconds' --heartbeat -1 "$elf"
refuse 'need --trace or --instructions' --trace-from 5 "$elf"
refuse 'needs --instructions' --instructions-in main "$elf"
refuse 'a function' --instructions "$tmp/x.txt" --instructions-in '' "$elf"
refuse 'file name' --instructions= "$elf"
refuse "no function 'nowhere'" --instructions "$tmp/x.txt" --instructions-in nowhere "$elf"
refuse '0 to 65535' --gdb 65536 "$elf"
refuse 'after --trace-to' --instructions "$tmp/x.txt" --trace-from 5 --trace-to 4 "$elf"
refuse 'after --trace-to' --trace "$tmp/x.fst" --trace-from 5 --trace-to 4 "$elf"
refuse 'file name' --dump-outputs '' "$elf"
refuse 'cannot be written' --dump-outputs "$tmp/nowhere/x" "$elf"
refuse 'can be read' "$tmp/nowhere.elf"
refuse 'can be read' "$tmp"
refuse 'not an ELF file' "$tmp/text"
refuse 'cut short' "$tmp/short.elf"
refuse 'not 32-bit' "$sim"
refuse '4096' "$elf" "$(printf '%04096d' 0)"

expect 0 'exit status 0' "$elf" 0
expect 7 'exit status 7' "$elf" 7
expect 0 'the program asked for no check of a GEMM' "$elf" 0
expect 0 'array used 0.00 % of the whole run' --usage "$elf" 0
expect 1 'outputs compared 1, equal 0' "$elf" wrong
expect 1 'D\[0\]\[0\] is 0x39, golden model 0x38' --quiet "$elf" wrong
expect 1 'malformed check records 1' "$elf" malformed
expect 1 'outside memory' --quiet "$elf" outside
expect 124 'timeout after 5000 cycles.*at 0x8.*+0x' --timeout 5000 "$elf" hang
expect 124 '5000 cycles without console output.*after [56]...* cycles' --silence 5000 "$elf" hang
expect 0 'exit status 0' --silence 0 "$elf" 0
expect 124 'waiting for an interrupt' --timeout 5000 --quiet "$elf" sleep
expect 125 'exception in the handler' "$elf" double
expect 124 'M cycles.*kHz' --timeout=400000 --heartbeat=0.001 "$elf" hang

if [ "$("$sim" --quiet "$elf" 0 2>&1)" = '' ] && "$sim" --help | grep -q '^usage:'; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo 'FAIL: --quiet is not quiet, or --help does not help'
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
