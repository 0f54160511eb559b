#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# integers.sh FOLDER COMMAND...: inference has no software floating point. FOLDER has the programs, COMMAND simulates the
# chip. The instructions of the functions below, with all that they call, name no function of software floating point. The
# text that a program prints does, so the test would see one.
folder=$1
shift
passed=0 failed=0
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
# The functions of software floating point in a trace: __addsf3, __muldf3, __floatsisf, __fixsfsi, __extendsfdf2, ...
soft() { grep -oE '__[a-z]+(sf|df)(2|3|si|di)|__float[a-z]*(sf|df)' "$trace" | sort -u | tr '\n' ' '; }
# FUNCTION APPLICATION ARGUMENTS...
run() {
  function=$1 program=$folder/$2.elf
  shift 2
  "$@" --instructions "$trace" --instructions-in "$function" "$program" $options >"$trace.out" 2>&1 || cat "$trace.out"
  rm -f "$trace.out"
}
check() { # NAME FUNCTION APPLICATION OPTIONS COMMAND...
  name=$1 function=$2 application=$3 options=$4
  shift 4
  run "$function" "$application" "$@"
  lines=$(wc -l <"$trace") found=$(soft)
  if [ "$lines" -gt 100 ] && [ -z "$found" ]; then
    passed=$((passed + 1))
    echo "ok   $name: $lines instructions of $function"
  else
    failed=$((failed + 1))
    echo "FAIL $name: $lines instructions of $function, with $found"
  fi
}
check perceptron fp8rt_gemm_run digits 'NET=perceptron IMAGES=16' "$@"
check cnn fp8rt_network_run digits 'NET=cnn IMAGES=16 BATCH=16' "$@"
check transformer fp8rt_network_run digits 'NET=transformer IMAGES=16 BATCH=16' "$@"
check vad vad_net_frame vad 'FRAMES=2' "$@"

options='FRAMES=1'
run main vad "$@"
if [ -n "$(soft)" ]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1)) && echo 'FAIL software floating point is not seen where there is some'
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
