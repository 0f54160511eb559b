# SPDX-License-Identifier: Apache-2.0
"""python -m synth shapes: how much of its time an array of 256 MACs computes, by its shape.

The cycles of the layers below are those of the accelerator around the array, by the model of cycles (fp8mac cycles), with
the simulated chip's memory. A layer is one GEMM, m x k times k x n, with operands and results of a byte. Its share of the
roofline is the largest of the cycles that products, reads and writes need at least, divided by its cycles. The share of a
shape is the geometric mean over the layers.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path

from ..flow.errors import UsageError
from .tables import Shape, of_group, of_shapes

# m, n, k. BERT-base, TinyLlama, MobileNetV2, ResNet-50, the gates of an LSTM, keyword spotting
LAYERS = (
    *((128, 768, 768), (128, 3072, 768), (128, 768, 3072), (128, 128, 64), (128, 64, 128)),
    *((64, 2048, 2048), (64, 256, 2048), (64, 5632, 2048)),
    *((3136, 144, 24), (784, 192, 32), (196, 384, 64), (196, 96, 576), (49, 960, 160)),
    (49, 320, 960),
    *((784, 128, 1152), (196, 256, 2304), (49, 512, 4608)),
    (16, 512, 256),
    *((125, 64, 64), (125, 64, 40)),
)


def cycles(model: Path, shape: Shape) -> list[dict[str, str]]:
    """What the model's tool says of each layer."""
    options = {
        "rows": shape.rows,
        "cols": shape.columns,
        "lanes": shape.lanes,
        "element": shape.kind.name,
        "d-format": "int8" if shape.kind.name == "int8" else "e4m3fn",
    }
    command = [str(model), "cycles", *(f"--{name}={value}" for name, value in options.items()), "-"]
    layers = "m,n,k\n" + "".join(f"{m},{n},{k}\n" for m, n, k in LAYERS)
    done = subprocess.run(command, input=layers, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UsageError(f"{' '.join(command)}: {done.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def measure(model: Path, shape: Shape) -> dict:
    layers = cycles(model, shape)
    logs = [math.log(float(one["roofline"])) for one in layers]
    return {
        "rows": shape.rows,
        "columns": shape.columns,
        "lanes": shape.lanes,
        "kind": shape.kind.name,
        "cycles": [int(one["cycles"]) for one in layers],
        "roofline": round(math.exp(sum(logs) / len(logs)), 4),
    }


def wanted(records: list[dict]) -> list[Shape]:
    """The shapes of the arrays in the results, and of their INT8 baselines."""
    arrays = of_shapes(of_group(records, "array"))
    own = [Shape.of(r["name"], r["kind"]) for r in arrays]
    other = [Shape.of(r["baseline"], "int8") for r in arrays]
    return list({shape.key: shape for shape in [*own, *other]}.values())


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m synth shapes", description=__doc__, allow_abbrev=False
    )
    result.add_argument(
        "--model", type=Path, default=Path("build/model/fp8mac"), help="the model's tool fp8mac"
    )
    result.add_argument("--results", type=Path, default=Path("synth/results"))
    return result


def main(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    records = json.loads((options.results / "area.json").read_text())["records"]
    out = options.results / "shapes.json"
    try:
        found = [measure(options.model, shape) for shape in wanted(records)]
    except UsageError as error:
        print(f"make synth-shapes: {error}", file=sys.stderr)
        return 2
    out.write_text(json.dumps({"shapes": found}, indent=1) + "\n")
    print(f"  SHAPES    {out}")
    return 0
