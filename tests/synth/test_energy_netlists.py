# SPDX-License-Identifier: Apache-2.0
"""Energy of two real netlists of OSU018, an element of block accumulation and its INT8 baseline, on the operands of the
speech network: the results are right, Icarus Verilog counts the same transitions of every net, and OpenSTA finds the same
power.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_netlists.py --toggles TOGGLES --build BUILD --folder FOLDER

BUILD has the generated packages
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from synth.energy import data, drive, tensors, vcd
from synth.energy.circuit import GLITCHES, SETTLED, Circuit
from synth.energy.measure import CHECKED, Case, Study
from synth.flow import recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import FlowError
from synth.flow.liberty import Library
from synth.study import libraries, wires
from synth.study.elements import Entry, block, int8, source_folders
from tests.conftest import Bench

ENTRIES = {"block": block(4, 13, "fp16"), "int8": int8(4, banks=1)}
STEPS = 64
FINE = 20000  # ticks of a period


@pytest.fixture(scope="session")
def study(request: pytest.FixtureRequest, build: Path, folder: Path) -> Study:
    path, period = libraries.LIBRARIES[libraries.FIRST]
    library = Library(path, power=True)
    flow = runs.Synthesiser(library, source_folders(build), Cache(folder))
    toggles = request.config.getoption("--toggles").resolve()
    return Study(flow, period, toggles, folder / "energy")


def record_of(study: Study, entry: Entry) -> dict:
    made = study.synthesiser.run(entry.design, study.period_ns, recipe.EFFORTS[0], recipe.SEEDS[0])
    its = ("name", "kind", "family", "acc", "frac_bits", "lanes")
    return {
        **{name: getattr(entry, name) for name in its},
        "top": entry.design.top,
        "parameters": dict(entry.design.parameters),
        "netlist": f"{made.netlist}/netlist.v",
    }


@pytest.mark.parametrize("name", ENTRIES)
def test_netlist(bench: Bench, study: Study, name: str) -> None:
    record = record_of(study, ENTRIES[name])
    found = study.measure(record, CHECKED, STEPS)  # compares with OpenSTA, too
    bench.check(f"{found.results} results were compared", found.results >= 128)
    bench.check("OpenSTA was asked", found.checked is not None)
    bench.check(f"every part costs energy: {found.element}", min(vars(found.element).values()) > 0)
    settled = study.measure(record, Case(CHECKED.data, mode=SETTLED), STEPS)
    bench.check("glitches cost energy", settled.total < 0.99 * found.total)
    longer = study.measure(record, Case(CHECKED.data, wires=2.0), STEPS)
    part = longer.element.wires / found.element.wires
    bench.check(f"wires of twice the length: {part}", 1.9 < part < 2.3)


@pytest.mark.parametrize("name", ENTRIES)
def test_icarus(bench: Bench, study: Study, name: str) -> None:
    """One of the 64 streams, in all of them: the same counts. Time is finer than in the study, because a pulse that is
    exactly as long as a delay passes or not, as the simulators' order of events has it."""
    record = record_of(study, ENTRIES[name])
    work = drive.Drive(record, tensors.data(CHECKED.data), STEPS)
    inputs, _ = study.inputs(work, record, CHECKED)
    netlist = Path(record["netlist"]).with_name("netlist.json")
    wire = wires.pf_of_sink(study.library)
    circuit = Circuit.read(netlist, record["top"], study.library, study.period_ns, wire, ticks=FINE)
    alone = {port: bits[:, 5] for port, bits in inputs.items()}
    same = {port: np.broadcast_to(bits[:, 5:6], bits.shape) for port, bits in inputs.items()}
    for mode in (SETTLED, GLITCHES):
        activity = circuit.simulate(study.binary, study.folder, same, mode)
        theirs = vcd.count(circuit, study.folder, alone, mode is GLITCHES)
        wrong = [
            bit
            for bit, count in theirs.items()
            if round(activity.per_cycle[bit] * activity.cycles) != count
        ]
        bench.check(f"{mode.name}: {len(wrong)} of {len(theirs)} nets differ", not wrong)
        bench.check(f"{mode.name}: something happens", sum(theirs.values()) > len(theirs))


def test_wrong_netlist(bench: Bench, study: Study) -> None:
    """A netlist with other parameters than its record says has wrong results."""
    record = record_of(study, ENTRIES["int8"])
    record["parameters"] = {**record["parameters"], "TREE_REGISTER": 1}
    bench.raises(
        "a cycle late", FlowError, "are wrong", lambda: study.measure(record, CHECKED, STEPS)
    )


def test_speech(bench: Bench) -> None:
    """The tensors of the speech network are those of its float32 reference."""
    app = tensors.imported(tensors.VAD, "prepare")
    found = tensors.vad()
    frames = tensors.VAD_FRAMES
    bench.check("convolution", found["vad_conv2"][0].shape == (2 * frames, 3 * 128))
    bench.check("states", found["vad_lstm"][0].shape == (frames - 1, app.UNITS))
    weights = app.read_weights()
    samples = np.concatenate(list(app.recordings().values()))[: frames * app.FRAME]
    wanted = app.probabilities(weights, samples)[:-1]
    last = weights["final_conv.weight"][0, :, 0]
    states = np.maximum(found["vad_lstm"][0], 0) @ last + weights["final_conv.bias"]
    bench.check(
        "states give the network's answers", np.abs(app.sigmoid(states) - wanted).max() < 1e-5
    )
    for name in found:
        for kind in tensors.FORMATS:
            one = tensors.data(name, kind)
            x, y = (
                data.value_of(one.a_fp8, kind) @ data.value_of(one.b_fp8, kind).T,
                one.a_int8.astype(float) @ one.b_int8.astype(float).T,
            )
            bench.check(
                f"{name} {kind}: of the same", np.corrcoef(x.ravel(), y.ravel())[0, 1] > 0.99
            )
