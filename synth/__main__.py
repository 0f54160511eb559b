# SPDX-License-Identifier: Apache-2.0
"""python -m synth COMMAND OPTION...

measure   area of the elements beside their INT8 baselines     (make synth, make synth-full)
report    synth/AREA.md, ENERGY.md and the pages with every figure, from the results (make synth-report)
accel     the accelerator without its memories                 (make synth-accel)
functions what each function of the accelerator costs          (make synth-functions)
shapes    cycles of layers on arrays of other shapes           (make synth-shapes)
shape_areas  what fp8mac plan knows of areas               (make synth-shape-areas)
fpga      LUT, flip-flop, DSP and RAM counts of an FPGA        (make synth TARGET=)
memories  the area of the memories from an area of a bit       (make synth-memories)
gates     clock gates that synthesis inserts in modules        (make synth-gates)
stock     elements in the stock flow of Yosys                  (make synth-stock)
stale     results of other RTL than the tree's                  (make synth-stale)
fo4       the FO4 delay of a library                           (make synth-fo4)
release   the accelerator as one plain Verilog file        (make rtl-release)
chip      the accelerator as a netlist, for the simulator      (make synth-check-chip)
check     the netlists run the vectors of the RTL's benches    (make synth-check)
layout    netlists placed and routed, and their slack with wires (make synth-wires)
fpga_clock  elements placed and routed on an FPGA           (make synth-fpga-clock)
board     the chip of a board, mapped to the cells of an FPGA   (make fpga)
board_report  what nextpnr says of it                       (make fpga)
energy    energy of the netlists on real operands              (make synth-energy)
energy_chip  that of the chip's netlists while networks run    (make synth-energy CHIP=)
"""

import importlib
import sys

COMMANDS = {
    "measure": "synth.study.cli",
    "report": "synth.study.report",
    "accel": "synth.study.accel",
    "functions": "synth.study.left_out",
    "shapes": "synth.study.shapes",
    "shape_areas": "synth.study.shape_areas",
    "fpga": "synth.study.fpga",
    "fpga_clock": "synth.study.fpga_clock",
    "memories": "synth.study.memories",
    "gates": "synth.study.gating",
    "stock": "synth.study.stock",
    "stale": "synth.study.stale",
    "fo4": "synth.study.clock",
    "release": "synth.study.release",
    "chip": "synth.study.chip",
    "check": "synth.study.check",
    "layout": "synth.layout.cli",
    "board": "synth.board.cli",
    "board_report": "synth.board.nextpnr_report",
    "energy": "synth.energy.cli",
    "energy_chip": "synth.energy.chip_cli",
}


def main(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        print(f"python -m synth: choose one of {' '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return importlib.import_module(COMMANDS[name]).main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
