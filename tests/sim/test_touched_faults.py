# SPDX-License-Identifier: Apache-2.0
"""Faults in what the library cleans and invalidates: both tests of it find each one.

    python -m pytest -c tests/pytest.ini tests/sim/test_touched_faults.py --sim SIM --folder FOLDER --chip CC --chip-link LINK \\
        --host CC --host-link LINK

CC compiles `-c -o OBJECT SOURCE`; LINK links a program from objects and says where with `-o PROGRAM`. A fault is a text of
one source that another one replaces. The chip runs the application `touched`, the host the layers with a core that has a
cache (tests/system/cached.c).
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import Bench
from tests.sim.test_touched import compare

CACHE = "firmware/src/cache.c"
LIST = "firmware/src/network_cache.c"
REGIONS = "model/src/command/regions.c"
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
        "half of B of pairs",
        REGIONS,
        "fp8mac_command_columns(c), c->b",
        "c->n, c->b",
        "convolution",
    ),
    Fault("a pair's second line of D", REGIONS, "0, 2u * whole);", "0, whole);", "convolution"),
    Fault("MX scales of D", REGIONS, "if (fp8mac_command_writes_scales(c))", "if (0)", "mx"),
    Fault("a part of a table", REGIONS, "TABLE_BYTES = 256", "TABLE_BYTES = 16", "tables"),
    Fault(
        "more of C than there is",
        REGIONS,
        "c->c.addr, c->m, c->c.stride,",
        "c->c.addr, c->m + 1u, c->c.stride,",
        "",
    ),
    Fault("no bias", REGIONS, "if (c->finish.bias_en) {", "if (0) {", "linear"),
    Fault(
        "no MX scales of B",
        REGIONS,
        "FP8MAC_REGION_MX_B, c->b.mx_addr, c->n",
        "FP8MAC_REGION_MX_B, c->b.mx_addr, 1",
        "mx",
    ),
    Fault(
        "not the last row of D",
        REGIONS,
        "FP8MAC_REGION_D, c->d.addr, c->m, c->d",
        "FP8MAC_REGION_D, c->d.addr, c->m - (c->m > 1), c->d",
        "linear",
    ),
    Fault(
        "not the last lines of an image",
        REGIONS,
        "(last - first) / apart + 1u",
        "(last - first) / apart",
        "convolution",
    ),
    Fault("nothing is invalidated", CACHE, "if (list[i].written) {", "if (0) {", "linear"),
    Fault(
        "a list is not cleaned itself",
        LIST,
        "    dev->port->clean(dev, list, fp8rt_list_words(network) * sizeof *list);\n",
        "",
        "linear",
    ),
    Fault(
        "vectors are cleaned where they were, not in the scratch",
        GEMM,
        "fp8rt_backend_get_scales(&plan->descriptor, command);",
        "",
        "",
    ),
    Fault(
        "a GEMM that was begun invalidates nothing",
        CACHE,
        "flight->d_bytes = bytes_of(&list[i].at);",
        "flight->d_bytes = 0;",
        "",
    ),
    Fault(
        "a row command cleans nothing", ROWS, "if (dev->port->clean != NULL)", "if (0)", "normalise"
    ),
    Fault(
        "an element-wise command cleans nothing",
        ELEMENTWISE,
        "if (dev->port->clean != NULL)",
        "if (0)",
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
    if made not in objects:  # in a library, whose object is not taken then
        objects.insert(1, made)
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
            done.returncode == 1 and re.search(r"[1-9]\d* failed$", done.stdout.strip()),
        )
