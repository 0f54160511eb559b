#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# element_build.sh BUILD TOP BINARY 'NAME=VALUE ...' SOURCE...
#
# Builds the bench of a processing element for one parameter set.
#   BUILD    the build folder, after `make element-bench`: what all sets share
#   TOP      element_tb (fp8mac_element_aligned, fp8mac_element_late), static_tb (fp8mac_element_static) or int8_tb
#            (fp8mac_element_int8)
#   BINARY   what is made; everything else goes to the folder it is in
#   NAME=..  the top's parameters: LANES=16 FRAC_BITS=13 ELEMENT=2 ...
#   SOURCE   packages, the element and its boxes
#
# With NETLIST=1 in the environment a synthesised element is tested: SOURCE is a Verilog netlist whose top has the
# element's name, and a file of Verilog models of its cells. The parameters say for which ones it was made. The operand
# feed stays RTL.
#
#   NETLIST=1 tests/rtl/element_build.sh build element_tb out/netlist_tb 'LANES=4 FRAC_BITS=25' netlist.v cells.v
#   out/netlist_tb --steps 50000
#
# With UNIT=1 too the netlist is that of fp8mac_block_cluster or fp8mac_int8_pipeline, which the array has instead: the
# accumulators are in the bench.
#
# OPTIMISE=-O0 compiles a wide element three times as fast as the default, -O1, for a slower bench.
set -e
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
build=$1 top=$2 binary=$3 parameters=$4
shift 4

rtl=$root/rtl
flags='-Wall --assert'  # what VERILATOR_FLAGS adds comes last
if [ -n "$NETLIST" ]; then
  # Warnings about cells' timing and unused outputs do not matter here.
  flags='-Wno-fatal -Wno-lint -Wno-style -Wno-UNOPTFLAT +define+ELEMENT_NETLIST'
  [ -z "$UNIT" ] || flags="$flags +define+UNIT_NETLIST"
  set -- "$rtl/fp8mac_codes_pkg.sv" "$rtl/fp8mac_pkg.sv" "$build/catalogue/fp8mac_catalogue_pkg.sv" \
    "$rtl/element/fp8mac_element_pkg.sv" "$rtl"/feed/*.sv "$rtl/element/shared/fp8mac_acc_pattern.sv" \
    "$rtl/leaf/fp8mac_maximum.sv" "$rtl/leaf/fp8mac_adder.sv" "$rtl/leaf/fp8mac_full_adder.sv" \
    "$rtl/leaf/fp8mac_half_adder.sv" "$rtl/leaf/fp8mac_compressor_tree.sv" "$@"
  case " $parameters " in *" RECODE=0 "*) flags="$flags +define+CODES_NETLIST" ;; esac
fi
set -- "$rtl/lint/verilator_waiver.vlt" "$@" "$here/$top.sv"
for parameter in $parameters; do flags="$flags -G$parameter"; done

bench=$build/tb/element
# shellcheck disable=SC2086
VERILATED="$build/verilated/verilated.o $build/verilated/verilated_threads.o" \
  "$root/tools/verilate.sh" "$binary" "$here/${top%_tb}_dut.cpp" "-w -I$here" "$bench/$top.o $build/model/libfp8mac.a" \
  $flags $VERILATOR_FLAGS -O3 --x-assign fast --x-initial unique --top-module "$top" "$@"
