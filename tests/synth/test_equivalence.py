# SPDX-License-Identifier: Apache-2.0
"""Proofs of equivalence, each seen to fail on a seeded fault:

- the flow's netlists of boxes, leaves and whole elements of one lane against their RTL;
- the leaves, which instantiate cells, against the behavioural ones.

python -m pytest -c tests/pytest.ini tests/synth/test_equivalence.py --build BUILD

It works in BUILD/synth-equivalence and keeps its netlists there
"""

from __future__ import annotations

import shutil
import sys
import time
import traceback
from pathlib import Path

import pytest

from synth.flow import equivalence, faults, liberty, recipe, runs, sources, yosys
from synth.flow.cache import Cache
from synth.study import libraries
from synth.study.elements import (
    BEHAVIOURAL,
    ONE_FORMAT,
    design,
    edits,
    element,
    int8,
    source_folders,
)
from tests.conftest import Bench

SECONDS = 3600  # a guard against a proof that never ends; it decides nothing else

BOXES = {
    "compressor tree": design("fp8mac_equivalence_tree", ADDENDS=5, W=7),
    "align_shift 27": design("fp8mac_align_shift", VALUE_W=8, W=27),
    "align_shift 15": design("fp8mac_align_shift", VALUE_W=8, W=15),
    "align_shift whole": design("fp8mac_align_shift", VALUE_W=20, W=20),
    "multiply4": design("fp8mac_multiply4"),
    "booth_product": design("fp8mac_booth_product"),
    "digit_product": design("fp8mac_digit_product"),
    "digit_recode": design("fp8mac_digit_recode", LANES=2),
    "adder, carry select": design("fp8mac_adder", W=24, RIPPLE=12, SELECT=1),
    "decode": design("fp8mac_decode"),
    "multiply": design("fp8mac_lane_multiply", HIDDEN_ONE=1),
    **{
        f"multiply {name}": design("fp8mac_lane_multiply", edits=edits((name,)), HIDDEN_ONE=1)
        for name in ONE_FORMAT
    },
    "maximum": design("fp8mac_aligned_maximum", LANES=4),
    "compare": design("fp8mac_aligned_compare", FIELD_W=5, SHIFT_W=4),
    "normalise FP16": design("fp8mac_acc_normalise", SUM_W=19, SIG_W=11, LIMITED=1),
    "normalise FP32": design("fp8mac_acc_normalise", SUM_W=31, SIG_W=24),
    "normalise, format chosen": design(
        "fp8mac_acc_normalise", SUM_W=31, SIG_W=24, LIMITED=1, FP16_CHOICE=1
    ),
    "round FP16": design("fp8mac_acc_round", SIG_W=11, FIELD_W=5, FIELD_MIN=1),
    "round FP32": design("fp8mac_acc_round", SIG_W=24, FIELD_W=8),
    "round, format chosen": design("fp8mac_acc_round", SIG_W=24, FIELD_W=8, FP16_CHOICE=1),
    "decode, format chosen": design("fp8mac_acc_decode", FP16_CHOICE=1),
    "encode, format chosen": design("fp8mac_acc_code", FP16_CHOICE=1),
    "pattern": design("fp8mac_acc_pattern"),
}

ELEMENTS = {
    "int8_l1": int8(1).design,
    "late_fp16_l1": element("late_fp16", 1).design,
    "aligned_fp16_f13_l1": element("aligned_fp16", 1, 13).design,
    "late_fp16_l1_e5m2": element("late_fp16", 1, formats=("e5m2",)).design,
    "late_fp16_l1_qc_e2m5": element("late_fp16", 1, formats=("qc_e2m5",)).design,
    "late_l1": element("late", 1).design,
    "static_f13_l1": element("static", 1, 13).design,
}

# A leaf, its parameters, and a fault: words of its source and what stands in their place.
WRITTEN = {
    "compressor tree": (
        design("fp8mac_equivalence_tree", ADDENDS=5, W=7),
        "fp8mac_compressor_tree",
        (".c_i(g_level[l-1].bits[c][3*i+2])", ".c_i(g_level[l-1].bits[c][3*i+1])"),
    ),
    "align_shift 27": (
        design("fp8mac_align_shift", VALUE_W=8, W=27),
        "fp8mac_align_shift",
        (".hold_i(select ||", ".hold_i(!select ||"),
    ),
    "align_shift 15": (
        design("fp8mac_align_shift", VALUE_W=8, W=15),
        "fp8mac_align_shift",
        ("assign lost[l] = select &&", "assign lost[l] = select_n &&"),
    ),
    "align_shift whole": (
        design("fp8mac_align_shift", VALUE_W=20, W=20),
        "fp8mac_align_shift",
        ("{Cut{void_i ^", "{Cut{fill_i ^"),
    ),
    "adder, carry select": (
        design("fp8mac_adder", W=24, RIPPLE=12, SELECT=1),
        "fp8mac_adder",
        ("carry[Chain] ? sum[1] : sum[0]", "carry[Chain] ? sum[0] : sum[1]"),
    ),
    "maximum": (
        design("fp8mac_maximum", COUNT=4, W=6),
        "fp8mac_maximum",
        ("(has | {COUNT{!set}})", "{COUNT{1'b1}}"),
    ),
}


class Proofs(Bench):
    """Each proof is one check."""

    def proved(self, name: str, wanted: bool, work) -> None:
        """`work` proves equivalence, or finds that there is none."""
        start = time.monotonic()
        try:
            good = work() is wanted
        except Exception:
            traceback.print_exc(file=sys.stdout)
            good = False
        said = "equal" if wanted else "its fault is found"
        self.check(f"{name}: not {said}", good)
        print(f"{name}: {said} ({time.monotonic() - start:.1f} s)" if good else "", flush=True)


@pytest.fixture
def bench() -> Proofs:
    return Proofs()


@pytest.fixture(scope="session")
def flow(build: Path) -> runs.Synthesiser:
    library = liberty.Library(libraries.LIBRARIES["osu018"][0])
    folders = [*source_folders(build), Path("tests/synth")]
    return runs.Synthesiser(library, folders, Cache(build.resolve() / "synth-equivalence"))


@pytest.fixture(scope="session")
def proofs(build: Path) -> Path:
    path = build.resolve() / "synth-equivalence" / "proofs"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def netlist(folder: Path, name: str, flow: runs.Synthesiser, library_text: str) -> str:
    """netlist.v of an element; or of a box, which has no clock to be fitted to: as it is mapped."""
    if name in ELEMENTS:
        result = flow.run(
            ELEMENTS[name], libraries.HEADLINE_PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0]
        )
        return Path(result.netlist, "netlist.v").read_text()
    folder.mkdir(parents=True)
    texts = {
        "front.il": (flow.front(BOXES[name])[0] / "front.il").read_text(),
        "library.lib": library_text,
        "leaves.v": recipe.leaves_verilog(flow.library),
        "abc.txt": recipe.abc(recipe.EFFORTS[0], flow.library, libraries.HEADLINE_PERIOD),
        "back.ys": recipe.back(flow.library) + "write_verilog -noattr -noexpr -nohex netlist.v\n",
    }
    for file, text in texts.items():
        (folder / file).write_text(text)
    yosys.run(folder, "back", ("netlist.v",))
    return (folder / "netlist.v").read_text()


def test_netlists(bench: Proofs, proofs: Path, flow: runs.Synthesiser) -> None:
    library_text = flow.library.text
    for name, made in (BOXES | ELEMENTS).items():
        work = proofs / name.replace(" ", "_")
        text = netlist(work, name, flow, library_text)
        proof = equivalence.Proof(work, made, flow.files, flow.library, text)
        bench.proved(f"netlist of {name}", True, lambda: proof.holds(text, "netlist", SECONDS))
        faulty = faults.other_gate(text, flow.library)
        bench.proved(f"netlist of {name}", False, lambda: proof.holds(faulty, "faulty", SECONDS))


def test_written(bench: Proofs, proofs: Path, flow: runs.Synthesiser) -> None:
    files = flow.files
    behavioural = sources.index(map(Path, BEHAVIOURAL))
    for name, (made, leaf, (words, wrong)) in WRITTEN.items():
        work = proofs / f"written_{name.replace(' ', '_')}"
        others = {leaf: behavioural[leaf]}
        bench.proved(
            f"{name} as written",
            True,
            lambda: equivalence.same(work, made, files, others, SECONDS),
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
                work / "faulty", made, {**files, leaf: faulty}, others, SECONDS
            ),
        )
