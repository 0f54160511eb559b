# SPDX-License-Identifier: Apache-2.0
"""Proofs of equivalence, each seen to fail on a seeded fault:

- boxes, leaves and whole elements of one lane: what the flow makes of them against their RTL;
- the leaves cell by cell against what they are written as without thinking of cells.

  test_equivalence.py FOLDER    works in FOLDER; netlists of before are used again where nothing has changed
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "synth"))

import configs
from flow import equivalence, faults, liberty, recipe, runs, sources, yosys
from flow.cache import Cache

SECONDS = 100  # for one proof
FOLDERS = (*configs.SOURCES, "tests/synth")

BOXES = {
    "compressor tree": configs.design("fp8mac_equivalence_tree", ROWS=5, W=7),
    "align_shift 27": configs.design("fp8mac_align_shift", VALUE_W=8, W=27),
    "align_shift 15": configs.design("fp8mac_align_shift", VALUE_W=8, W=15),
    "align_shift whole": configs.design("fp8mac_align_shift", VALUE_W=20, W=20),
    "multiply4": configs.design("fp8mac_multiply4"),
    "booth_row": configs.design("fp8mac_booth_row"),
    "adder, carry select": configs.design("fp8mac_adder", W=24, RIPPLE=12, SELECT=1),
    "decode": configs.design("fp8mac_decode"),
    "multiply": configs.design("fp8mac_lane_multiply", HIDDEN_ONE=1),
    "maximum": configs.design("fp8mac_aligned_maximum", LANES=4),
    "place": configs.design("fp8mac_aligned_compare", FIELD_W=5, SHIFT_W=4),
    "normalise FP16": configs.design("fp8mac_acc_normalise", SUM_W=19, SIG_W=11, LIMITED=1),
    "normalise FP32": configs.design("fp8mac_acc_normalise", SUM_W=31, SIG_W=24),
    "round FP16": configs.design("fp8mac_acc_round", SIG_W=11, FIELD_W=5, FIELD_MIN=1),
    "round FP32": configs.design("fp8mac_acc_round", SIG_W=24, FIELD_W=8),
}

ELEMENTS = {
    "element INT8": configs.int8(1).design,
    "element FP16": configs.fp8(1, "fp16").design,
    "element FP16 window": configs.fp8(1, "fp16", 13).design,
    "element static": configs.fp8(1, "fixed", 13, kind=configs.STATIC).design,
}

# A leaf, its parameters, and a fault: words of its source and what stands in their place.
WRITTEN = {
    "compressor tree": (
        configs.design("fp8mac_equivalence_tree", ROWS=5, W=7),
        "fp8mac_compressor_tree",
        (".c_i(g_level[l-1].bits[c][3*i+2])", ".c_i(g_level[l-1].bits[c][3*i+1])"),
    ),
    "align_shift 27": (
        configs.design("fp8mac_align_shift", VALUE_W=8, W=27),
        "fp8mac_align_shift",
        (".hold_i(select ||", ".hold_i(!select ||"),
    ),
    "align_shift 15": (
        configs.design("fp8mac_align_shift", VALUE_W=8, W=15),
        "fp8mac_align_shift",
        ("assign lost[l] = select &&", "assign lost[l] = select_n &&"),
    ),
    "align_shift whole": (
        configs.design("fp8mac_align_shift", VALUE_W=20, W=20),
        "fp8mac_align_shift",
        ("{Cut{void_i ^", "{Cut{fill_i ^"),
    ),
    "adder, carry select": (
        configs.design("fp8mac_adder", W=24, RIPPLE=12, SELECT=1),
        "fp8mac_adder",
        ("carry[Chain] ? sum[1] : sum[0]", "carry[Chain] ? sum[0] : sum[1]"),
    ),
    "maximum": (
        configs.design("fp8mac_aligned_maximum", LANES=4),
        "fp8mac_aligned_maximum",
        ("(has | {LANES{!set}})", "{LANES{1'b1}}"),
    ),
}


class Bench:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def proved(self, name: str, wanted: bool, work) -> None:
        """`work` proves equivalence, or finds that there is none."""
        start = time.monotonic()
        try:
            good = work() is wanted
        except Exception:
            traceback.print_exc(file=sys.stdout)
            good = False
        self.passed += good
        self.failed += not good
        said = "equal" if wanted else "its fault is found"
        print(
            f"{name}: {said if good else 'FAILED, not ' + said} ({time.monotonic() - start:.1f} s)",
            flush=True,
        )


def netlist(folder: Path, name: str, flow: runs.Synthesiser, library_text: str) -> str:
    """netlist.v of an element; or of a box, which has no clock to be fitted to: as it is mapped."""
    if name in ELEMENTS:
        result = flow.run(
            ELEMENTS[name], configs.HEADLINE_PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0]
        )
        return Path(result.netlist, "netlist.v").read_text()
    folder.mkdir(parents=True)
    texts = {
        "front.il": (flow.front(BOXES[name])[0] / "front.il").read_text(),
        "library.lib": library_text,
        "leaves.v": recipe.leaves_verilog(flow.library),
        "abc.txt": recipe.abc(recipe.EFFORTS[0], flow.library, configs.HEADLINE_PERIOD),
        "back.ys": recipe.back(flow.library) + "write_verilog -noattr -noexpr -nohex netlist.v\n",
    }
    for file, text in texts.items():
        (folder / file).write_text(text)
    yosys.run(folder, "back", ("netlist.v",))
    return (folder / "netlist.v").read_text()


def mapped(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    library_text = flow.library.path.read_text(errors="replace")
    for name, design in (BOXES | ELEMENTS).items():
        work = folder / name.replace(" ", "_")
        text = netlist(work, name, flow, library_text)
        proof = equivalence.Proof(work, design, flow.files, flow.library, text)
        bench.proved(f"netlist of {name}", True, lambda: proof.holds(text, "netlist", SECONDS))
        faulty = faults.other_gate(text, flow.library)
        bench.proved(f"netlist of {name}", False, lambda: proof.holds(faulty, "faulty", SECONDS))


def written(bench: Bench, folder: Path, files: dict[str, Path]) -> None:
    behavioural = sources.index(map(Path, configs.BEHAVIOURAL))
    for name, (design, leaf, (words, wrong)) in WRITTEN.items():
        work = folder / f"written_{name.replace(' ', '_')}"
        others = {leaf: behavioural[leaf]}
        bench.proved(
            f"{name} as written",
            True,
            lambda: equivalence.same(work, design, files, others, SECONDS),
        )
        text = files[leaf].read_text()
        if words not in text:
            raise ValueError(f"{leaf} has no {words!r}")
        faulty = work / files[leaf].name
        faulty.write_text(text.replace(words, wrong))
        bench.proved(
            f"{name} as written",
            False,
            lambda: equivalence.same(
                work / "faulty", design, {**files, leaf: faulty}, others, SECONDS
            ),
        )


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    proofs = folder / "proofs"
    shutil.rmtree(proofs, ignore_errors=True)
    proofs.mkdir(parents=True)
    os.chdir(HERE.parents[1])
    library = liberty.Library(configs.LIBRARIES["osu018"][0])
    flow = runs.Synthesiser(library, list(map(Path, FOLDERS)), Cache(folder))
    bench = Bench()
    mapped(bench, proofs, flow)
    written(bench, proofs, flow.files)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed or not bench.passed else 0


sys.exit(main())
