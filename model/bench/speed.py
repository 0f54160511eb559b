# SPDX-License-Identifier: Apache-2.0
"""`make accept-speed`: what `make bench-model` measured, as a result file: speed.json, beside this file. model/SPEED.md quotes it.

    {"machines": {"ratios": TEXT, "settings": TEXT},
     "rows": {NAME: {"baseline", "target", "avx2", "avx512"}    ratios of speed to a baseline's
              NAME: {"least", "most"}}}                         GMAC/s of other settings, and other ratios

It takes the figures that build/bench/ISA.json has, and says what moved. Nothing is refused: the figures depend on the machine.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from synth.study.tables import table
from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind, Row

COMMITTED = Path("model/bench/speed.json")
KIND = Kind("speed", COMMITTED, {})
ISAS = ("avx2", "avx512")
SIDE = "256^3"
EXACT = "4 lanes fused exact"
SGEMM = f"OpenBLAS SGEMM {SIDE}"
# Rows of ratios: what bench.py calls the contender and its baseline
RATIOS = {
    **{
        f"float32 to {name}, in L2": (
            f"float32 to {name}, saturate, in L2",
            f"PyTorch {name} in L2",
        )
        for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
    },
    "stochastic rounding, bits given": ("stochastic, random bits given", "nearest even, e4m3fn"),
    "stochastic rounding, bits drawn": (
        "stochastic, random bits drawn (Threefry)",
        "nearest even, e4m3fn",
    ),
    "FP32 in order, 256^3": (f"FP32, in order, {SIDE}", SGEMM),
    "FP32 in order, 1024^3": ("FP32, in order, 1024^3", "OpenBLAS SGEMM 1024^3"),
    "FP16 in order, 256^3": (f"FP16, in order, {SIDE}", SGEMM),
    f"FP32, {EXACT}, 256^3": (f"FP32, {EXACT}, {SIDE}", SGEMM),
    f"FP16, {EXACT}, 256^3": (f"FP16, {EXACT}, {SIDE}", SGEMM),
    "the same in FP32, random E5M2 codes of the full range": (
        f"FP32, {EXACT}, {SIDE}, e5m2 full range",
        SGEMM,
    ),
    "the same in FP16, random E5M2 codes of the full range": (
        f"FP16, {EXACT}, {SIDE}, e5m2 full range",
        SGEMM,
    ),
    "`fixed`, 256^3": (f"fixed, {SIDE}", SGEMM),
    "`hopper-fp8`, 256^3": (f"hopper-fp8, {SIDE}", SGEMM),
    "`blackwell-fp8`, 256^3": (f"blackwell-fp8, {SIDE}", SGEMM),
}
# Rows of GMAC/s with AVX2, and the settings of bench.py in each
SETTINGS = {
    "OpenBLAS SGEMM": ("OpenBLAS SGEMM",),
    "int8": ("int8",),
    "block": ("block, 19 bits",),
    "block_scales": ("block, 19 bits, MX",),
    "stochastic": (f"FP32, {EXACT}, stochastic D",),
    "loaded": ("FP32, in order, loaded accumulators",),
    "tracked": (f"FP32, {EXACT}, tracked flags", "block, 19 bits, tracked flags"),
    "chunks": ("hopper-fp8, promote 128", f"FP32, {EXACT}, chunk 64"),
    "late_fp32": ("late_fp32, 4 lanes",),
    "mma": ("hopper-mma-fp8-fp16", "blackwell-mma-fp8", "blackwell-mma-fp8-fp16"),
    "cdna3": ("cdna3-fp8",),
    "riscv": ("riscv-fqbdot8f",),
    "narrow": (
        "ibm-chunk",
        "ibm-stochastic",
        "BF16, in order",
        "E8M13, in order",
        "1-6-9, in order",
    ),
}
# How the page calls them
NAMES = {
    "int8": "`int8`",
    "block": "`block`",
    "block_scales": "`block` with block scales",
    "stochastic": "exact groups of four, D rounded stochastically",
    "loaded": "FP32 in order, loaded accumulators",
    "tracked": "`inexact` and `underflow`",
    "chunks": "chunks and promotion",
    "late_fp32": "`late_fp32` of 4 lanes",
    "mma": "mma.sync",
    "cdna3": "CDNA3",
    "riscv": "RISC-V",
    "narrow": "IBM's accumulators, BF16, E8M13 and 1-6-9",
}
# Speed of the portable kernels beside that of AVX2
PORTABLE = {
    "portable": ("FP32, in order", f"FP32, {EXACT}", f"FP16, {EXACT}"),
    "portable_fp16": ("FP16, in order",),
}
# Rows of the sentence about the best speeds
RANGES = {
    "order": ("FP32 in order, 256^3", "FP32 in order, 1024^3"),
    "groups": (f"FP32, {EXACT}, 256^3", f"FP16, {EXACT}, 256^3"),
    "tensor": ("`hopper-fp8`, 256^3", "`blackwell-fp8`, 256^3"),
}


def span(values: Iterable[float], digits: int) -> Row:
    rounded = [round(value, digits) for value in values]
    return {"least": min(rounded), "most": max(rounded)} if rounded else {}


def missing(records: Mapping[str, dict]) -> list[str]:
    """The rows of ratios that some record does not have"""
    keys = [{(e["name"], e["baseline"]) for e in one["entries"]} for one in records.values()]
    return [name for name, key in RATIOS.items() if not all(key in own for own in keys)]


def found(old: Mapping[str, Row], records: Mapping[str, dict]) -> dict[str, Row]:
    """The rows with the figures of the records, by instruction set; the others stay."""
    rows = {name: expectations.figures(row) for name, row in old.items()}
    for isa, record in records.items():
        entries = record["entries"]
        ratios = {(one["name"], one["baseline"]): one["ratio"] for one in entries}
        values = {one["name"]: one["value"] for one in entries}
        for name, key in RATIOS.items():
            if key in ratios:
                rows[name] = rows[name] | {isa: round(ratios[key], 2)}
        if isa != "avx2":
            continue
        for name, settings in SETTINGS.items():
            own = [values[key] for one in settings if (key := f"{one} {SIDE}") in values]
            own += [values[key] for one in settings if (key := f"{one}, {SIDE}") in values]
            rows[name] = span(own, 1) or rows[name]
        for name, settings in PORTABLE.items():
            own = [
                values[key] / values[f"{one}, {SIDE}"]
                for one in settings
                if (key := f"{one}, {SIDE}, portable") in values
            ]
            rows[name] = span(own, 2) or rows[name]
        rows["threads"] = span(record.get("threads", ()), 1) or rows["threads"]
    return rows


class Tables:
    def __init__(self, file: Mapping):
        self.rows, self.machines = file["rows"], file["machines"]

    def say(self, name: str) -> str:
        """The range of a row, or of the rows of RANGES"""
        if name in self.machines:
            return self.machines[name]
        if name in RANGES:
            values = [self.rows[one][isa] for one in RANGES[name] for isa in ISAS]
            return f"{min(values):.2f} to {max(values):.2f}"
        row = self.rows[name]
        least, most = row["least"], row["most"]
        return f"{least}" if least == most else f"{least} to {most}"

    def table(self) -> str:
        lines = []
        for name in RATIOS:
            row = self.rows[name]
            cells = [
                f"**{row[isa]:.2f}**" if row[isa] >= row["target"] else f"{row[isa]:.2f}"
                for isa in ISAS
            ]
            lines.append([name, row["baseline"], f"{row['target']:.2f}", *cells])
        return table(["what", "baseline", "target", "AVX2", "AVX-512"], lines)

    def settings(self) -> str:
        return table(
            ["setting", "GMAC/s"], [[text, self.say(name)] for name, text in NAMES.items()]
        )


def load(path: Path = COMMITTED) -> dict:
    return expectations.read(KIND, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", required=True, type=Path, help="that of ISA.json")
    options = parser.parse_args()
    try:
        paths = {isa: options.folder / f"{isa}.json" for isa in ISAS}
        records = {
            isa: json.loads(path.read_text()) for isa, path in paths.items() if path.exists()
        }
        if not records:
            raise ExpectationError(f"{options.folder} has no results: run `make bench-model` first")
        file = load()
        rows = found(file["rows"], records)
        _, said = expectations.accept(KIND, file, rows)
        for what in ("ratios", "settings"):
            keys = RATIOS if what == "ratios" else SETTINGS
            if any(rows[name] != file["rows"].get(name) for name in keys):
                file["machines"][what] = next(iter(records.values()))["processor"]
    except (ExpectationError, OSError, ValueError, KeyError) as error:
        print(f"{KIND.command}: {error}", file=sys.stderr)
        return 1
    print(said)
    if left := missing(records):
        print(f"Not measured by every run, so as they were: {'; '.join(left)}.")
    COMMITTED.write_text(expectations.text_of(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
