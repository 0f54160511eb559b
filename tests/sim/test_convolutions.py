# SPDX-License-Identifier: Apache-2.0
"""Convolutions of the application layers: `fp8mac cycles` has the accelerator's cycles on the chip.

    python -m pytest -c tests/pytest.ini tests/sim/test_convolutions.py --sim SIM --elf LAYERS_ELF --tool FP8MAC --folder FOLDER

The layer library issues a command for each image and group, with groups joined to whole beats of D. Left out are layers
with a dynamic scale, and those whose padding differs from side to side, which a list cannot say.
"""

import csv
import io
import re
import subprocess

from tests.conftest import Bench

COLUMNS = (
    "layer,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides,pad_y,pad_x,images,groups,"
    "format_d,format_c,vectors"
)
LAYERS = {
    "28 x 28 x 8 to 16, 3 x 3, relu": "28,28,3,3,8,16,1,1,1,1,1,e4m3fn,,1",
    "5 signals of 64 x 12 to 24, 7, stride 2, residual": "1,64,1,7,12,24,2,0,3,5,1,e4m3fn,e4m3fn,1",
    "2 of 7 x 9 x 32 to 48, 1 x 1": "7,9,1,1,32,48,1,0,0,2,1,e4m3fn,,1",
    "14 x 14 x 64, 3 x 3, depthwise": "14,14,3,3,64,64,1,1,1,1,64,e4m3fn,,1",
    "9 x 12 x 24, 3 x 3, depthwise": "9,12,3,3,24,24,1,1,1,1,24,e4m3fn,,1",
    "9 x 12 x 40 to 80, 3 x 3, depthwise, float16": "9,12,3,3,40,80,1,1,1,1,40,float16,,1",
}
PRINTED = re.compile(r"^ok   (.+?) +hash [0-9a-f]+\n +core \d+, accelerator (\d+) cycles", re.M)


def test_layers(bench: Bench, sim: str, elf: str, tool: str) -> None:
    done = subprocess.run(
        [sim, "--quiet", elf, "FAMILY=convolution"], capture_output=True, text=True
    )
    bench.check(f"the application ends with 0: {done.stdout[-200:]}", done.returncode == 0)
    printed = dict(PRINTED.findall(done.stdout))
    # By number, because names have commas
    lines = [f"{number},{line}" for number, line in enumerate(LAYERS.values())]
    model = subprocess.run(
        [tool, "cycles", "-"],
        input="\n".join([COLUMNS, *lines, ""]),
        capture_output=True,
        text=True,
        check=True,
    )
    rows = list(csv.DictReader(io.StringIO(model.stdout)))
    for name, row in zip(LAYERS, rows, strict=True):
        bench.check(f"{name}: {row['cycles']} of {printed[name]}", row["cycles"] == printed[name])
    bench.check(f"{len(rows)} layers", len(rows) == len(LAYERS))
