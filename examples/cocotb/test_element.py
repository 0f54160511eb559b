# SPDX-License-Identifier: Apache-2.0
"""Random dot products through element_top; the scoreboard is the golden model's Python package."""

import random

import cocotb
import fp8mac
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from fp8mac.register_codes import Fp8Format

FORMATS = Fp8Format.words()
LANES = 4
LOOP_CYCLES = 3  # between steps of one accumulator bank
DOTS_PER_PAIR = 8
MAX_STEPS = 6


async def dot(dut, a: bytes, b: bytes) -> int:
    """The element's result for the codes `a` and `b`, LANES of them a step."""
    steps = len(a) // LANES
    for step in range(steps):
        part = slice(step * LANES, (step + 1) * LANES)
        dut.valid_i.value = 1
        dut.first_i.value = step == 0
        dut.last_i.value = step == steps - 1
        dut.a_i.value = int.from_bytes(a[part], "little")
        dut.b_i.value = int.from_bytes(b[part], "little")
        await FallingEdge(dut.clk_i)
        dut.valid_i.value = 0
        for _ in range(LOOP_CYCLES - 1):
            await FallingEdge(dut.clk_i)
    for _ in range(10):
        if dut.valid_o.value:
            return int(dut.result_o.value)
        await FallingEdge(dut.clk_i)
    raise AssertionError("the element shows no result")


def expected(a: bytes, b: bytes, a_format: str, b_format: str, acc_format: str) -> int:
    result = fp8mac.dot(
        np.frombuffer(a, np.uint8),
        np.frombuffer(b, np.uint8),
        a_format=a_format,
        b_format=b_format,
        acc_format=acc_format,
        group=LANES,
    )
    return int(np.float32(result).view(np.uint32))


@cocotb.test()
async def random_dot_products(dut):
    """All 16 pairs of formats, both accumulators."""
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    rng = random.Random(1)
    dut.rst_ni.value = 0
    dut.valid_i.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    compared = numbers = 0
    for a_index, a_format in enumerate(FORMATS):
        for b_index, b_format in enumerate(FORMATS):
            for count in range(DOTS_PER_PAIR):
                fp16 = count % 2
                dut.fp16_i.value = fp16
                dut.a_fmt_i.value = a_index
                dut.b_fmt_i.value = b_index
                n = LANES * rng.randint(1, MAX_STEPS)
                # Half of the products stay small, so that not every sum overflows FP16 or is NaN.
                mask = 0xBF if count < DOTS_PER_PAIR // 2 else 0xFF
                a, b = (bytes(rng.randrange(256) & mask for _ in range(n)) for _ in range(2))
                got = await dot(dut, a, b)
                want = expected(a, b, a_format, b_format, "fp16" if fp16 else "fp32")
                assert got == want, f"{a_format} x {b_format}: {got:#010x}, the model {want:#010x}"
                compared += 1
                numbers += got & 0x7FFFFFFF < 0x7F800000
    assert compared == 16 * DOTS_PER_PAIR
    assert numbers > compared // 3, f"only {numbers} of {compared} results are finite"
