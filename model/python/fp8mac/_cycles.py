# SPDX-License-Identifier: Apache-2.0
"""Clock cycles of the accelerator."""

from __future__ import annotations

import ctypes
import dataclasses

from ._arrays import whole
from ._environment import own_environment
from ._formats import refuse
from ._library import configured, library, run_workload
from .register_codes import DFormat

# In the order of the C library's numbers
MEMORIES = ("chip", "ideal")
MOST = 2**32 - 1


@dataclasses.dataclass(frozen=True)
class CycleCounts:
    """What the accelerator's counters have after a GEMM. cycles is the sum of compute to idle."""

    cycles: int
    compute: int
    results: int
    spacing: int
    first_load: int
    load: int
    command: int
    store: int
    idle: int
    macs: int
    read_beats: int
    write_beats: int
    utilisation: float  # of the array's products
    roofline: float  # the largest share of products, reads and writes


def _number(name: str, x: int) -> int:
    return whole(name, x, 0, MOST, "CONFIG")


def _chosen(name: str, x: str, good: tuple[str, ...]) -> int:
    if x not in good:
        raise refuse("CONFIG", f"{name} is {x!r} and must be one of {', '.join(good)}")
    return good.index(x)


@own_environment
def cycles(
    m: int,
    n: int,
    k: int,
    *,
    d_format: str | None = None,
    rows: int = 4,
    cols: int = 4,
    lanes: int = 16,
    element: str = "block",
    requantise: bool = False,
    tiles: int = 256,
    axi_data_w: int = 128,
    epi_width: int = 0,
    max_mn: int = 128,
    queue_depth: int = 8,
    buf_beats: int = 256,
    memory: str = "chip",
    latency: int = 0,
    stall_permille: int = 0,
    seed: int = 1,
) -> CycleCounts:
    """Clock cycles and counters that the RTL has for a GEMM of m x n x k, as the firmware's driver divides it.

    They count from the write of the doorbell until the accelerator is idle.

    d_format   of D: "e4m3fn" (the default), "e5m2", "e4m3fnuz", "e5m2fnuz", "float16", "bfloat16", "float32", "int8"
    requantise   the element int8 has the integer requantiser behind it; D is "int8" (the default), or "float32" for sums
    rows to buf_beats   parameters of fp8mac_accel; element is the kind of the array's elements, epi_width = 0 the default
    memory     "chip": the simulated chip's; "ideal": takes everything at once
    latency    cycles that the memory's answers are later
    stall_permille   probability of a stall, in each cycle and channel of the chip's memory: 0 to 900
    seed       of the stalls, as the simulator's --seed; the GEMM begins in the first cycle behind the reset
    """
    numbers = {
        "rows": rows,
        "cols": cols,
        "lanes": lanes,
        "tiles": tiles,
        "axi_data_w": axi_data_w,
        "epi_width": epi_width,
        "max_mn": max_mn,
        "queue_depth": queue_depth,
        "buf_beats": buf_beats,
        "latency": latency,
        "stall_permille": stall_permille,
    }
    config = configured(
        element,
        **{name: _number(name, value) for name, value in numbers.items()},
        memory=_chosen("memory", memory, MEMORIES),
        requantise=bool(requantise),
        stall_state=library.fp8mac_cycles_stall_state(ctypes.c_uint64(_number("seed", seed)), 0),
    )
    work = library.workload_usual(ctypes.byref(config))
    work.m, work.n, work.k = (_number(name, x) for name, x in (("m", m), ("n", n), ("k", k)))
    work.d_format = _chosen(
        "d_format", d_format or ("int8" if requantise else "e4m3fn"), DFormat.words()
    )
    result = run_workload(config, work)
    counters = (
        getattr(result.counters, field.name) for field in dataclasses.fields(CycleCounts)[:-2]
    )
    return CycleCounts(*counters, result.utilisation, result.roofline)
