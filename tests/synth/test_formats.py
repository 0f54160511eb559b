# SPDX-License-Identifier: Apache-2.0
"""Elements for one format: a netlist's results equal the definition's and the golden model's, and a seeded fault is found.
The netlist is that of a correctly rounded multiply-accumulate of one lane. Icarus Verilog simulates it.

python -m pytest -c tests/pytest.ini tests/synth/test_formats.py --build BUILD --folder FOLDER [--all-formats]

Without --all-formats it is one format, whose significands are wider than the catalogue's.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from oracle import definition, exact

from synth.flow import cells, faults, liberty, recipe, runs
from synth.flow.cache import Cache
from synth.study import elements, libraries
from tests.conftest import Bench

BANKS = 4  # accumulators; each cycle is one's
RESULT, FIRST = 5, 1  # cycles from the operands to the result, and to step_first_i
STEPS = 24  # of an accumulator, until it starts from zero again
CYCLES = BANKS * STEPS * 40
BIAS = {"fp16": 15, "fp32": 127}
ROWS = {"fp16": exact.FP16, "fp32": exact.FP32}
SMALL = 2  # magnitudes up to this cannot overflow FP16 in a turn
QUICK = ("late_fp16", "qc_e2m5")
EVERY = [(f"late_{acc}", name) for acc in BIAS for name in elements.ONE_FORMAT]


def operand(name: str, code: int) -> tuple[int, Fraction, bool, bool]:
    """Sign, magnitude, whether it is infinite, whether it is NaN"""
    cls, sign, magnitude, _ = definition.decode(definition.FORMATS[name], code)
    return sign, Fraction(magnitude), cls == definition.INF, cls == definition.NAN


def exponent_of(magnitude: Fraction) -> int:
    """floor(log2)"""
    found = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return found - (Fraction(2) ** found > magnitude)


def lane(name: str, code: int) -> tuple[dict[str, int], int | None]:
    """The fields of an element's lane, and the operand's exponent. Its significand is normalised; zero has none."""
    sign, magnitude, is_inf, is_nan = operand(name, code)
    zero = not (magnitude or is_inf or is_nan)
    exponent = exponent_of(magnitude) if magnitude else None
    width = max(elements.ONE_FORMAT[name], elements.SIG_BITS)
    sig = magnitude / Fraction(2) ** exponent * 2 ** (width - 1) if magnitude else 0
    assert sig == int(sig) < 2**width
    fields = dict(
        sign=(sign, 1),
        exp_n=(0 if magnitude else 31, 5),
        half=(0, 1),
        sig=(int(sig), width),
        zero=(int(zero), 1),
        live=(int(not zero and not is_nan), 1),
        is_inf=(int(is_inf), 1),
    )
    packed = 0
    for value, bits in fields.values():
        packed = packed << bits | value
    return {"lane": packed, "nan": int(is_nan)}, exponent


def inputs(acc: str, name: str, a: int, b: int) -> dict[str, int]:
    """Of a cycle. A field is an exponent with a bias: together that of the accumulator, and a product's two places."""
    (a_lane, a_exp), (b_lane, b_exp) = lane(name, a), lane(name, b)
    field = (a_exp or 0) + BIAS[acc] - 16
    return {
        "a_i": a_lane["lane"],
        "b_i": b_lane["lane"],
        "field_a_i": field & 0x1FF,
        "bound_b_i": ((b_exp or 0) + 16) & 0x3F,
        "none_i": int(a_exp is None or b_exp is None),
        "nan_i": a_lane["nan"] | b_lane["nan"],
        "acc_fp16_i": 0,
    }


def bench_text(top: str, widths: dict[str, int], outputs: dict[str, int]) -> str:
    ins = ", ".join(f".{port}({port})" for port in (*widths, *outputs) if port)
    total = sum(widths.values())
    return f"""module bench;
  reg clk_i = 0;
  {" ".join(f"reg [{w - 1}:0] {port} = 0;" for port, w in widths.items())}
  {" ".join(f"wire [{w - 1}:0] {port};" for port, w in outputs.items())}
  reg [{total - 1}:0] vectors [0:{CYCLES - 1}];
  integer t;
  {top} dut (.clk_i(clk_i), {ins});
  initial begin
    $readmemh("vectors.hex", vectors);
    for (t = 0; t < {CYCLES}; t = t + 1) begin
      {{{", ".join(widths)}}} = vectors[t];
      #1 $display("{" ".join(["%h"] * len(outputs))}", {", ".join(outputs)});
      clk_i = 1; #1 clk_i = 0;
    end
  end
endmodule
"""


def results(
    folder: Path, text: str, flow: runs.Synthesiser, module: dict, top: str, rows: list[dict]
):
    """[cycle] of the outputs, by name"""
    ports = {name: (len(port["bits"]), port["direction"]) for name, port in module["ports"].items()}
    widths = {n: w for n, (w, way) in ports.items() if way == "input" and n != "clk_i"}
    outputs = {n: w for n, (w, way) in ports.items() if way == "output"}
    lines = []
    for row in rows:
        packed = 0
        for name, width in widths.items():
            packed = packed << width | row.get(name, 0)
        lines.append(f"{packed:x}")
    (folder / "vectors.hex").write_text("\n".join(lines) + "\n")
    (folder / "netlist.v").write_text(text)
    kinds = {cell["type"] for cell in module["cells"].values()}
    (folder / "cells.v").write_text(cells.models(flow.library, kinds))
    (folder / "bench.v").write_text(bench_text(top, widths, outputs))
    sources = ["bench.v", "netlist.v", "cells.v"]
    subprocess.run(
        ["iverilog", "-g2012", "-s", "bench", "-o", "sim", *sources], cwd=folder, check=True
    )
    out = subprocess.run(
        ["vvp", "-n", "sim"], cwd=folder, check=True, capture_output=True, text=True
    )
    return [
        {n: int(v, 16) if "x" not in v.lower() else None for n, v in zip(outputs, line.split())}
        for line in out.stdout.splitlines()
    ]


def pattern(acc: str, found: dict[str, int]) -> int | str:
    """The accumulator's code; a NaN by a word."""
    infinite = {2: 0, 3: 1}.get(found["special_o"])  # special_e
    if infinite is not None:
        return infinite << (exact.width(ROWS[acc]) - 1) | exact.inf_code(ROWS[acc])
    if found["special_o"]:
        return "NaN"
    fraction = {"fp16": 10, "fp32": 23}[acc]
    sig, field = found["sig_o"], found["field_o"]
    biased = field if sig >> fraction else 0
    whole = fraction + {"fp16": 5, "fp32": 8}[acc]
    return found["sign_o"] << whole | biased << fraction | sig & ((1 << fraction) - 1)


def steps(acc: str, name: str, rng: random.Random) -> list[tuple[int, int]]:
    """Codes of a and b in each cycle, all of them finite. Every other turn has small ones: after an overflow a turn has
    nothing new."""
    usual = [code for code in range(256) if not any(operand(name, code)[2:])]
    small = [code for code in usual if operand(name, code)[1] <= SMALL]
    turns = (usual if cycle // (BANKS * STEPS) % 2 else small for cycle in range(CYCLES))
    return [(rng.choice(codes), rng.choice(codes)) for codes in turns]


def wanted(acc: str, name: str, codes: list[tuple[int, int]]) -> list[int]:
    """The accumulator after each cycle, from the definition: one rounding of the exact sum."""
    row = ROWS[acc]
    value = {code: operand(name, code) for code in range(256)}
    state, found = [0] * BANKS, []
    for cycle, (a, b) in enumerate(codes):
        bank, first = cycle % BANKS, cycle // BANKS % STEPS == 0
        old = 0 if first else state[bank]
        cls, acc_sign, acc_size, _ = definition.decode(row, old)
        if cls == definition.INF:  # the operands are finite
            found.append(old)
            continue
        (a_sign, a_size, *_), (b_sign, b_size, *_) = value[a], value[b]
        total = (-1) ** acc_sign * Fraction(acc_size) + (-1) ** (a_sign + b_sign) * a_size * b_size
        minus = acc_sign and a_sign != b_sign and not acc_size and not a_size * b_size
        scale = total.denominator.bit_length() - 1
        code, _ = exact.round_sum(row, total.numerator, -scale, 0, False) if total else (0, 0)
        state[bank] = code | (minus << (exact.width(row) - 1))
        found.append(state[bank])
    return found


def model(build: Path, acc: str, name: str, a: list[int], b: list[int]) -> float:
    """The golden model's dot product of one turn."""
    values = lambda codes: ",".join(
        str(float((-1) ** operand(name, code)[0] * operand(name, code)[1])) for code in codes
    )
    command = [build / "model/fp8mac", "dot", "--format", name, "--acc-format", acc, "--codes"]
    done = subprocess.run(
        [*command, "--", values(a), values(b)], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1], 16)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = EVERY if metafunc.config.getoption("--all-formats") else [QUICK]
    if "made" in metafunc.fixturenames:
        metafunc.parametrize("made", every, ids="_".join)


@pytest.fixture(scope="session")
def flow(build: Path, folder: Path) -> runs.Synthesiser:
    library = liberty.Library(libraries.LIBRARIES[libraries.FIRST][0])
    return runs.Synthesiser(library, elements.source_folders(build), Cache(folder))


def test_results(
    bench: Bench,
    flow: runs.Synthesiser,
    build: Path,
    folder: Path,
    seed: int,
    made: tuple[str, str],
) -> None:
    kind, name = made
    acc = kind.removeprefix("late_")
    design = elements.element(kind, 1, formats=(name,)).design
    result = flow.run(design, libraries.HEADLINE_PERIOD, recipe.EFFORTS[0], recipe.SEEDS[0])
    module = json.loads(Path(result.netlist, "netlist.json").read_text())["modules"][design.top]
    text = Path(result.netlist, "netlist.v").read_text()
    work = folder / f"{kind}_{name}"
    work.mkdir()
    codes = steps(acc, name, random.Random(seed))
    rows = [inputs(acc, name, a, b) for a, b in codes]
    for cycle in range(FIRST, CYCLES):
        rows[cycle]["step_first_i"] = int((cycle - FIRST) // BANKS % STEPS == 0)
    good = wanted(acc, name, codes)

    def wrong(text: str) -> list[tuple[int, object, int]]:
        found = results(work, text, flow, module, design.top, rows)
        return [
            (cycle, said, good[cycle])
            for cycle in range(CYCLES - RESULT)
            if (said := pattern(acc, found[cycle + RESULT])) != good[cycle]
        ]

    bad = wrong(text)
    bench.passed += CYCLES - RESULT - len(bad)
    bench.check(f"{kind} {name}: {len(bad)} wrong, {bad[:3]}", not bad)
    bench.check("values of many sizes", len(Counter(good)) > CYCLES // 4)
    bench.check("a seeded fault is found", wrong(faults.other_gate(text, flow.library)))
    for bank in range(2 * BANKS):  # two turns
        start = bank // BANKS * BANKS * STEPS + bank % BANKS
        turn = codes[start : start + BANKS * STEPS : BANKS]
        a, b = ([one[side] for one in turn] for side in (0, 1))
        last = good[start + BANKS * (STEPS - 1)]
        said = definition.decode(exact.FP32, model(build, acc, name, a, b))
        good_one = definition.decode(ROWS[acc], last)
        bench.check(f"the model: {said}, {good_one}", said[:3] == good_one[:3])
