# SPDX-License-Identifier: Apache-2.0
"""Faults in what the library cleans and invalidates: both tests of it find each one.

    python -m pytest -c tests/pytest.ini tests/sim/test_touched_faults.py --sim SIM --folder FOLDER --chip CC --chip-link LINK \\
        --host CC --host-link LINK

CC compiles `-c -o OBJECT SOURCE`; LINK links a program from objects and says where with `-o PROGRAM`. A fault is a text of
one source that another one replaces. The chip runs the application `touched`, the host the layers with a core that has a
cache (tests/system/cached.c).
"""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Bench
from tests.sim.test_touched import compare

CACHE = "firmware/src/network_cache.c"
REGIONS = "firmware/src/gemm_regions.c"
GEMM = "firmware/src/gemm_run.c"
ROWS = "firmware/src/rows.c"
ELEMENTWISE = "firmware/src/elementwise.c"
DRIVER = "firmware/driver/device.c"


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    old: str
    new: str
    family: str  # of the layers, that finds it on the host; "": only the chip does


FAULTS = (
    Fault(
        "a list cleans half of B of pairs", CACHE, "pairs ? 2u * c->n : c->n", "c->n", "convolution"
    ),
    Fault(
        "a list invalidates half of D of pairs",
        CACHE,
        "pairs ? rows_of_pairs(c) : c->m",
        "c->m",
        "convolution",
    ),
    Fault(
        "a list does not invalidate MX scales",
        CACHE,
        "if (writes_scales(&command))",
        "if (0)",
        "mx",
    ),
    Fault(
        "a list is not cleaned itself",
        CACHE,
        "    dev->port->clean(dev, list, fp8rt_list_words(network) * sizeof *list);\n",
        "",
        "linear",
    ),
    Fault("a list cleans a table in part", CACHE, "1, 0, FP8RT_TABLE_CODES", "1, 0, 16", "tables"),
    Fault(
        "a list cleans more of C than there is",
        CACHE,
        "{*at, c->m, c->c_stride,",
        "{*at, c->m + 1u, c->c_stride,",
        "",
    ),
    Fault(
        "a bias is not cleaned", REGIONS, "if (fp8rt_gemm_bias(desc) != NULL)", "if (0)", "linear"
    ),
    Fault("MX scales are not cleaned", REGIONS, "if (x->mx != NULL)", "if (0)", "mx"),
    Fault(
        "the last row of D is not invalidated",
        REGIONS,
        "fp8rt_gemm_d_rows(desc),",
        "desc->m - (desc->m > 1),",
        "linear",
    ),
    Fault(
        "a GEMM does not clean its scratch",
        GEMM,
        "if (plan->scratch_bytes != 0) {\n        regions",
        "if (0) {\n        regions",
        "",
    ),
    Fault(
        "a GEMM that was begun invalidates a byte",
        GEMM,
        "flight->d_bytes = fp8rt_region_bytes(&d);",
        "flight->d_bytes = 1;",
        "",
    ),
    Fault("gamma and beta are not cleaned", ROWS, "if (vectors[i] != NULL)", "if (0)", "normalise"),
    Fault(
        "C of an element-wise command is not cleaned",
        ELEMENTWISE,
        "if (reads_c(desc)) {\n        fp8rt_clean",
        "if (0) {\n        fp8rt_clean",
        "arithmetic",
    ),
    Fault(
        "the command is not cleaned",
        DRIVER,
        "dev->port->clean(dev, descriptor, sizeof *descriptor);",
        "",
        "",
    ),
)


class Count(Bench):
    """Counts without a word"""

    def check(self, name: str, good: object) -> None:
        self.passed += bool(good)
        self.failed += not good


def build(fault: Fault, folder: Path, compiler: str, link: str, program: Path) -> None:
    text = Path(fault.file).read_text()
    assert text.count(fault.old) == 1, f"{fault.file} has not '{fault.old}' once"
    source, made = folder / Path(fault.file).name, folder / "faulty.o"
    source.write_text(text.replace(fault.old, fault.new))
    compiler_of = [*shlex.split(compiler), f"-I{Path(fault.file).parent}"]
    subprocess.run([*compiler_of, "-c", "-o", made, source], check=True)
    objects = [made if w.endswith(f"/{fault.file}.o") else w for w in shlex.split(link)]
    assert made in objects, f"{fault.file} is not linked"
    subprocess.run([*objects, "-o", program, "-lm"], check=True)


def test_chip(bench: Bench, sim: str, folder: Path, chip: str, chip_link: str) -> None:
    for number, fault in enumerate(FAULTS):
        work = folder / f"chip{number}"
        work.mkdir()
        build(fault, work, chip, chip_link, work / "touched.elf")
        found = Count()
        compare(found, sim, str(work / "touched.elf"), work, "COUNT=4", "SEED=1")
        bench.check(f"the RTL's transfers show that {fault.name}", found.failed != 0)


def test_host(bench: Bench, folder: Path, host: str, host_link: str) -> None:
    for number, fault in enumerate(f for f in FAULTS if f.family):
        work = folder / f"host{number}"
        work.mkdir()
        build(fault, work, host, host_link, work / "layers")
        done = subprocess.run(
            [work / "layers", f"FAMILY={fault.family}"], capture_output=True, text=True, check=False
        )
        bench.check(
            f"a core with a cache shows that {fault.name}",
            done.returncode != 0 and "FAIL" in done.stdout,
        )
