#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# variables.sh: make refuses, with one sentence and before anything is built, each variable that its goal would not
# read, and names the closest ones; it accepts the others. Runs make at the top of the project, which builds nothing.
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE

# refused ARGUMENTS SENTENCE
refused() {
  # shellcheck disable=SC2086 # several arguments
  output=$(make -n $1 2>&1)
  status=$?
  sentences=$(printf '%s\n' "$output" | grep -c '\*\*\*')
  case $status-$sentences-$output in
    2-1-*"*** $2"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && printf 'FAIL make %s: status %s, %s\n' "$1" "$status" "$output" ;;
  esac
}

# accepted ARGUMENTS: make has something to do, or nothing.
accepted() {
  # shellcheck disable=SC2086 # several arguments
  output=$(make -n $1 2>&1)
  status=$?
  case $status in
    0) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && printf 'FAIL make %s: status %s, %s\n' "$1" "$status" "$(echo "$output" | tail -n 3)" ;;
  esac
}

# Names that nobody knows, for every kind of goal.
refused 'run FORMT=e5m2' 'no variable is called FORMT: did you mean FORMAT?'
refused 'run APP=gemm a=e5m2' 'no variable is called a: did you mean A?'
refused 'run a=e5m2' 'no variable is called a: did you mean A (an option of APP=gemm)?'
refused 'waves TRACE_FORM=5' 'no variable is called TRACE_FORM: did you mean TRACE_FROM?'
refused 'run rows=4' 'no variable is called rows: did you mean ROWS?'
refused 'run nonsense=1' 'no variable is called nonsense. The options of APP=digits are'
refused 'model ACC=fp16' 'ACC has no effect here: it is an option of applications'
for goal in '' all model cli rtl firmware sim test lint formal synth synth-energy install-model install-firmware bench clean help \
  build/firmware/host/gemm; do
  refused "$goal COLLS=4" 'no variable is called COLLS: did you mean COLS?'
done
refused 'synth PEROID=5' 'no variable is called PEROID: did you mean PERIOD?'
refused 'model CFLAG=-O1' 'no variable is called CFLAG: did you mean CFLAGS?'

# Names that this goal does not read.
refused 'test APP=gemm' 'APP has no effect here: only make run, help, help-all or fpga uses it'
refused 'model DESTDIR=/tmp' 'DESTDIR has no effect here: only make install-model or install-firmware uses it'
refused 'lint M=3' 'M has no effect here: it is an option of applications'
refused 'run M=3' 'M is not an option of APP=digits, whose options are'
refused 'run APP=faults SEED=3' 'SEED is not an option of APP=faults, which has none; it is one of APP=gemm'
refused 'run PERIOD=5' 'PERIOD has no effect here'

refused 'synth TARGET=xilinx FORMATS=e5m2' 'FORMATS has no effect with TARGET=xilinx'
refused 'synth TARGET=ecp5 PERIOD=5' 'PERIOD has no effect with TARGET=ecp5'
refused 'synth CONFIG=ROWS=2' 'CONFIG has no effect on synth without TARGET'
refused 'rtl-release PERIOD=5' 'PERIOD has no effect here'
refused 'rtl-release AXI_DATA_W=96' 'AXI_DATA_W=96 is not possible: choose one of 64 128 256'
accepted 'rtl-release ROWS=2 LANES=4 AXI_DATA_W=64 ELEMENT=late_fp16 FRAC_BITS=13 CONFIG=TILES=64'
accepted 'rtl-release MINIMAL=1'
accepted 'synth-accel MINIMAL=1 EFFORTS=area'
accepted 'synth-memories MINIMAL=1 CONFIG=MX=1'
accepted 'synth TARGET=ecp5 MINIMAL=1 ONLY=accelerator'
refused 'synth MINIMAL=1' 'MINIMAL has no effect on synth without TARGET'
refused 'synth-accel MINIMAL=1 PART=fp8mac_load' 'MINIMAL has no effect with PART'
refused 'synth-functions MINIMAL=1' 'MINIMAL has no effect here'
refused 'lint MINIMAL=1' 'MINIMAL has no effect here: only make run, sim, rtl-release, synth, synth-accel or synth-memories uses it'
refused 'rtl-release MINIMAL=2' 'MINIMAL=2 is not possible: choose one of 0 1'
accepted 'synth-wires ONLY=int8'
refused 'synth-wires PERIOD=5' 'PERIOD has no effect here'
accepted 'synth TARGET=xilinx ELEMENT=late LANES=4 FRAC_BITS=13 CONFIG=ROWS=2'

# Values that are not possible, and details of a waveform that is not written.
refused 'run HOST=yes' 'HOST=yes is not possible: choose one of 0 1'
refused 'run HOST=1 SIM_ARGS=--quiet' 'SIM_ARGS has no effect with HOST=1'
accepted 'run HOST=1 APP=gemm M=5 ELEMENT=exact'
refused 'run TIMED=yes' 'TIMED=yes is not possible: choose one of 0 1'
accepted 'run INFERENCE=1 FRAC_BITS=10'
refused 'run INFERENCE=1 ELEMENT=late' 'INFERENCE=1 is not possible with ELEMENT=late: leave one of both out'
refused 'lint INFERENCE=1' 'INFERENCE has no effect here: only make run, sim or rtl-release uses it'
refused 'run ELEMENT=block REQUANTISE=1' 'REQUANTISE=1 is not possible with ELEMENT=block: choose ELEMENT=int8'
refused 'run TIMED=1 MINIMAL=1' 'TIMED=1 is not possible with MINIMAL=1 or for waveforms'
accepted 'run ELEMENT=int8 REQUANTISE=1 TIMED=1'
refused 'model REQUANTISE=1' 'REQUANTISE has no effect here: only make run or sim uses it'
accepted 'run HOST=1 ELEMENT=int8 REQUANTISE=1'
refused 'run TRACE_FROM=5' 'TRACE_FROM has no effect here: only make waves uses it'
refused 'waves M=5' 'M is not an option of APP=digits, whose options are'
refused 'run APP=none' 'APP=none is not possible: choose one of'
refused 'run AXI_DATA_W=512' 'AXI_DATA_W=512 is not possible: choose one of 64 128 256'
refused 'run ROWS=3' 'ROWS=3 is not possible: choose one of'

# What is declared is accepted.
accepted 'run APP=gemm M=70 N=33 K=200 A=e5m2fnuz B=e4m3fn ACC=fp16'
accepted 'run FORMAT=e5m2 IMAGES=9 BATCH=3'
accepted 'model CC=gcc CFLAGS=-g V=1'
accepted 'accept-cycles FROM=build/bench/throughput.json REASON=x'
accepted 'bench-system WORKLOADS=layers.csv'
accepted 'firmware RISCV_PREFIX=riscv64-unknown-elf- LDFLAGS='

# Prints what `make run`, or with $2 = waves `make waves`, would run. $1: variables.
simulator() {
  # shellcheck disable=SC2016,SC2086 # make expands the variables; several arguments
  make --eval "override TRACING := $2" --eval 'build/show: ; @echo $(SIM) $(if $(TRACING),$(run_trace))' build/show $1 \
    2>/dev/null | tail -n 1
}
shows() { # VARIABLES TEXT [waves]
  found=$(simulator "$1" "$3")
  if [ "$(echo $found)" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $1: $found"; fi
}
chip=build/sim/4x4x16-block_f19
shows '' $chip/fp8mac-sim
shows TIMED=0 $chip/fp8mac-sim
shows TIMED=1 $chip-timed/fp8mac-sim
shows '' "$chip-trace/fp8mac-sim --trace build/digits.fst" waves
shows 'TRACE_FROM=5 TRACE_TO=9 TRACE_FILE=x' \
  "$chip-trace/fp8mac-sim --trace x --trace-from 5 --trace-to 9" waves
shows 'ELEMENT=late_fp16' build/sim/4x4x16-late_fp16_f13/fp8mac-sim
shows 'ELEMENT=late_fp16 FRAC_BITS=10 LANES=8' build/sim/4x4x8-late_fp16_f10/fp8mac-sim
shows 'ELEMENT=late FRAC_BITS=13 LANES=8' build/sim/4x4x8-late_f13/fp8mac-sim
shows 'ELEMENT=late_fp16 LANES=1' build/sim/4x4x1-late_fp16/fp8mac-sim

# Every option that an application declares is one that it accepts, and its own refusal lists each.
for app in digits gemm; do
  make "build/firmware/host/$app" >/dev/null 2>&1
  refusal=$("build/firmware/host/$app" no_such_option=1)
  for option in $(sed -n 's|^//: *\([A-Z]*\)=.*|\1|p' firmware/apps/$app/*.c); do
    case $refusal in
      *" $option="*) passed=$((passed + 1)) ;;
      *) failed=$((failed + 1)) && echo "FAIL $app does not list $option: $refusal" ;;
    esac
  done
done

# make help fits a screen. make help-all names every goal's variables and every application with its options.
short=$(make help | wc -l)
if [ "$short" -gt 10 ] && [ "$short" -le 40 ]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1)) && echo "FAIL make help has $short lines: at most 40 fit a screen. Put the rest behind #+ in Makefile"
fi
help=$(make help-all)
for text in 'make run' 'FRAC_BITS=' 'TRACE_FROM=' 'gemm' 'FORMAT=' 'OVERFLOW='; do
  case $help in
    *"$text"*) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAIL make help-all does not mention $text" ;;
  esac
done

# Each goal of make help-all has prerequisites or a recipe. A file is not one.
help=$(printf '%s\n' "$help" | grep -v 'make build/')
rules=$(make -npq list-tests 2>/dev/null)
for goal in $(printf '%s\n' "$help" | grep -oE '^  (make )?[a-z][a-z0-9-]*( \| [a-z][a-z0-9-]*)*' | grep -oE '[a-z][a-z0-9-]*' | grep -vx make | sort -u); do
  case $help in *"make $goal"* | *"| $goal "*) ;; *) continue ;; esac
  if printf '%s\n' "$rules" | awk -v goal="$goal" '
    index($0, goal ":") == 1 { if ($0 ~ /:.*[^ :]/) found = 1; inside = 1; next }
    inside && /^\t/ { found = 1 }
    /^$/ { inside = 0 }
    END { exit !found }'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) && echo "FAIL make $goal does nothing"
  fi
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
