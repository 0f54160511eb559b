# SPDX-License-Identifier: Apache-2.0
"""`make bench-system WORKLOADS=`: a list on the chip has the model's cycles, and what is wrong or left out is said.

python -m pytest -c tests/pytest.ini tests/sim/test_lists.py --sim SIM --elf GEMM_ELF --tool FP8MAC --folder FOLDER
"""

import contextlib
import csv
import io
from pathlib import Path

from sim.bench import lists
from tests.conftest import Bench

HEAD = "layer,m,n,k,count,format_a,format_b,format_d,mx,format_c,vectors\n"
LIST = (
    "scores,40,24,64,12,e4m3fn,e4m3fn,e4m3fn,0,,0\n"
    "again,40,24,64,3,e4m3fn,e4m3fn,e4m3fn,0,,0\n"
    "scaled,16,24,96,1,e5m2,e4m3fn,bfloat16,1,,0\n"
    "odd,17,9,33,2,e4m3fnuz,e2m1fn,float32,0,,0\n"
    "added,17,9,33,2,e4m3fn,e4m3fn,float32,0,float32,0\n"
    "library,17,9,33,2,e4m3fn,e4m3fn,float32,0,,1\n"
    "large,70000,1,1,1,e4m3fn,e4m3fn,e4m3fn,0,,0\n"
    "full,60000,16,4096,1,e4m3fn,e4m3fn,e4m3fn,0,,0\n"
)


def run(arguments: list[str]) -> tuple[int, str, str]:
    said, failed = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(failed):
        status = lists.main(arguments)
    return status, said.getvalue(), failed.getvalue()


def test_lists(bench: Bench, sim: str, elf: str, tool: str, folder: Path) -> None:
    path, out = folder / "layers.csv", folder / "out"
    where = ["--sim", sim, "--model", tool, "--programs", str(Path(elf).parent), "--out", str(out)]
    chip = ["--chip", "4", "4", "16", "block"]
    path.write_text(HEAD + LIST)
    status, said, failed = run([str(path), *where, *chip])
    bench.check(f"status {status}: {failed}", status == 0)
    bench.check(f"{said}: four lines ran", "4 of 8 lines on the chip, 0 differ" in said)
    rows = {row["layer"]: row for row in csv.DictReader((out / "workloads.csv").open())}
    for name in ("scores", "again", "scaled", "odd"):
        row = rows[name]
        bench.check(f"{name}: {row}", row["difference"] == "0" and int(row["plan"]) > 1000)
        bench.check(f"{name}: the chip's cycles", row["cycles"] == row["cycles_of_the_chip"])
    total = sum(int(rows[x]["count"]) * int(rows[x]["cycles"]) for x in rows if rows[x]["plan"])
    bench.check(f"the total is {total}", f"accelerator {total}, model {total}, core " in said)
    reasons = {"added": "C", "library": "vectors", "large": "a side above 65536"}
    for name, reason in (*reasons.items(), ("full", lists.TOO_LARGE)):
        got = (rows[name]["left_out"], rows[name]["cycles_of_the_chip"])
        bench.check(f"{name} is left out: {got}", got == (reason, ""))

    other = ["--chip", "4", "4", "16", "exact"]
    path.write_text(HEAD + LIST.splitlines()[0] + "\n")
    status, said, failed = run([str(path), *where, *other])
    bench.check(f"another element has other cycles: {said}", status == 1 and "DIFFERENT" in said)
    path.write_text(HEAD + LIST.splitlines()[4] + "\n")
    bench.check("nothing was compared", run([str(path), *where, *chip])[0] == 1)
    path.write_text("m,n,k\n1,2,x\n")
    status, said, failed = run([str(path), *where, *chip])
    bench.check(f"a bad line: {failed}", status == 2 and f"{path}:2:3: k is 'x'" in failed)
