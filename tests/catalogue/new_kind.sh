#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# new_kind.sh FOLDER: adds a kind of an existing family to the catalogue of a copy of the tree, and nothing else. The
# model, the registers, the firmware's host build and the accelerator must know it then. FOLDER is made anew.
set -u
folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$folder"
mkdir -p "$folder/build"
folder=$(cd "$folder" && pwd)
cp -rp "$root/Makefile" "$root/rtl" "$root/model" "$root/firmware" "$root/sim" "$root/synth" "$root/tests" "$root/tools" \
  "$root/examples" "$folder"
# What does not depend on the catalogue is not built again.
cp -rp "$root/build/env" "$root/build/model" "$root/build/firmware" "$root/build/catalogue" "$folder/build"
ln -s "$root/build/venv" "$folder/build/venv"
cd "$folder" || exit 1

cat >>rtl/catalogue/elements.toml <<'END'

[trial_fp32]
number = 200
summary = "Late accumulation with 17 fraction bits unless chosen."
family = "late"
feed = "distances"
accumulators = ["fp32"]
formats = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
align = "operands"
frac_bits = { least = 9, default = 17, most = 29 }
window_lanes = 2
late_bits = [25, 26]
accelerator = true

[trial_fp32.model]
frac_bits = "frac_bits"
align_by = "FP8MAC_ALIGN_BY_OPERANDS"
acc_late = "true"
late_round = "FP8MAC_ALIGN_ODD"
late_bits_sum = "late_bits"
late_bits_acc = "late_bits"
END

passed=0 failed=0
check() {
  name=$1
  shift
  if "$@" >out.txt 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $name: $*"
    tail -n 15 out.txt
  fi
}
unset MAKEFLAGS MAKELEVEL MFLAGS FP8MAC_MAKE
equal_dots() {
  [ "$(build/model/fp8mac dot --preset trial_fp32 448,1.75,-2,3 448,0.0625,5,7)" = \
    "$(build/model/fp8mac dot --preset late_fp32_f17 448,1.75,-2,3 448,0.0625,5,7)" ]
}
check 'the tool, the registers and the host program build' make -j2 cli \
  build/regs/fp8mac_regs_pkg.sv build/firmware/host/selftest
check 'the model has a preset of this name' sh -c 'build/model/fp8mac presets | grep -qx trial_fp32'
check 'the preset computes what its settings say' equal_dots
check 'the register map has its number' grep -q element_kind__trial_fp32 build/regs/fp8mac_regs_pkg.sv
check 'the host build computes with it' env FP8RT_ARRAY=4x4x4 FP8RT_ELEMENT=trial_fp32_f13 build/firmware/host/selftest
check 'make knows it, with its own fraction bits' sh -c \
  "make -n run LANES=4 ELEMENT=trial_fp32 2>&1 | grep -q trial_fp32_f17"
check 'make refuses fraction bits that it cannot have' sh -c \
  "! make -n run LANES=4 ELEMENT=trial_fp32 FRAC_BITS=8 >/dev/null 2>&1"
# A parameter set of a bench, here of lint: the one list that a new kind is added to.
echo 'LINT_SETS_ELEMENT += 4_4_4_128_trial_fp32' >lint.mk
sed -i '/^LINT_STAMPS :=/e cat lint.mk' rtl/build.mk
check 'the accelerator elaborates with it' make build/lint/4_4_4_128_trial_fp32.ok
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
